"""The text of a document from its passages, which overlap and leave out the blanks between them."""

from collections.abc import Sequence

from stratal_memory.records import Memory
from stratal_memory.truth.documents import Place

_SLACK = 200  # characters a redaction may have shifted an overlap by, in older documents
_BLANKS = 200  # a wider gap is a passage that is gone, not the blanks between two


def rejoined(placed: Sequence[tuple[Place, Memory]]) -> str:
    """All that the passages say, each stretch once, in their order.

    A passage stands at its place, as far as none is missing before it.
    """
    text, end = "", 0
    for place, memory in placed:
        if not text and place.start == 0:
            text = memory.text
        elif place.start < end:
            text += _beyond(text, memory.text, shared=end - place.start)
        else:
            text += _between(text, gap=place.start - end) + memory.text
        end = max(end, place.end)
    return text


def _between(before: str, *, gap: int) -> str:
    """The blanks that were left out, as many as there were: paragraphs, a line, a word apart."""
    if gap >= len("\n\n"):
        return "\n" * gap if gap <= _BLANKS else "\n\n"
    line = before[before.rfind("\n") + 1 :]
    return "" if gap == 0 else "\n" if "|" in line or line.startswith(" ") else " "


def _beyond(before: str, text: str, *, shared: int) -> str:
    """What of `text` is new after `before`, whose end it begins with."""
    for length in (shared, *range(min(len(text), shared + _SLACK), 0, -1)):
        if text[:length] and before.endswith(text[:length]):
            return text[length:]
    return f"\n{text}"
