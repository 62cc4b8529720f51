"""`stratal memory review`: what waits for a person's word, and the word."""

from enum import StrEnum
from typing import Annotated

import typer
from rich.console import RenderableType

from stratal.agent import Agent
from stratal.cli.arguments import text as as_text
from stratal.cli.blocks import block, memory_block
from stratal.cli.memory_editing import show_done
from stratal.cli.opening import opened
from stratal.cli.options import common_of
from stratal.cli.shapes.memories import Decided, WaitingList
from stratal.cli.terminal import Terminal, brief, cell, lines
from stratal.errors import InputError
from stratal_memory.consolidation import holding
from stratal_memory.consolidation.report import Held


class Word(StrEnum):
    """What a person says to a memory that waits."""

    ACCEPT = "accept"
    REJECT = "reject"


Said = Annotated[Word | None, typer.Argument(metavar="[accept|reject]")]
Which = Annotated[str | None, typer.Argument(metavar="[ID]", parser=as_text)]
HINT = "stratal memory review accept ID, or reject ID"


def command(ctx: typer.Context, word: Said = None, id: Which = None) -> None:
    """What is contested, quarantined, provisional, held back or not learned yet; or your word."""
    common = common_of(ctx)
    if word is not None and id is None:
        raise InputError(f"{word} what?", hint=HINT)
    with opened(common) as agent:
        if word is None or id is None:
            found = agent.reviewing.waiting(), holding.waiting(agent.store)
            Terminal(common).show(WaitingList.with_held(*found), _waiting)
            return
        if id.startswith(holding.PREFIX):
            Terminal(common).show(_decided(agent, word, id), _decided_view)
            return
        done = agent.reviewing.accept(id) if word is Word.ACCEPT else agent.reviewing.reject(id)
    show_done(common, [done])


def _decided(agent: Agent, word: Word, id: str) -> Decided:
    if word is Word.REJECT:
        return Decided(word="rejected", changes=(holding.reject(agent.store, id),))
    made = tuple(holding.accept(agent.store, id))
    return Decided(word="accepted" if made else "gone", changes=made)


def _decided_view(done: Decided) -> RenderableType:
    if done.word == "gone":
        return cell("what it rested on has changed since: nothing was done", "yellow")
    told = (f"{change.action}: {change.before} -> {change.after}" for change in done.changes)
    return lines(cell(done.word, "green"), *(cell(one) for one in told))


def _held(one: Held) -> RenderableType:
    told = f"{one.change.before} -> {one.change.after or 'nothing'}"
    return block(told, one.id, f"held: {one.change.action}, {one.risk}")


def _waiting(found: WaitingList) -> RenderableType:
    doubtful = (*found.contested, *found.quarantined, *found.provisional)
    if not doubtful and not found.pending and not found.held:
        return cell("nothing waits for you", "dim")
    pending = (
        block(brief(one.text), one.message, f"pending: {one.failure or 'a model has to read it'}")
        for one in found.pending
    )
    hint = cell(HINT, "dim") if doubtful or found.held else None
    held = (_held(one) for one in found.held)
    return lines(*(memory_block(memory) for memory in doubtful), *held, *pending, hint)
