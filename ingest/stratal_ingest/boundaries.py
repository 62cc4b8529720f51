"""Where a text may be cut: after sentences and rows first, inside a word last."""

import re
import unicodedata
from collections.abc import Callable, Iterator

from stratal_ingest.document import BlockKind

Span = tuple[int, int]  # begin and end, in characters of the canonical text
Fits = Callable[[int, int], bool]  # whether a span is small enough

_ITEM = r"\n(?=[ \t]{0,16}(?:[-*+•]|\d{1,3}[.)])[ \t])"
_SENTENCE = re.compile(
    r"[.!?…]{1,8}[\"'”’»)\]*_]{0,4}\s{1,16}(?=[^a-zß-ÿ\s])|[。！？]{1,8}[」』”）]{0,4}|" + _ITEM
)
_LINE = re.compile(r"\n")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_CELL = re.compile(r" \| |\t")
_CLAUSE = re.compile(r"[;:,—、，；]\s{0,16}")
_BLANK = re.compile(r"\s{1,16}")

# Finer and finer; the first is where a block of that kind is taken apart at all.
_LEVELS = {
    BlockKind.HEADING: (_SENTENCE, _CLAUSE, _BLANK),
    BlockKind.PROSE: (_SENTENCE, _LINE, _CLAUSE, _BLANK),
    BlockKind.TABLE: (_LINE, _CELL, _SENTENCE, _CLAUSE, _BLANK),
    BlockKind.CODE: (_BLANK_LINE, _LINE, _BLANK),
}

# No sentence ends after these, although a full stop and a capital follow.
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|Inc|Ltd|Co|vs|cf|Fig|Figs|No|Nos|Art|Sec|Vol|pp|"
    r"approx|e\.g|i\.e|etc|al|z\.B|bzw|Nr|Abs)|(?:^|[\s.(])[A-Z])$"
)
_LONGEST_ABBREVIATION = 8  # characters looked back from the full stop
_WINDOW = 1_000  # characters around the middle searched for a place to cut
_JOINED = frozenset("\u200c\u200d\ufe0e\ufe0f")  # belong to the character before them


def parts(text: str, span: Span, kind: BlockKind, *, fits: Fits) -> Iterator[Span]:
    """`span` in spans that fit, in order and without a gap: sentences, rows or definitions.

    Code that fits stays whole. A part too large is halved at the best place near its middle.
    """
    if kind == BlockKind.CODE and fits(*span):
        yield span
        return
    coarse, *finer = _LEVELS[kind]
    start = span[0]
    for end in [*_cuts(coarse, text, span), span[1]]:
        yield from _halved(text, (start, end), finer, fits)
        start = end


def _cuts(pattern: re.Pattern[str], text: str, span: Span) -> Iterator[int]:
    """Where `pattern` ends strictly inside `span`."""
    for match in pattern.finditer(text, *span):
        if span[0] < match.end() < span[1] and not _abbreviated(text, match):
            yield match.end()


def _abbreviated(text: str, match: re.Match[str]) -> bool:
    if match[0].rstrip() != ".":
        return False
    before = text[max(0, match.start() - _LONGEST_ABBREVIATION) : match.start()]
    return bool(_ABBREVIATION.search(before))


def _halved(text: str, span: Span, levels: list[re.Pattern[str]], fits: Fits) -> Iterator[Span]:
    """`span` itself, or its halves' halves; the depth is the logarithm of its length."""
    if span[1] - span[0] < 2 or fits(*span):
        yield span
        return
    at = _best_cut(text, span, levels)
    yield from _halved(text, (span[0], at), levels, fits)
    yield from _halved(text, (at, span[1]), levels, fits)


def _best_cut(text: str, span: Span, levels: list[re.Pattern[str]]) -> int:
    """The cut nearest to the middle, of the coarsest level that has one in the middle half."""
    start, end = span
    middle, reach = (start + end) // 2, min(_WINDOW, (end - start) // 4)
    for pattern in levels:
        found = list(_cuts(pattern, text, (middle - reach, middle + reach)))
        if found:
            return min(found, key=lambda at: (abs(at - middle), at))
    return _between_characters(text, middle, end)


def _between_characters(text: str, at: int, end: int) -> int:
    """`at`, or the next place that parts no accent from its letter; `at` where there is none."""
    for place in range(at, min(at + 16, end)):
        joined = text[place] in _JOINED or text[place - 1] == "\u200d"
        if not joined and not unicodedata.combining(text[place]):
            return place
    return at
