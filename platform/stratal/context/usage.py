"""How full the window is: Octo's four bands and a bar of the sections."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import cycle


class Band(StrEnum):
    """How well a model works with a window this full (C21)."""

    PEAK = "PEAK"
    GOOD = "GOOD"
    DEGRADING = "DEGRADING"
    POOR = "POOR"


COLOURS = {
    Band.PEAK: "green",
    Band.GOOD: "yellow",
    Band.DEGRADING: "orange",
    Band.POOR: "red",
}
WIDTH = 60  # characters of a bar
MARKS = "█▓▒░"  # neighbours differ where there is no colour
FREE, RESERVED = "·", "-"


def band(*, used: int, window: int) -> Band:
    """The band of `used` of `window` tokens; compared in integers, so that edges are exact.

    50 % and 70 % belong to the upper band, exactly 85 % is still DEGRADING.

    >>> [band(used=used, window=100).value for used in (49, 50, 70, 85, 86)]
    ['PEAK', 'GOOD', 'DEGRADING', 'DEGRADING', 'POOR']
    """
    if used * 100 < window * 50:
        return Band.PEAK
    if used * 100 < window * 70:
        return Band.GOOD
    return Band.DEGRADING if used * 100 <= window * 85 else Band.POOR


@dataclass(frozen=True, slots=True)
class Segment:
    """One section's piece of the bar; `name` is `free` and `reserve` for the last two."""

    name: str
    text: str


def bar(
    sections: Sequence[tuple[str, int]], *, reserve: int, window: int, width: int = WIDTH
) -> tuple[Segment, ...]:
    """The window as `width` characters: a piece a section, what is free, the answer's reserve.

    A section ends where its share of the window ends, so rounding never adds up; one that is too
    small for a character has an empty piece.

    >>> pieces = bar([("a", 25), ("b", 25)], reserve=25, window=100, width=8)
    >>> "".join(piece.text for piece in pieces)
    '██▓▓··--'
    """
    pieces: list[Segment] = []
    spent, drawn = 0, 0
    for (name, tokens), mark in zip(sections, cycle(MARKS), strict=False):
        spent += tokens
        end = min(width, spent * width // window)
        pieces.append(Segment(name, mark * (end - drawn)))
        drawn = end
    kept = min(width - drawn, reserve * width // window)
    pieces.append(Segment("free", FREE * (width - drawn - kept)))
    pieces.append(Segment("reserve", RESERVED * kept))
    return tuple(pieces)
