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
BEGINS = {Band.PEAK: 0, Band.GOOD: 50, Band.DEGRADING: 70, Band.POOR: 85}  # % of the window
WIDTH = 60  # characters of a bar
MARKS = "█▓▒░"  # neighbours differ where there is no colour
FREE, RESERVED, COMPRESS, SCALE = "·", "-", "│", "─"


def band(*, used: int, window: int) -> Band:
    """The band of `used` of `window` tokens; compared in integers, so that edges are exact.

    50 % and 70 % belong to the upper band, exactly 85 % is still DEGRADING.

    >>> [band(used=used, window=100).value for used in (49, 50, 70, 85, 86)]
    ['PEAK', 'GOOD', 'DEGRADING', 'DEGRADING', 'POOR']
    """
    if used * 100 > window * BEGINS[Band.POOR]:
        return Band.POOR
    return next(
        one for one in (Band.DEGRADING, Band.GOOD, Band.PEAK) if used * 100 >= window * BEGINS[one]
    )


@dataclass(frozen=True, slots=True)
class Segment:
    """One section's piece of the bar.

    `name` is `free` and `reserve` for the last two, `compress` for the mark among them.
    """

    name: str
    text: str


def marks(sections: Sequence[tuple[str, int]]) -> list[tuple[str, str]]:
    """The character each section is drawn with, in order; one without tokens has none."""
    drawn = (name for name, tokens in sections if tokens)
    return list(zip(drawn, cycle(MARKS), strict=False))


def bar(
    sections: Sequence[tuple[str, int]],
    *,
    reserve: int,
    window: int,
    width: int = WIDTH,
    compress_at: int = 0,
) -> tuple[Segment, ...]:
    """The window as `width` characters: a piece a section, what is free, the answer's reserve.

    A section ends where its share of the window ends, so rounding never adds up; one that is too
    small for a character has an empty piece. One character marks `compress_at`, if it is not 0.

    >>> pieces = bar([("a", 25), ("b", 25)], reserve=25, window=100, width=8, compress_at=75)
    >>> "".join(piece.text for piece in pieces)
    '██▓▓··│-'
    """
    of = dict(marks(sections))
    pieces: list[Segment] = []
    spent, drawn = 0, 0
    for name, tokens in sections:
        spent += tokens
        end = max(drawn, min(width, spent * width // max(window, 1)))
        pieces.append(Segment(name, of.get(name, "") * (end - drawn)))
        drawn = end
    kept = min(width - drawn, reserve * width // max(window, 1))
    pieces.append(Segment("free", FREE * (width - drawn - kept)))
    pieces.append(Segment("reserve", RESERVED * kept))
    if not compress_at or not width:
        return tuple(pieces)
    return tuple(_marked(pieces, at=min(width - 1, compress_at * width // max(window, 1))))


def _marked(pieces: Sequence[Segment], *, at: int) -> list[Segment]:
    """The same pieces, with the mark for character `at`."""
    made: list[Segment] = []
    for piece in pieces:
        size = len(piece.text)
        if 0 <= at < size:
            made.append(Segment(piece.name, piece.text[:at]))
            made.append(Segment("compress", COMPRESS))
            made.append(Segment(piece.name, piece.text[at + 1 :]))
        else:
            made.append(piece)
        at -= size
    return made


def scale(width: int = WIDTH) -> tuple[tuple[Band, str], ...]:
    """The four bands under a bar of `width` characters, each as wide as its share, and named.

    >>> "".join(text for _, text in scale(40))
    'PEAK────────────────GOOD────DEGRADPOOR──'
    """
    begins = [share * width // 100 for share in BEGINS.values()]
    ends = [*begins[1:], width]
    return tuple(
        (one, one.value[: end - begin].ljust(end - begin, SCALE))
        for one, begin, end in zip(BEGINS, begins, ends, strict=True)
    )
