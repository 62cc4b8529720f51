"""Whether what a model says of a message stands in it: plain thresholds over its words."""

import re
from collections.abc import Iterator

from stratal_memory.learning.folding import Folded
from stratal_memory.learning.wordlist import words
from stratal_memory.text import STOP_WORDS

SHORTEST = 4  # letters and digits of evidence: "I" stands in every message and proves nothing
MOST = 0.5  # share of the words of a value that must stand around its evidence
SOME = 1 / 3  # and of a text, which may put some of them in other words
_WORD = re.compile(r"\w+")
_NAMES = re.compile(r"(?<![\w])(?:[A-ZÀ-Þ][\w'-]+|\d[\d.,:]*)")
_END = re.compile(r"[.!?\n]+(?=\s|\Z)")
# What a sentence about the user is put together with, whatever was said.
_FRAME = words(
    """
    user users likes loves enjoys prefers prefer dislikes hates wants has have had owns lives
    live works work called named name plans planning moved uses says said goes going got
    """
)


def too_short(evidence: str) -> bool:
    """Whether a piece of evidence is too short to show anything.

    >>> too_short("I"), too_short("my cat")
    (True, False)
    """
    return sum(map(str.isalnum, evidence)) < SHORTEST


def around(text: str, start: int, end: int) -> str:
    """The sentences a stretch stands in, with the one before and the one after."""
    before = [0, *(match.end() for match in _END.finditer(text, 0, start))]
    after = [*(match.end() for match in _END.finditer(text, end)), len(text), len(text)]
    return text[before[-2] if len(before) > 1 else 0 : after[1]]


def invented(text: str, said: str) -> Iterator[str]:
    """The names and numbers in `text` that nobody said as whole words: "John Doe"."""
    said = _folded(said)
    for name in _NAMES.findall(text):
        plain = _folded(name).removesuffix("'s").rstrip(".,:")
        edge = r"\d" if plain[:1].isdigit() else r"\w"
        whole = rf"(?<!{edge}){re.escape(plain)}(?!{edge})"
        if plain not in STOP_WORDS | {"user", "users"} and not re.search(whole, said):
            yield name


def share(text: str, said: str) -> float:
    """The share of the words of `text` with a meaning of their own that stand in `said`, 0..1.

    1 when it has none. Endings may differ: "hates" stands in "I hated it".

    >>> share("The user adopted a kitten.", "we adopt kittens"), share("kitten", "a cat")
    (1.0, 0.0)
    """
    held = set(_WORD.findall(_folded(said)))
    sought = {one for one in _WORD.findall(_folded(text)) if one not in STOP_WORDS | _FRAME}
    if not sought:
        return 1.0
    return sum(_stands(one, held) for one in sought) / len(sought)


def _stands(word: str, held: set[str]) -> bool:
    if word in held:
        return True
    if not word.isascii():  # scripts without blanks have no whole words
        return any(word in one for one in held)
    stem = word[: max(4, len(word) - 3)]
    return len(word) >= 4 and any(one.startswith(stem) for one in held)


def _folded(text: str) -> str:
    return Folded.of(text).text.casefold()
