"""`stratal memory export` and `stratal memory import`: everything out, and in again."""

import json
import os
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Annotated

import typer
from rich.console import RenderableType

from stratal.cli.arguments import DryRun
from stratal.cli.opening import opened
from stratal.cli.options import common_of
from stratal.cli.shapes.moving import Exported, ImportShape, RefusalShape
from stratal.cli.terminal import Terminal, cell, lines, table
from stratal.errors import StorageError
from stratal_memory.embedding.backlog import embed_backlog
from stratal_memory.portability.report import TAKEN, Imported, Source

PARTLY = 3  # the exit code when some rows were refused
STDOUT = Path("-")


def export(
    ctx: typer.Context,
    file: Annotated[
        Path, typer.Argument(metavar="[FILE]", help="Where to; - or nothing: standard output.")
    ] = STDOUT,
    log: Annotated[
        bool, typer.Option("--log/--no-log", help="With what happened to memories, and why.")
    ] = True,
) -> None:
    """Write all of a user's memory as JSON lines: docs/portability.md says what they hold."""
    from stratal_memory.portability.export import export as rows_of

    common = common_of(ctx)
    terminal = Terminal(common)
    with opened(common) as agent, terminal.progress("writing") as advance:
        rows = rows_of(agent.store, log=log, on_row=lambda done, total: advance(done, total, ""))
        if file == STDOUT:
            for line in rows:
                sys.stdout.write(line)
            return
        done = _written(file, rows)
    terminal.show(done, _exported)


def _written(file: Path, rows: Iterable[str]) -> Exported:
    """The file, whole or not at all, for its owner alone."""
    counts: Counter[str] = Counter()
    try:
        with NamedTemporaryFile("wb", dir=file.absolute().parent, delete=False) as made:
            try:
                size = _fill(made.file, rows, counts)
            except BaseException:
                Path(made.name).unlink()
                raise
        Path(made.name).replace(file)
    except OSError as error:
        raise StorageError(
            f"the export can't be written to {file}: {error.strerror}",
            hint="Name another file, or free some space.",
        ) from error
    return Exported(file=str(file), rows=dict(counts), bytes=size)


def _fill(made: IO[bytes], rows: Iterable[str], counts: Counter[str]) -> int:
    size = 0
    for line in rows:
        size += made.write(line.encode("ascii"))
        counts[json.loads(line)["record"]] += 1
    made.flush()
    os.fsync(made.fileno())
    del counts["header"], counts["end"]
    return size


def import_(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An export, or its archive.")],
    source: Annotated[
        Source | None, typer.Option("--format", help="Whose export; else the file tells.")
    ] = None,
    of: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Whose memory in it is meant; it becomes yours, in another data directory.",
        ),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Take in an export: ours, mem0's, Letta's, or conversations of ChatGPT and Claude.

    The same file again adds nothing. Exit code 3 when some rows were refused.
    """
    from stratal_memory.portability.importing import import_file

    common = common_of(ctx)
    terminal = Terminal(common)
    with opened(common) as agent, terminal.progress("reading") as advance:
        report = import_file(
            agent.store,
            file,
            source=source,
            of=of,
            dry_run=dry_run,
            on_row=lambda done: advance(done, 0, f"{done:,} rows"),
        )
        if not dry_run:
            embed_backlog(
                agent.store, on_progress=lambda done: advance(done, 0, f"{done:,} embedded")
            )
    terminal.show(_shape(report, dry_run=dry_run), _imported)
    if dry_run:
        terminal.note("nothing was stored: this was a dry run")
    if of and any(one.reason == TAKEN for one in report.refusals):
        terminal.note("ids are kept: what one user of a data directory has, another can't import")
    raise typer.Exit(PARTLY if report.refused else 0)


def _shape(report: Imported, *, dry_run: bool) -> ImportShape:
    return ImportShape(
        format=report.format,
        dry_run=dry_run,
        added=dict(+report.added),
        unchanged=dict(+report.unchanged),
        skipped=dict(+report.skipped),
        refused=report.refused,
        refusals=tuple(RefusalShape.of(one) for one in report.refusals),
    )


def _exported(done: Exported) -> RenderableType:
    made = table("record", "rows", right=("rows",))
    for kind, count in done.rows.items():
        made.add_row(cell(kind), cell(f"{count:,}"))
    return lines(made, cell(f"{done.file}: {done.bytes:,} bytes", "dim"))


def _imported(done: ImportShape) -> RenderableType:
    numbers = ("added", "here already")
    made = table("record", *numbers, right=numbers)
    for kind in sorted(done.added.keys() | done.unchanged.keys()):
        made.add_row(
            cell(kind),
            cell(f"{done.added.get(kind, 0):,}", "green"),
            cell(f"{done.unchanged.get(kind, 0):,}", "dim"),
        )
    skipped = ", ".join(f"{count:,} {reason}" for reason, count in sorted(done.skipped.items()))
    return lines(
        made,
        cell(f"an export of {done.format}; left out: {skipped or 'nothing'}", "dim"),
        _refusals(done),
    )


def _refusals(done: ImportShape) -> RenderableType | None:
    if not done.refused:
        return None
    made = table("refused", "id", "why")
    for one in done.refusals:
        made.add_row(cell(one.where), cell(one.id, "dim"), cell(one.reason, "red"))
    more = done.refused - len(done.refusals)
    return lines(made, cell(f"and {more:,} more", "red") if more else None)
