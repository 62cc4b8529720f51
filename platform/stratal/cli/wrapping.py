"""Text that comes in pieces, broken between words at the width of the terminal."""

import re

_PIECE = re.compile(r"\n|[^\S\n]+|\S+")


class Wrapper:
    """Give it pieces with `take`; what it returns can be written at once."""

    def __init__(self, width: int) -> None:
        """`width` in characters; a longer word stands on a line of its own, unbroken."""
        self._width = width
        self._column = 0
        self._blank = ""
        self._word = ""

    def take(self, piece: str) -> str:
        """The text that is ready: a word waits until it is known to be whole."""
        return "".join(self._one(part) for part in _PIECE.findall(piece))

    def flush(self) -> str:
        """The word that is left."""
        return self._release()

    def _one(self, part: str) -> str:
        if part == "\n":
            out = self._release()
            self._blank, self._column = "", 0
            return f"{out}\n"
        if part.isspace():
            out = self._release()
            self._blank += part
            return out
        self._word += part
        return ""

    def _release(self) -> str:
        if not self._word:
            return ""
        word, blank = self._word, self._blank
        self._word = self._blank = ""
        if self._column and self._column + len(blank) + len(word) > self._width:
            self._column = len(word)
            return f"\n{word}"
        self._column += len(blank) + len(word)
        return f"{blank}{word}"
