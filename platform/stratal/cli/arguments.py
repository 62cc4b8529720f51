"""What words on the command line become before a command sees them."""

from datetime import UTC, datetime, time
from enum import StrEnum
from typing import Annotated

import typer

from stratal.errors import InputError
from stratal_memory.records import Form, Kind, Scope, ScopeKind
from stratal_memory.text import storable


class Shown(StrEnum):
    """What `--kind` takes: the four tiers, and every name that a list shows in its kind column."""

    SEMANTIC = Kind.SEMANTIC.value
    EPISODIC = Kind.EPISODIC.value
    PROCEDURAL = Kind.PROCEDURAL.value
    PROFILE = Kind.PROFILE.value
    FACT = Form.FACT.value
    OBSERVED = Form.OBSERVATION.value
    EPISODE = Form.EPISODE.value
    MESSAGE = Form.MESSAGE.value
    CHUNK = Form.CHUNK.value
    SKILL = Form.SKILL.value
    SLOT = Form.SLOT.value


_OF_TIER: dict[str, tuple[Form, ...]] = {
    Shown.SEMANTIC: (Form.FACT, Form.OBSERVATION, Form.CHUNK),
    Shown.EPISODIC: (Form.EPISODE, Form.MESSAGE),
    Shown.PROCEDURAL: (Form.SKILL,),
    Shown.PROFILE: (Form.SLOT,),
}
# What a list shows when no kind is named: passages and raw messages would bury the rest.
LISTED = (Form.FACT, Form.OBSERVATION, Form.EPISODE, Form.SLOT)


def forms_of(kind: Shown) -> tuple[Form, ...]:
    """What a tier holds, or the one form that is named.

    >>> forms_of(Shown.EPISODE)
    (<Form.EPISODE: 'episode'>,)
    """
    return _OF_TIER.get(kind) or (Form(kind.value),)


def text(value: str) -> str:
    """`value` as Unicode that can be stored and printed, whatever bytes it was."""
    return storable(value)


Words = Annotated[str, typer.Argument(metavar="TEXT", parser=text)]
Id = Annotated[str, typer.Argument(metavar="ID", parser=text)]
Name = Annotated[str, typer.Argument(metavar="NAME", parser=text)]
Into = Annotated[ScopeKind, typer.Option("--scope", help="Whose it becomes.")]
OfKind = Annotated[Shown | None, typer.Option("--kind", help="Only this tier or form.")]
Limit = Annotated[int, typer.Option(min=1, max=10_000, help="At most so many.")]
When = Annotated[str, typer.Argument(metavar="TIME", parser=text)]
AsOf = Annotated[
    str | None,
    typer.Option(metavar="TIME", parser=text, help="What was true then, as is known today."),
]
KnownAt = Annotated[
    str | None,
    typer.Option(metavar="TIME", parser=text, help="What memory held then, as it stood."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would happen; change nothing.")]


def moment(value: str) -> datetime:
    """The time `value` names, UTC where it names no zone; a day alone means its last moment.

    Raises `InputError` when it is no time.

    >>> moment("2026-05-01").isoformat()
    '2026-05-01T23:59:59.999999+00:00'
    """
    try:
        read = datetime.fromisoformat(value.strip())
    except ValueError as error:
        raise InputError(
            f"{value[:40]!r} is no time", hint="Write 2026-05-01 or 2026-05-01T14:30."
        ) from error
    if len(value.strip()) <= len("2026-05-01"):
        read = datetime.combine(read, time.max)
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def scope_named(value: str) -> Scope:
    """The scope that `kind:name` names; `InputError` when it is not written so.

    >>> str(scope_named("project:bakery"))
    'project:bakery'
    """
    kind, colon, id = value.partition(":")
    if not colon or kind not in tuple(ScopeKind) or not id:
        raise InputError(f"{value[:80]!r} is no scope", hint="Write project:NAME or org:NAME.")
    return Scope(ScopeKind(kind), id)
