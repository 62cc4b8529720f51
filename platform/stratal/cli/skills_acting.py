"""`stratal skills add`, `approve`, `reject`, `history` and `export`: a person's word on skills."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from stratal.cli.arguments import Name
from stratal.cli.arguments import text as as_text
from stratal.cli.lines import confirm
from stratal.cli.opening import opened_store, settings_of
from stratal.cli.options import Common, common_of
from stratal.cli.shapes.skills import (
    SkillAdded,
    SkillDecided,
    SkillEvent,
    SkillExported,
    SkillHistory,
    SkillsAdded,
)
from stratal.cli.skills_acting_view import (
    added_view,
    decided_view,
    exported_view,
    history_view,
)
from stratal.cli.skills_shape import shown_shape
from stratal.cli.skills_view import shown_view
from stratal.cli.terminal import Terminal
from stratal.errors import InputError, StratalError
from stratal.settings import Settings
from stratal.skill_history import history as history_of
from stratal.skill_review import Reviewed, Wish, reviewed
from stratal.skill_review import approve as approve_it
from stratal.skill_review import reject as reject_it
from stratal.skill_source import SkillSource, user_folder, working_directory
from stratal_memory.store import Store
from stratal_memory.truth.procedures import State as Stored
from stratal_procedures import approval, moving
from stratal_procedures.library import State
from stratal_procedures.record import REPLACED

# States that a person's word ends.
JUDGED = (*(state for state in State if state.judged), Stored.DRAFT, Stored.DEMOTED, REPLACED)
REFUSED = 1  # exit code when not everything could be added

From = Annotated[Path, typer.Argument(metavar="PATH", help="A skill, or a folder of skills.")]
Into = Annotated[Path, typer.Argument(metavar="DIR", help="The folder to write it into.")]
Replace = Annotated[bool, typer.Option("--replace", help="Put it in the place of its namesake.")]
Note = Annotated[str, typer.Option("--note", metavar="TEXT", parser=as_text, help="Why.")]
Digest = Annotated[
    str | None,
    typer.Argument(metavar="[SHA256]", parser=as_text, help="The digest that `show` gave."),
]
Of = Annotated[str, typer.Argument(metavar="[NAME]", parser=as_text)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    """The store and the settings of one command."""

    store: Store
    settings: Settings

    def look_up(self, name: str, wish: Wish = Wish.LOOK, *, digest: str = "") -> Reviewed:
        """The skill a person means, as it is now."""
        library = SkillSource(self.settings, here=working_directory()).fresh(self.store)
        return reviewed(self.store, library, name, wish, digest=digest)


@contextmanager
def _opened(common: Common) -> Generator[_Open]:
    settings = settings_of(common)
    with opened_store(common, settings) as store:
        yield _Open(store=store, settings=settings)


def add(ctx: typer.Context, path: From, replace: Replace = False) -> None:
    """Copy a skill, or all skills of a folder, into your own; each is validated first."""
    common = common_of(ctx)
    found = moving.sources(path.expanduser())
    added: list[SkillAdded] = []
    problems: list[str] = []
    with _opened(common) as here:
        for source in found:
            try:
                added.append(_add(here, source, replace=replace))
            except StratalError as error:
                if len(found) == 1:
                    raise
                problems.append(f"{error}. {error.hint}")
    shape = SkillsAdded(added=tuple(added), problems=tuple(problems))
    Terminal(common).show(shape, added_view)
    if problems:
        raise typer.Exit(REFUSED)


def _add(here: _Open, source: Path, *, replace: bool) -> SkillAdded:
    done = moving.add_skill(source, user_folder(here.settings, here.store.user), replace=replace)
    note = f"added from {source.absolute()}"
    approval.approve(here.store, done.bundle, note=note[: approval.MAX_NOTE])
    return SkillAdded(
        name=done.skill.name,
        folder=done.bundle.folder,
        digest=done.bundle.digest,
        files=len(done.bundle.entries),
        replaced=done.replaced,
        warnings=done.skill.warnings,
    )


def approve(ctx: typer.Context, name: Name, digest: Digest = None, note: Note = "") -> None:
    """Let a skill be used: these bytes and no others.

    With the digest that `stratal skills show NAME` gave; without it every file is shown, and you
    are asked.
    """
    common = common_of(ctx)
    with _opened(common) as here:
        shown = here.look_up(name, Wish.APPROVE, digest=digest or "")
        if shown.state not in JUDGED:
            raise InputError(
                f"{shown.name!r} needs no approval: it is {shown.state}",
                hint="`stratal skills list` shows what waits.",
            )
        given = _asked(common, shown, here.store) if digest is None else digest
        approve_it(here.store, shown, given, note=note)
    _decided(common, shown, "approved", note)


def _asked(common: Common, shown: Reviewed, store: Store) -> str:
    """The digest of what was shown, when the person says yes to it."""
    if common.json or not sys.stdin.isatty():
        raise InputError(
            "nobody can be asked here, and nothing is approved unseen",
            hint=f"Read it: stratal skills show {shown.name}. Then give the digest it shows.",
        )
    Terminal(common).print(shown_view(shown_shape(shown, store), whole=True, asking=True))
    confirm("Approve exactly these bytes?")
    return shown.digest


def reject(ctx: typer.Context, name: Name, note: Note = "") -> None:
    """Keep a skill from being used; `approve` takes it back."""
    common = common_of(ctx)
    with _opened(common) as here:
        shown = here.look_up(name, Wish.REJECT)
        reject_it(here.store, shown, note=note)
    _decided(common, shown, "rejected", note)


def _decided(common: Common, shown: Reviewed, verdict: str, note: str) -> None:
    shape = SkillDecided(name=shown.name, verdict=verdict, digest=shown.digest, note=note)
    Terminal(common).show(shape, decided_view)


def history(ctx: typer.Context, name: Of = "") -> None:
    """What was said of skills, by whom and when, newest first; of one, or of all."""
    common = common_of(ctx)
    with _opened(common) as here:
        found = history_of(here.store, name)
        if name and not found:
            here.look_up(name)  # of one that is not there nothing could be said
    shape = SkillHistory(events=tuple(SkillEvent.of(one) for one in found))
    Terminal(common).show(shape, history_view)


def export(ctx: typer.Context, name: Name, into: Into) -> None:
    """Write a copy of a skill's folder into DIR."""
    common = common_of(ctx)
    with _opened(common) as here:
        shown = here.look_up(name)
        folder = _exported(shown, into.expanduser())
    shape = SkillExported(name=shown.name, folder=folder)
    Terminal(common).show(shape, exported_view)


def _exported(shown: Reviewed, into: Path) -> Path:
    if shown.stored is not None:
        return moving.export_text(shown.stored.text, into, name=shown.name)
    if shown.bundle is None:
        raise InputError(f"{shown.name!r} can't be copied: {shown.problem}")
    return moving.export_skill(shown.bundle, into)
