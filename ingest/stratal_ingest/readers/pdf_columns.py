"""Two columns of a PDF page that the file holds line by line across both.

Most programs write one column after the other, and pdfium keeps their order. Where lines of the
left and of the right column take turns, the order is mended here; tables, whose cells take turns
too, have shorter ones and are left as they are.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pypdfium2

Box = tuple[float, float, float, float]  # left, bottom, right, top; in points, upwards

_FEWEST, _MOST = 16, 4_000  # runs of text on a page that may have columns
_LINES = 8  # in each column
_WIDE = 0.3  # share of the page's text a line of a column takes at least, on average
_STEPS = 40  # places in the middle third where the gap between the columns is looked for
_ACROSS = 0.1  # share of runs that may cross the gap: titles over both columns
_PAD = 1.0  # points around a run


def in_columns(page: "pypdfium2.PdfTextPage") -> str:
    """The text, the left column before the right one; empty where there is nothing to mend."""
    count = page.count_rects()
    if not _FEWEST <= count <= _MOST:
        return ""
    boxes: list[Box] = [page.get_rect(number) for number in range(count)]
    gap = _gap(boxes) if sum(map(_beside, boxes, boxes[1:])) >= _LINES else None
    if gap is None or not _take_turns(boxes, gap):
        return ""
    return "\n".join(_text(page, box) for box in _ordered(boxes, gap))


def _beside(box: Box, after: Box) -> bool:
    """Whether the run after `box` stands on its line, to the right of it."""
    return after[0] >= box[2] and after[1] < box[3] and after[3] > box[1]


def _gap(boxes: Sequence[Box]) -> float | None:
    """Where the fewest runs cross a vertical line in the middle third; None if too many do."""
    start, end = min(box[0] for box in boxes), max(box[2] for box in boxes)
    third = (end - start) / 3
    places = [start + third + third * step / _STEPS for step in range(_STEPS + 1)]

    def crossing(place: float) -> int:
        return sum(left < place < right for left, _, right, _ in boxes)

    best = min(places, key=crossing)
    return best if crossing(best) <= _ACROSS * len(boxes) else None


def _take_turns(boxes: Sequence[Box], gap: float) -> bool:
    """Whether there are two columns of long lines, and the file changes between them all along."""
    sides = [box[0] >= gap for box in boxes if not box[0] < gap < box[2]]
    lefts, rights = sides.count(False), sides.count(True)
    if min(lefts, rights) < _LINES:
        return False
    whole = max(box[2] for box in boxes) - min(box[0] for box in boxes)
    width = sum(box[2] - box[0] for box in boxes) / len(boxes)
    turns = sum(before != after for before, after in pairwise(sides))
    return width >= _WIDE * whole and turns > min(lefts, rights)


def _ordered(boxes: Sequence[Box], gap: float) -> list[Box]:
    """From the top: between two titles over both columns, the left one and then the right one."""
    titles = sorted((box for box in boxes if box[0] < gap < box[2]), key=_down)
    rest = [box for box in boxes if not box[0] < gap < box[2]]
    ordered: list[Box] = []
    for title in [*titles, None]:
        above = [box for box in rest if title is None or box[1] >= title[1]]
        rest = [box for box in rest if box not in above]
        ordered += sorted(above, key=lambda box: (box[0] >= gap, *_down(box)))
        ordered += [title] if title else []
    return ordered


def _down(box: Box) -> tuple[float, float]:
    return (-box[3], box[0])


def _text(page: "pypdfium2.PdfTextPage", box: Box) -> str:
    left, bottom, right, top = box
    found = page.get_text_bounded(left - _PAD, bottom - _PAD, right + _PAD, top + _PAD)
    return " ".join(str(found).split())
