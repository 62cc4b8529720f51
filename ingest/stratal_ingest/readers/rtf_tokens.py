"""RTF taken apart: groups, control words and text, its characters decoded by their fonts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n\0]+"
    rb"|([^\\{}\r\n\0]+)",
    re.DOTALL,
)
_SYMBOLS = {
    **{"tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘"},
    **{"rquote": "’", "ldblquote": "“", "rdblquote": "”", "emspace": " ", "enspace": " "},
    **{"qmspace": " ", "softline": "\n", "lbr": "\n", "~": "\xa0", "_": "\u2011", "-": ""},
    **{"\\": "\\", "{": "{", "}": "}", "\t": "\t", "zwj": "\u200d", "zwnj": "\u200c"},
}
# Character sets of fonts, as Windows numbers them, by their code page.
_CHARSETS = {
    **{77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950"},
    **{161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257"},
    **{204: "cp1251", 222: "cp874", 238: "cp1250", 255: "cp437"},
}
_WHOLE_FILE = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_PAGES = {10000: "mac_roman", 65001: "utf-8", 936: "gb18030", 1361: "johab"}
_DEEPEST = 1_000  # groups in one another; more are read as if they were not there


class Kind(Enum):
    """What a token is."""

    OPEN = "{"
    CLOSE = "}"
    WORD = "\\"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Token:
    """A brace, a control word with its number, or text."""

    kind: Kind
    text: str = ""  # of a word its name; `*` marks a destination that may be skipped
    number: int | None = None


@dataclass(frozen=True, slots=True)
class _Group:
    font: int = -1
    fallback: int = 1  # characters after `\u` for readers that don't know it


def tokens(data: bytes) -> Iterator[Token]:
    """What is in `data`, in order; the text between two tokens that are none comes as one."""
    return _Tokens(data).run()


class _Tokens:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._group = _Group()
        self._outer: list[_Group] = []
        self._charsets: dict[int, str] = {}
        self._usual = "cp1252"
        self._bytes = bytearray()  # not decoded yet: two may make one character
        self._text: list[str] = []
        self._skip = 0  # characters of a fallback still to come

    def run(self) -> Iterator[Token]:
        at = 0
        while match := _TOKEN.match(self._data, at):
            at = match.end()
            word, number, code, symbol, brace, plain = match.groups()
            if plain or code:
                self._take(plain or bytes([int(code, 16)]))
            elif word == b"bin" and number:
                at += max(int(number), 0)
            elif word or symbol:
                yield from self._word((word or symbol).decode("latin-1"), number)
            elif brace:
                yield from self._flushed()
                yield self._brace(brace)
        yield from self._flushed()

    def _take(self, plain: bytes) -> None:
        dropped = min(self._skip, len(plain))
        self._skip -= dropped
        self._bytes += plain[dropped:]

    def _brace(self, brace: bytes) -> Token:
        self._skip = 0
        if brace == b"{":
            if len(self._outer) < _DEEPEST:
                self._outer.append(self._group)
            return Token(Kind.OPEN)
        if self._outer:
            self._group = self._outer.pop()
        return Token(Kind.CLOSE)

    def _word(self, word: str, argument: bytes | None) -> Iterator[Token]:
        number = int(argument) if argument else None
        if word == "u" and number is not None:
            self._decode()
            self._text.append(chr(number % 0x10000))
            self._skip = self._group.fallback
        elif word in _SYMBOLS:
            if self._skip:
                self._skip -= 1
                return
            self._decode()
            self._text.append(_SYMBOLS[word])
        else:
            yield from self._flushed()
            self._set(word, number)
            yield Token(Kind.WORD, "par" if word in "\r\n" else word, number)

    def _set(self, word: str, number: int | None) -> None:
        """Follow the words that say what bytes mean."""
        if word in _WHOLE_FILE:
            self._usual = _WHOLE_FILE[word]
        elif number is None:
            return
        elif word == "ansicpg":
            self._usual = _page(number) or self._usual
        elif word == "f":
            self._group = replace(self._group, font=number)
        elif word == "uc":
            self._group = replace(self._group, fallback=max(number, 0))
        elif word in {"fcharset", "cpg"}:
            found = _page(number) if word == "cpg" else _CHARSETS.get(number, "")
            if found:
                self._charsets[self._group.font] = found

    def _decode(self) -> None:
        if self._bytes:
            encoding = self._charsets.get(self._group.font, self._usual)
            self._text.append(self._bytes.decode(encoding, "replace"))
            self._bytes.clear()

    def _flushed(self) -> Iterator[Token]:
        self._decode()
        if self._text:
            joined = "".join(self._text).encode("utf-16-le", "surrogatepass")
            yield Token(Kind.TEXT, joined.decode("utf-16-le", "replace"))
            self._text.clear()


def _page(number: int) -> str:
    name = _PAGES.get(number, f"cp{number}")
    try:
        b"".decode(name)
    except LookupError:
        return ""
    return name
