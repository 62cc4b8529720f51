"""A text without the signs nobody sees, and where its characters stood."""

import re
from bisect import bisect_right
from dataclasses import dataclass

# Control, zero-width, bidirectional, soft-hyphen, variation and tag characters: they carry no
# meaning in a fact and hide instructions and secrets (RELIABILITY, rule 6).
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


@dataclass(frozen=True, slots=True)
class Visible:
    """What is seen of a text; places in it can be found again in the whole."""

    text: str
    gone: tuple[int, ...] = ()  # how many characters of `text` stood before each removed one

    @classmethod
    def of(cls, text: str) -> "Visible":
        """What is seen of `text`.

        >>> hidden = Visible.of("a\u200bb")
        >>> hidden.text, hidden.place(1)
        ('ab', 2)
        """
        places = [match.start() for match in _UNSEEN.finditer(text)]
        if not places:
            return cls(text)
        gone = tuple(place - number for number, place in enumerate(places))
        return cls(_UNSEEN.sub("", text), gone)

    def place(self, at: int) -> int:
        """Where the character `at` of `text` stood in the whole."""
        return at + bisect_right(self.gone, at)

    def end(self, at: int) -> int:
        """Where a stretch that ends before `at` ends in the whole."""
        return self.place(at - 1) + 1 if at else 0


def seen(text: str) -> str:
    """`text` without the signs nobody sees.

    >>> seen("Lis\u200bbon")
    'Lisbon'
    """
    return _UNSEEN.sub("", text)
