"""`stratal memory review`: what waits for a person's word, and the word."""

from enum import StrEnum
from typing import Annotated

import typer
from rich.console import RenderableType

from stratal.cli.arguments import text as as_text
from stratal.cli.blocks import block, memory_block
from stratal.cli.memory_editing import show_done
from stratal.cli.opening import opened
from stratal.cli.options import common_of
from stratal.cli.shapes.memories import WaitingList
from stratal.cli.terminal import Terminal, brief, cell, lines
from stratal.errors import InputError


class Word(StrEnum):
    """What a person says to a memory that waits."""

    ACCEPT = "accept"
    REJECT = "reject"


Said = Annotated[Word | None, typer.Argument(metavar="[accept|reject]")]
Which = Annotated[str | None, typer.Argument(metavar="[ID]", parser=as_text)]
HINT = "stratal memory review accept ID, or reject ID"


def command(ctx: typer.Context, word: Said = None, id: Which = None) -> None:
    """What is contested, quarantined, provisional or not learned yet; or your word on one."""
    common = common_of(ctx)
    if word is not None and id is None:
        raise InputError(f"{word} what?", hint=HINT)
    with opened(common) as agent:
        if word is None or id is None:
            waiting = agent.reviewing.waiting()
            shape = WaitingList.of(waiting)
            Terminal(common).show(shape, _waiting)
            return
        done = agent.reviewing.accept(id) if word is Word.ACCEPT else agent.reviewing.reject(id)
    show_done(common, [done])


def _waiting(found: WaitingList) -> RenderableType:
    doubtful = (*found.contested, *found.quarantined, *found.provisional)
    if not doubtful and not found.pending:
        return cell("nothing waits for you", "dim")
    pending = (
        block(brief(one.text), one.message, f"pending: {one.failure or 'a model has to read it'}")
        for one in found.pending
    )
    hint = cell(HINT, "dim") if doubtful else None
    return lines(*(memory_block(memory) for memory in doubtful), *pending, hint)
