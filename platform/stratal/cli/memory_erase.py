"""`stratal memory erase`: gone from every row and file, with a receipt."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType

from stratal.cli.arguments import DryRun
from stratal.cli.arguments import text as as_text
from stratal.cli.lines import confirm
from stratal.cli.opening import database_of, settings_of
from stratal.cli.options import Common, common_of
from stratal.cli.shapes.moving import (
    BackupShape,
    ErasePlan,
    EraseReceipt,
    ResidueShape,
    SiblingShape,
)
from stratal.cli.terminal import Advance, Terminal, cell, lines, table
from stratal_memory.erase.pipeline import Plan, erase, plan, resume
from stratal_memory.erase.receipt import Receipt
from stratal_memory.erase.siblings import Sibling
from stratal_memory.erase.target import Target, What
from stratal_memory.scopes import Principal

NOT_CLEAN = 1
MOST_LEFT = 20  # rows shown of what stays
DOING = {
    "rows": "deleting rows",
    "index": "building the index anew",
    "files": "removing files",
    "database": "writing the database anew",
    "looking": "looking through every file",
}
Key = Annotated[
    str | None, typer.Option(metavar="ID", parser=as_text, help="One memory, by its key or id.")
]
Source = Annotated[
    str | None,
    typer.Option(
        metavar="S",
        parser=as_text,
        help="A document (id or path), conversation, turn, message, or a source's words.",
    ),
]
Backups = Annotated[
    list[Path] | None,
    typer.Option("--backups", metavar="DIR", help="Also list copies there that hold it."),
]
Siblings = Annotated[
    bool, typer.Option("--with-siblings", help="With --key: also what else still says it.")
]
Unfinished = Annotated[bool, typer.Option("--resume", help="Finish an erase that was cut off.")]
Yes = Annotated[bool, typer.Option("--yes", help="Don't ask.")]


def command(
    ctx: typer.Context,
    key: Key = None,
    source: Source = None,
    siblings: Siblings = False,
    backups: Backups = None,
    unfinished: Unfinished = False,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Erase a memory, a source, or with --user alone all of that user, and prove it.

    The words go, all that was made of them, and every byte of them in the data directory. It needs
    the directory alone and free disk of twice the database; a crash loses nothing: run it again.
    What else says the same of one memory is listed, and goes too with --with-siblings.
    Exit code 1 when a file still holds something.
    """
    common = common_of(ctx)
    terminal = Terminal(common)
    folders = tuple(backups or ())
    target = None if unfinished else _target(common, key=key, source=source, siblings=siblings)
    with (
        database_of(settings_of(common)) as database,
        terminal.progress("erasing") as advance,
    ):
        tell = _steps(advance)
        if target is None:
            receipt = resume(database, backups=folders, on_step=tell)
        elif dry_run:
            terminal.show(_plan(plan(database, target)), _planned)
            return
        else:
            if not yes:
                _ask(terminal, plan(database, target), common=common)
            receipt = erase(database, target, backups=folders, on_step=tell)
    if receipt is None:
        terminal.note("no erase was cut off")
        return
    terminal.show(_shape(receipt), _told)
    raise typer.Exit(0 if receipt.clean else NOT_CLEAN)


def _steps(advance: Advance) -> Callable[[str], None]:
    """Shows how far an erase is."""

    def tell(step: str) -> None:
        if step in DOING:
            advance(list(DOING).index(step), len(DOING), DOING[step])

    return tell


def _target(common: Common, *, key: str | None, source: str | None, siblings: bool) -> Target:
    if siblings and key is None:
        raise typer.BadParameter("--with-siblings goes with --key")
    if key is not None and source is not None:
        raise typer.BadParameter("name a --key or a --source, one of the two")
    named = key if key is not None else source
    if named is None:
        if common.user is None:
            raise typer.BadParameter("say what to erase: --key, --source, or all of a --user")
        return Target.everything_of(Principal(user=common.user))
    settings = settings_of(common)
    principal = Principal(user=settings.user, project=common.project, org=common.org)
    return Target(
        what=What.KEY if key is not None else What.SOURCE,
        name=named,
        principal=principal,
        siblings=siblings,
    )


def _ask(terminal: Terminal, planned: Plan, *, common: Common) -> None:
    """Show what goes and ask; a program must say --yes."""
    if common.json or not sys.stdin.isatty():
        raise typer.BadParameter("nobody can be asked here: add --yes to erase")
    terminal.print(_planned(_plan(planned)))
    confirm("Erase this for good?")


def _plan(planned: Plan) -> ErasePlan:
    return ErasePlan(
        what=planned.target.what,
        name=planned.target.name,
        counts=dict(planned.counts),
        left=_siblings(planned.left),
        bytes_needed=planned.bytes_needed,
        bytes_free=planned.bytes_free,
    )


def _shape(receipt: Receipt) -> EraseReceipt:
    return EraseReceipt(
        id=receipt.id,
        at=receipt.at,
        what=receipt.what,
        name=receipt.name,
        clean=receipt.clean,
        counts=dict(receipt.counts),
        files_removed=receipt.files_removed,
        searched=receipt.searched,
        shared=receipt.shared,
        files=receipt.files,
        bytes=receipt.bytes,
        hits=tuple(ResidueShape(file=file, places=count) for file, count in receipt.hits),
        backups=tuple(BackupShape(file=file, detail=detail) for file, detail in receipt.backups),
        left=_siblings(receipt.left),
    )


def _siblings(left: Sequence[Sibling]) -> tuple[SiblingShape, ...]:
    return tuple(SiblingShape(kind=one.kind, id=one.id) for one in left)


def _left(left: Sequence[SiblingShape]) -> list[RenderableType]:
    """What stays and says it, and what takes that too."""
    if not left:
        return []
    many = f"stays and still says it: {len(left):,} (--with-siblings takes them too)"
    shown = [cell(f"  {one.kind} {one.id}", "yellow") for one in left[:MOST_LEFT]]
    more = [cell("  and more; --json has all", "yellow")] if len(left) > MOST_LEFT else []
    return [cell(many, "yellow"), *shown, *more]


def _counts(counts: dict[str, int], title: str) -> RenderableType:
    made = table(title, "rows", right=("rows",))
    for name, count in counts.items():
        made.add_row(cell(name), cell(f"{count:,}"))
    return made


def _planned(planned: ErasePlan) -> RenderableType:
    need, free = planned.bytes_needed // 1024**2, planned.bytes_free // 1024**2
    return lines(
        _counts(planned.counts, f"would go ({planned.what} {planned.name})"),
        *_left(planned.left),
        cell(f"needs {need:,} MiB of free disk, {free:,} MiB are free", "dim"),
        cell("nobody else may use the data directory meanwhile; backups are not touched", "dim"),
    )


def _told(receipt: EraseReceipt) -> RenderableType:
    looked = (
        f"looked through {receipt.files:,} files ({receipt.bytes:,} bytes) for"
        f" {receipt.searched:,} texts and vectors; {receipt.shared:,} were not looked for,"
        " rows that stay hold the same"
    )
    return lines(
        _counts(receipt.counts, f"erased ({receipt.what} {receipt.name})"),
        cell(looked, "dim"),
        *(cell(f"still in {one.file}: {one.places:,} places", "red") for one in receipt.hits),
        *(cell(f"backup {one.file}: {one.detail}", "yellow") for one in receipt.backups),
        *_left(receipt.left),
        cell("no file holds any of it", "green") if receipt.clean else None,
        cell(f"receipt {receipt.id}", "dim"),
    )
