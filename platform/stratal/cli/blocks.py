"""Results as short blocks of lines: read in any width, with ids that can be copied whole."""

from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

from stratal.cli.shapes.memories import Hit, MemoryShape
from stratal.cli.terminal import brief, cell, lines
from stratal_memory.records import Status

STYLES = {
    Status.ACTIVE: "",
    Status.CONTESTED: "yellow",
    Status.PROVISIONAL: "yellow",
    Status.QUARANTINED: "red",
}
WIDE = 110  # columns a table of memories needs


@dataclass(frozen=True, slots=True)
class Fitting:
    """`wide` where there is room for it, else `narrow`."""

    wide: RenderableType
    narrow: RenderableType
    columns: int = WIDE

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """What rich draws."""
        yield self.wide if options.max_width >= self.columns else self.narrow


def block(text: str, *notes: object, style: str = "", sign: str = "") -> RenderableType:
    """A line and, set in under it, its notes; the first of them is the id."""
    told = [str(note) for note in notes if note]
    return lines(
        cell(f"{sign} {text}".strip(), style),
        *(cell(f"  {line}", "dim") for line in _packed(told)),
    )


def _packed(notes: Iterable[str], *, columns: int = 56) -> list[str]:
    """The notes joined by commas, as few lines as fit the narrowest terminal we think of."""
    packed: list[str] = []
    for note in notes:
        joined = f"{packed[-1]}, {note}" if packed else note
        if packed and len(joined) <= columns:
            packed[-1] = joined
        else:
            packed.append(note)
    return packed


def marks(memory: MemoryShape | Hit) -> str:
    """That a memory is contested, over, or pinned; empty for one that plainly stands."""
    standing = "" if memory.status is Status.ACTIVE else str(memory.status)
    return ", ".join(mark for mark in (standing, "pinned" if memory.pinned else "") if mark)


def style_of(memory: MemoryShape | Hit) -> str:
    """The colour of its standing."""
    return STYLES.get(memory.status, "dim")


def memory_block(memory: MemoryShape, *, sign: str = "") -> RenderableType:
    """One version: its text, then its id, time, standing, trust and confidence."""
    return block(
        brief(memory.text),
        memory.id,
        lasted(memory),
        marks(memory),
        f"{memory.trust}, {memory.confidence:.2f} sure",
        style=style_of(memory),
        sign=sign,
    )


def lasted(memory: MemoryShape | Hit) -> str:
    """When it was true."""
    start = f"{memory.valid_from:%Y-%m-%d}"
    if memory.valid_to is None:
        return f"since {start}"
    if memory.valid_to <= memory.valid_from:
        return f"never true, said for {start}"
    return f"{start} to {memory.valid_to:%Y-%m-%d}"
