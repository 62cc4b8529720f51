"""A text as it is compared: one written form for what looks the same, places kept."""

import unicodedata
from dataclasses import dataclass
from typing import Literal

Form = Literal["NFC", "NFKC"]

# What keyboards and models write differently: quotation marks, dashes and blanks.
_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′ʼ＇`´", "'"),
        **dict.fromkeys("“”„‟″«»＂", '"'),
        **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
        **dict.fromkeys("\u00a0\u1680\u202f\u205f\u3000", " "),
        **{chr(code): " " for code in range(0x2000, 0x200B)},
    }
)


@dataclass(frozen=True, slots=True)
class Folded:
    """A text in one written form; places in it can be found again in the whole."""

    text: str
    starts: tuple[int, ...] = ()  # by character of `text`: where it begins in the whole
    ends: tuple[int, ...] = ()  # and where it ends there; both empty: the whole was plain

    @classmethod
    def of(cls, text: str, form: Form = "NFC", *, marks: bool = True) -> "Folded":
        """`text` in the normal `form`, and with `marks` in plain quotes, dashes and blanks.

        >>> Folded.of("cafe\u0301 “x”").text
        'café "x"'
        """
        if text.isascii():
            return cls(text)
        made: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        for start, end in _letters(text):
            plain = unicodedata.normalize(form, text[start:end])
            plain = plain.translate(_SAME) if marks else plain
            made.append(plain)
            starts += [start] * len(plain)
            ends += [end] * len(plain)
        return cls("".join(made), tuple(starts), tuple(ends))

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Where the characters `start` to `end` of `text` stand in the whole; `start` < `end`."""
        if not self.starts:
            return start, end
        return self.starts[start], self.ends[end - 1]


def _letters(text: str) -> list[tuple[int, int]]:
    """Each character with the accents that are written behind it."""
    starts = [at for at, sign in enumerate(text) if not at or not unicodedata.combining(sign)]
    return list(zip(starts, [*starts[1:], len(text)], strict=True))
