"""Chat as it is typed, written out before it is read: "ive", "w my gf", "sooo", "me mum".

The text the rules read and the one that was sent differ in length from here on; `Plain` leads
back, so that a quote is always the words of the message.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from stratal_memory.learning.rules.chat_phrases import REWRITTEN
from stratal_memory.learning.rules.chat_words import MONTH, SWAPPED, WRITTEN

_Edit = tuple[int, int, int, int]  # where it stands now, and where it stood, each start and end


@dataclass(frozen=True, slots=True)
class Plain:
    """A text written out, and the way back to the one before."""

    text: str
    layers: tuple[tuple[_Edit, ...], ...] = ()  # of each pass, in order of their place

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Where the stretch stood in the text as it was sent; both in characters."""
        for edits in reversed(self.layers):
            start, end = _started(edits, start), _ended(edits, end)
        return start, end

    def rewritten(self, pattern: re.Pattern[str], write: Callable[[re.Match[str]], str]) -> "Plain":
        """The text after one more pass; what `write` leaves as it is costs nothing."""
        edits: list[_Edit] = []
        parts: list[str] = []
        position = now = 0
        for match in pattern.finditer(self.text):
            words = write(match)
            if words == match.group():
                continue
            parts += (self.text[position : match.start()], words)
            now += match.start() - position
            edits.append((now, now + len(words), match.start(), match.end()))
            now += len(words)
            position = match.end()
        if not edits:
            return self
        return Plain("".join((*parts, self.text[position:])), (*self.layers, tuple(edits)))


def _started(edits: tuple[_Edit, ...], place: int) -> int:
    number = bisect_right(edits, place, key=lambda edit: edit[0]) - 1
    if number < 0:
        return place
    _, now_end, start, end = edits[number]
    return start if place < now_end else place - now_end + end


def _ended(edits: tuple[_Edit, ...], place: int) -> int:
    number = bisect_left(edits, place, key=lambda edit: edit[0]) - 1
    if number < 0:
        return place
    _, now_end, _, end = edits[number]
    return end if place < now_end else place - now_end + end


_WORD = re.compile(r"(?<![\w'@./#-])[A-Za-z]+(?![\w'@/#]|\.\w)")
_STRETCHED = re.compile(r"([a-z])\1{2,}", re.IGNORECASE)
_ROMAN = re.compile(r"[IVXL]+\Z")
_RANGE = re.compile(
    rf"\b(\d\d?)(?:st|nd|rd|th)?(?: ?[-–] ?| to | till | until )(\d\d?)(?:st|nd|rd|th)? (?:of )?"
    rf"({MONTH})\b",
    re.IGNORECASE,
)
_NOT_THE = re.compile(
    rf"\b(the \d\d?(?:st|nd|rd|th)?),? (?:and )?not (?:the )?\d\d?(?:st|nd|rd|th)? (of {MONTH})\b",
    re.IGNORECASE,
)


# Runs of blanks are one: every pattern after this may ask for blanks without going back over them.
_BLANKS = re.compile(r"[ \n\f\v]{2,}")


def _blank(match: re.Match[str]) -> str:
    return "\n" if "\n" in match.group() else " "


_PICTURE = "\U0001f300-\U0001faff\u2600-\u27bf\u2b50\ufe0f\u200d"
_PICTURES = re.compile(rf" ?[{_PICTURE}][{_PICTURE} ]*")
_STARTS = re.compile(r"\Z|[A-Z]|(?:i|my|we|he|she|they|im|ive|shes|hes)\b")


def _picture(match: re.Match[str]) -> str:
    """A stop where a sentence may begin behind it."""
    return ". " if _STARTS.match(match.string, match.end()) else " "


def _expanded(words: str, match: re.Match[str]) -> str:
    return match.expand(words)


def plainly(text: str) -> Plain:
    """`text` written out.

    >>> plainly("ive got 2 cats n im from leeds").text
    "I've got 2 cats and I'm from leeds"
    """
    plain = Plain(text).rewritten(_PICTURES, _picture).rewritten(_BLANKS, _blank)
    plain = plain.rewritten(_WORD, _word)
    plain = plain.rewritten(_RANGE, lambda match: f"{match[1]} {match[3]} to {match[2]} {match[3]}")
    plain = plain.rewritten(_NOT_THE, lambda match: f"{match[1]} {match[2]}")
    for pattern, words in REWRITTEN:
        plain = plain.rewritten(pattern, partial(_expanded, words))
    return plain


def _word(match: re.Match[str]) -> str:
    word = match.group()
    if not _ROMAN.match(word):
        word = _STRETCHED.sub(r"\1", word)
    low = word.casefold()
    return WRITTEN.get(low) or SWAPPED.get(low) or word
