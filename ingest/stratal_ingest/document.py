"""A document as a reader understood it: blocks in reading order, and the text they make."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

SEPARATOR = "\n\n"  # between two blocks of the canonical text

# What no reader of the text can see, and what is used to hide instructions in it: control
# characters, bidi overrides and isolates, zero-width characters, tag characters. The joiners
# U+200C and U+200D stay: Persian, Indic scripts and emoji are written with them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069"
    "\ufffe\uffff\U000e0000-\U000e007f]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_ANSI = re.compile(r"\x1b\[[0-9;?]{0,32}[ -/]{0,4}[@-~]")


# However a word was typeset, it is one word: "don't" is found by whoever types it.
_QUOTES = str.maketrans(dict.fromkeys("‘’‚‛", "'") | dict.fromkeys("“”„‟", '"'))


class BlockKind(StrEnum):
    """What a block is; the chunker cuts each kind at its own places."""

    HEADING = "heading"
    PROSE = "prose"
    TABLE = "table"  # one row a line
    CODE = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One paragraph, list, table, definition or heading."""

    text: str
    kind: BlockKind = BlockKind.PROSE
    heading: tuple[str, ...] = ()  # the headings it stands under, outermost first
    page: int = 0  # 1-based, slides and sheets counted as pages; 0 where the format has none


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a file was refused; `type` is a class name of `stratal_ingest.errors`."""

    type: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosed:
    """A file inside a document: an attachment, a member of an archive.

    A reader gives its name and bytes; `registry.read` turns the bytes into one of the other two.
    """

    name: str  # as the document has it: data, never a place to write to
    data: bytes = b""
    size: int = 0  # bytes it had, once `data` is dropped
    document: "ReadDocument | None" = None
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDocument:
    """What a reader returns. `title` is empty where the document names none."""

    format: str
    blocks: tuple[Block, ...]
    title: str = ""
    pages: int = 0  # 0 where the format has none
    enclosed: tuple[Enclosed, ...] = ()  # each becomes a document of its own

    @property
    def text(self) -> str:
        """The canonical text: every offset of a passage counts characters of it."""
        return SEPARATOR.join(block.text for block in self.blocks)

    def placed(self) -> Iterator[tuple[int, Block]]:
        """Each block with the offset it begins at in `text`."""
        start = 0
        for block in self.blocks:
            yield start, block
            start += len(block.text) + len(SEPARATOR)


def cleaned(document: ReadDocument) -> ReadDocument:
    """`document` without invisible characters, typeset quotes, blank edges and empty blocks."""
    return replace(
        document, title=clean(document.title), blocks=tuple(_clean_blocks(document.blocks))
    )


def _clean_blocks(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        text = clean(block.text) if block.kind != BlockKind.CODE else _visible(block.text)
        text = text.strip("\n").rstrip()
        if text.strip():
            heading = tuple(filter(None, map(clean, block.heading)))
            yield replace(block, text=text, heading=heading)


def clean(text: str) -> str:
    r"""`text` as it may be stored: visible characters, `\n` line ends, no blank edges.

    Typographic quotation marks and apostrophes become those of the keyboard; code keeps them.

    >>> clean(" a\x00b\r\nc ")
    'ab\nc'
    >>> clean("Don’t “quote”")
    'Don\'t "quote"'
    """
    return _visible(text).translate(_QUOTES).strip()


def _visible(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("�", _INVISIBLE.sub("", _ANSI.sub("", text)))


class Outline:
    """The headings above the place a reader has come to."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, level: int, title: str) -> None:
        """A heading of `level` begins; it closes those as deep or deeper."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, title))

    @property
    def path(self) -> tuple[str, ...]:
        """The open headings, outermost first."""
        return tuple(title for _, title in self._open)
