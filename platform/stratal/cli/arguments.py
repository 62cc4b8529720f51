"""What words on the command line become before a command sees them."""

from typing import Annotated

import typer

from stratal.errors import InputError
from stratal_memory.records import Form, Kind, Scope, ScopeKind
from stratal_memory.text import storable

FORMS: dict[Kind, tuple[Form, ...]] = {
    Kind.SEMANTIC: (Form.FACT, Form.CHUNK),
    Kind.EPISODIC: (Form.EPISODE, Form.MESSAGE),
    Kind.PROCEDURAL: (Form.SKILL,),
    Kind.PROFILE: (Form.SLOT,),
}
# What a list shows when no kind is named: passages and raw messages would bury the rest.
LISTED = (Form.FACT, Form.EPISODE, Form.SLOT)


def text(value: str) -> str:
    """`value` as Unicode that can be stored and printed, whatever bytes it was."""
    return storable(value)


Words = Annotated[str, typer.Argument(metavar="TEXT", parser=text)]
Id = Annotated[str, typer.Argument(metavar="ID", parser=text)]
Name = Annotated[str, typer.Argument(metavar="NAME", parser=text)]
Paths = Annotated[
    list[str], typer.Argument(metavar="PATH...", help="Files, folders, patterns, or - for stdin.")
]
Into = Annotated[ScopeKind, typer.Option("--scope", help="Whose it becomes.")]
OfKind = Annotated[Kind | None, typer.Option("--kind", help="Only this tier.")]
Limit = Annotated[int, typer.Option(min=1, max=10_000, help="At most so many.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would happen; change nothing.")]


def scope_named(value: str) -> Scope:
    """The scope that `kind:name` names; `InputError` when it is not written so.

    >>> str(scope_named("project:bakery"))
    'project:bakery'
    """
    kind, colon, id = value.partition(":")
    if not colon or kind not in tuple(ScopeKind) or not id:
        raise InputError(f"{value[:80]!r} is no scope", hint="Write project:NAME or org:NAME.")
    return Scope(ScopeKind(kind), id)
