"""Text that we put into the conversation ourselves, so that it is never learned as new."""

import re
from bisect import bisect
from collections.abc import Sequence

# MEMORY 1.1: from this overlap of word shingles on, a sentence restates what was injected.
RESTATES = 0.9
SHINGLE = 3  # words
# A shorter text is said again by chance ("I like tea"); `restates` judges that case.
VERBATIM = 40  # characters
# People paste it indented or as a quotation, and editors change its capitals.
_MARGIN = r"^[ \t>|]{0,40}"
_HEAD = re.compile(
    _MARGIN + r"\[recalled ([a-z0-9-]{1,80}) [^\n]*\][ \t]{0,40}$", re.MULTILINE | re.IGNORECASE
)
_TAIL = re.compile(
    _MARGIN + r"\[end of recalled ([a-z0-9-]{1,80})\][ \t]{0,40}$", re.MULTILINE | re.IGNORECASE
)
_WORD = re.compile(r"\w+")


def strip_injected(text: str, injected: Sequence[str] = ()) -> str:
    r"""`text` with every recall fence and every longer verbatim copy of `injected` blanked out.

    The length stays, and so do line breaks: offsets into the result are offsets into `text`.
    A fence without its end runs to the end of the text: better to learn too little.

    >>> strip_injected("[recalled x1 memories]\nTea\n[end of recalled x1]\nHi").split()
    ['Hi']
    """
    text = _without_fences(text.replace("\r", "\n"))
    # The longest first: a short text may be part of a long one.
    long = {known for known in injected if len(known.strip()) >= VERBATIM}
    for known in sorted(long, key=lambda known: (-len(known), known)):
        text = text.replace(known, _blank(known))
    return text


def _without_fences(text: str) -> str:
    kept: list[str] = []
    position = 0
    ends = _ends(text)
    while (head := _HEAD.search(text, position)) is not None:
        tails = ends.get(head[1].casefold(), [])
        after = bisect(tails, head.end())
        end = tails[after] if after < len(tails) else len(text)
        kept += (text[position : head.start()], _blank(text[head.start() : end]))
        position = end
    return "".join((*kept, text[position:]))


def _ends(text: str) -> dict[str, list[int]]:
    """Where each nonce's tail lines end, in order; one pass, however many fences there are."""
    ends: dict[str, list[int]] = {}
    for tail in _TAIL.finditer(text):
        ends.setdefault(tail[1].casefold(), []).append(tail.end())
    return ends


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def restates(sentence: str, known: Sequence[str]) -> int | None:
    """The index of the known text that `sentence` repeats, or None; a tie goes to the first.

    At least 0.9 of the sentence's three-word runs must stand in the known text; a sentence of
    fewer than three words must equal it.

    >>> restates("I live in Lisbon now", ["She has a dog", "I live in Lisbon now, by the sea"])
    1
    """
    runs = shingles(sentence)
    if not runs:
        return None
    best, best_share = None, 0.0
    for index, text in enumerate(known):
        share = len(runs & shingles(text)) / len(runs)
        if share == 1:
            return index
        if share >= RESTATES and share > best_share:
            best, best_share = index, share
    return best


def shingles(text: str) -> set[tuple[str, ...]]:
    """The runs of three words in `text`; of a shorter one all its words."""
    words = _WORD.findall(text.casefold())
    if len(words) < SHINGLE:
        return {tuple(words)} if words else set()
    return {tuple(words[i : i + SHINGLE]) for i in range(len(words) - SHINGLE + 1)}
