"""`stratal memory show`, `history`, `why`, `diff` and `undo`: memory through time."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType

from stratal.cli.arguments import AsOf, Id, KnownAt, When, moment
from stratal.cli.arguments import text as as_text
from stratal.cli.blocks import block, memory_block
from stratal.cli.opening import opened
from stratal.cli.options import common_of
from stratal.cli.scoring_view import came_of
from stratal.cli.shapes.memories import Differences, DifferenceShape, MemoryList, MemoryShape, Story
from stratal.cli.shapes.settling import Undone
from stratal.cli.terminal import Terminal, brief, cell, lines
from stratal_memory.records import Memory
from stratal_memory.tiers.versions import Differs
from stratal_memory.truth.journal import PLAIN

if TYPE_CHECKING:
    from stratal.agent import Agent

SIGNS = {Differs.ADDED: "+", Differs.CHANGED: "~", Differs.ENDED: "-"}
COLOURS = {Differs.ADDED: "green", Differs.CHANGED: "yellow", Differs.ENDED: "red"}

Which = Annotated[
    str | None,
    typer.Argument(
        metavar="[ID]", parser=as_text, help="One memory; without it, with a time, all."
    ),
]
Taken = Annotated[str, typer.Argument(metavar="EVENT|RUN", parser=as_text)]


def show(
    ctx: typer.Context, id: Which = None, as_of: AsOf = None, known_at: KnownAt = None
) -> None:
    """Every version of one memory, oldest first; with a time, what was so then."""
    common = common_of(ctx)
    with opened(common) as agent:
        found = _shown(agent, id, as_of=as_of, known_at=known_at)
    shape = MemoryList(memories=tuple(MemoryShape.of(one) for one in found))
    Terminal(common).show(shape, versions_view)


def _shown(
    agent: "Agent", id: str | None, *, as_of: str | None, known_at: str | None
) -> list[Memory]:
    if as_of is None and known_at is None:
        if id is None:
            raise typer.BadParameter("name a memory, or a time with --as-of or --known-at")
        return [agent.store.gate.dated(one) for one in agent.facts.show(id)]
    key = agent.facts.show(id)[0].key if id is not None else None
    found = (
        agent.versions.as_of(moment(as_of))
        if as_of is not None
        else agent.versions.held(moment(known_at or ""))
    )
    return [agent.store.gate.dated(one) for one in found if key in (None, one.key)]


def history(ctx: typer.Context, id: Id) -> None:
    """What happened to one memory, by its key or an id, with the events that undo takes."""
    common = common_of(ctx)
    with opened(common) as agent:
        story = story_of(agent, id)
    Terminal(common).show(story, story_view)


def why(ctx: typer.Context, id: Id) -> None:
    """Why a memory is what it is: who said it, and what happened to it since."""
    common = common_of(ctx)
    with opened(common) as agent:
        story = story_of(agent, id)
    Terminal(common).show(story, story_view)


def diff(ctx: typer.Context, first: When, second: When) -> None:
    """What memory held at the second time and not at the first, and the other way round."""
    common = common_of(ctx)
    start, end = moment(first), moment(second)
    with opened(common) as agent:
        found = agent.versions.diff(start, end)
    shape = Differences(
        first=start,
        second=end,
        changes=tuple(DifferenceShape.of(one) for one in found),
    )
    Terminal(common).show(shape, _diff)


def undo(ctx: typer.Context, name: Taken) -> None:
    """Take back what an event belongs to, or a whole run."""
    common = common_of(ctx)
    with opened(common) as agent:
        events = agent.undo(name)
    shape = Undone(run=name, events=tuple(events))
    Terminal(common).show(shape, _undone)


def story_of(agent: "Agent", name: str) -> Story:
    """The versions of a memory and its events; `NotFound` when it is not within reach."""
    return Story.of(agent.versions.history(name))


def versions_view(found: MemoryList) -> RenderableType:
    """The versions, and the words the last one rests on."""
    if not found.memories:
        return cell("nothing was known then", "dim")
    last = found.memories[-1]
    one = len({memory.key for memory in found.memories}) == 1
    foot = (
        cell(f"{last.item} in {last.scope}, {last.support} say so, {last.source}", "dim"),
        cell(f"key {last.key}", "dim"),
        *(cell(f"“{seen.quote}” ({seen.ref})", "dim") for seen in last.evidence if seen.quote),
    )
    return lines(*(memory_block(memory) for memory in found.memories), *(foot if one else ()))


def story_view(story: Story) -> RenderableType:
    """The versions, what came of them in answers, then what happened, oldest first."""
    happened = (
        block(
            f"{event.at:%Y-%m-%d %H:%M} {event.kind}: {event.reason}",
            event.id,
            event.memory,
            f"in {event.run}" if event.run and not event.run.startswith(PLAIN) else "",
            f"undone {event.undone:%Y-%m-%d %H:%M}" if event.undone else "",
        )
        for event in story.events
    )
    known = came_of(story.counts)
    return lines(
        versions_view(MemoryList(memories=story.versions)),
        cell(f"usefulness x{story.usefulness:.2f} ({known})", "dim") if known else None,
        cell(""),
        *happened,
    )


def _diff(found: Differences) -> RenderableType:
    if not found.changes:
        return cell("memory was the same at both times", "dim")
    return lines(*(_change(one) for one in found.changes))


def _change(one: DifferenceShape) -> RenderableType:
    shown = one.after or one.before
    assert shown is not None
    before = one.before.text if one.before and one.after else ""
    status = ""
    if one.before and one.after and one.before.status != one.after.status:
        status = f"{one.before.status}, now {one.after.status}"
    return block(
        brief(shown.text),
        shown.id,
        f"was: {brief(before)}" if before and before != shown.text else "",
        status,
        style=COLOURS[one.kind],
        sign=SIGNS[one.kind],
    )


def _undone(done: Undone) -> RenderableType:
    count = len(done.events)
    return lines(
        cell(f"{done.run} was taken back: {count} change{'' if count == 1 else 's'}", "green"),
        *(cell(f"  {event.kind}: {event.reason}", "dim") for event in done.events),
    )
