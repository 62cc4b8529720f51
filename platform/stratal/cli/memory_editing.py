"""`stratal memory edit`, `pin`, `unpin`, `forget` and `promote`: what a person does by hand."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType

from stratal.cli.arguments import Id, Words
from stratal.cli.arguments import text as as_text
from stratal.cli.blocks import memory_block
from stratal.cli.opening import opened
from stratal.cli.options import Common, common_of
from stratal.cli.shapes.memories import Acted, MemoryShape
from stratal.cli.terminal import Terminal, cell, lines
from stratal_memory.records import ScopeKind

if TYPE_CHECKING:
    from stratal_memory.tiers.editing import Done


class Shared(StrEnum):
    """Whose a promoted memory becomes."""

    PROJECT = "project"
    ORG = "org"


Reason = Annotated[str, typer.Option(metavar="TEXT", parser=as_text, help="Why; it is kept.")]
To = Annotated[
    Shared, typer.Option("--to", help="Whose it becomes; name it with --project or --org.")
]


def edit(ctx: typer.Context, id: Id, text: Words) -> None:
    """Say a fact better: a new version, and the old one was never true."""
    common = common_of(ctx)
    with opened(common) as agent:
        done = agent.editing.edit(id, text)
    show_done(common, [done])


def pin(ctx: typer.Context, id: Id) -> None:
    """Keep a fact: it never decays or expires, and is recalled whatever is asked."""
    common = common_of(ctx)
    with opened(common) as agent:
        done = agent.editing.pin(id)
    show_done(common, [done])


def unpin(ctx: typer.Context, id: Id) -> None:
    """Let a pinned fact age again, and be recalled only when it fits."""
    common = common_of(ctx)
    with opened(common) as agent:
        done = agent.editing.pin(id, pinned=False)
    show_done(common, [done])


def forget(ctx: typer.Context, id: Id, reason: Reason = "") -> None:
    """Never recall it again, nor the sentence it comes from; undo brings it back.

    The conversation keeps its words: `stratal memory erase` removes them for good.
    """
    common = common_of(ctx)
    with opened(common) as agent:
        found = agent.editing.forget(id, reason=reason)
    show_done(common, found)


def promote(ctx: typer.Context, id: Id, to: To) -> None:
    """Share a fact with a project or org you may use; yours stays yours."""
    common = common_of(ctx)
    with opened(common) as agent:
        done = agent.editing.promote(id, ScopeKind(to))
    show_done(common, [done])


def show_done(common: Common, found: "Sequence[Done]") -> None:
    """What became of the memories, and how to take it back."""
    Terminal(common).show(acted(found), acted_view)


def acted(found: "Sequence[Done]") -> Acted:
    """One act as its shape."""
    return Acted(
        memories=tuple(MemoryShape.of(one.memory) for one in found),
        reason=found[0].reason,
        event=found[0].event,
    )


def acted_view(done: Acted) -> RenderableType:
    """The memories as they stand now."""
    undo = cell(f"stratal memory undo {done.event}", "dim") if done.event else None
    return lines(cell(done.reason, "green"), *(memory_block(one) for one in done.memories), undo)
