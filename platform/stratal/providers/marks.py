"""The system text and the cache marks of a request, as far as a provider takes them (C12, C13)."""

from collections.abc import Sequence
from dataclasses import dataclass

from stratal.context.caching import MOST_MARKS
from stratal.context.request import SYSTEM_SEPARATOR, Request, SystemBlock
from stratal_memory.records import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """Where breakpoints go: after the tools, after system blocks, after messages."""

    tools: bool
    system: frozenset[int]
    messages: frozenset[int]


def system_blocks(request: Request) -> tuple[SystemBlock, ...]:
    """All system text without blank parts, stray system messages last; one block when joined (O9).

    The joined block is cached when one of its parts was.
    """
    stray = (SystemBlock(text=m.text) for m in request.messages if m.role == Role.SYSTEM)
    blocks = tuple(block for block in (*request.system, *stray) if block.text.strip())
    if not request.system_joined or not blocks:
        return blocks
    text = SYSTEM_SEPARATOR.join(block.text for block in blocks)
    return (SystemBlock(text=text, cached=any(block.cached for block in blocks)),)


def kept_marks(request: Request, system: Sequence[SystemBlock], *, sent: set[int]) -> Marks:
    """At most four marks of those the request has, on what is really sent.

    `sent` holds the indexes of the messages that are not blank. The last system mark stays, then
    the newest message marks, then earlier system marks, then the one after the tools.
    """
    wanted = sorted(sent.intersection(request.cached_messages))
    in_system = [index for index, block in enumerate(system) if block.cached]
    room = max(min(len(in_system), 1), MOST_MARKS - len(wanted))
    in_system = in_system[-room:] if room else []
    wanted = wanted[-(MOST_MARKS - len(in_system)) :]
    free = MOST_MARKS - len(in_system) - len(wanted)
    return Marks(
        tools=request.cached_tools and bool(request.tools) and free > 0,
        system=frozenset(in_system),
        messages=frozenset(wanted),
    )
