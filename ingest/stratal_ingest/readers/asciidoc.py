"""AsciiDoc: sections, lists, tables and listings; attributes and marks of emphasis go."""

import re
from collections.abc import Iterator

from stratal_ingest.document import Block, BlockKind, Outline, ReadDocument
from stratal_ingest.readers.encoding import decode
from stratal_ingest.readers.table import Row, row_of, table_lines

_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?$")
_UNDERLINE = re.compile(r"([=~^+-])\1{2,}$")
_UNDERLINES = "=-~^+"
_ATTRIBUTE = re.compile(r":!?[\w-]+!?:(?:[ \t].*)?$")
_BLOCK_ATTRIBUTES = re.compile(r"\[[^\]]*\]$")
_BLOCK_TITLE = re.compile(r"\.(?=[^\s.])(.+)$")
_FENCE = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|={4,}|\*{4,}|_{4,}|--|`{3,}).*$")
_TABLE = re.compile(r"[|,:!]={3,}$")
_COLUMNS = re.compile(r"cols\s*=\s*\"?([^\"\]]+)")
_REPEATED = re.compile(r"(\d+)\*")
_CELL = re.compile(
    r"(?<!\\)(?:(?:(?<=\s)|^)(?:\d+(?:\.\d+)?[+*]|\.\d+\+)?[<^>.]{0,4}[aehlmsdv]?)?\|"
)
_LINK = re.compile(r"(?:link:|(?=https?://))(\S{1,2000}?)\[([^\]\n]{0,500})\]")
_REFERENCE = re.compile(r"<<[^,<>\n]{1,300}(?:,([^<>\n]{1,300}))?>>")
_IMAGE = re.compile(r"(?:image|video|audio)::?([^\[\s]{1,500})\[([^\],\]]{0,500})[^\]\n]{0,500}\]")
_ANCHOR = re.compile(r"\[\[[^\]\n]{1,200}\]\]|\[#[^\]\n]{1,200}\]|\(\(\(?([^()\n]{1,200})\)?\)\)")
_EMPHASIS = re.compile(r"(?<![\w*_`#+])([*_`#+]{1,2})(?=\S)([^\n]{0,400}?\S)\1(?![\w*_`#+])")
_DIRECTIVE = re.compile(r"(?:include|ifdef|ifndef|endif|ifeval|toc)::")
_BARE = frozenset("=*_")  # fences around ordinary text
_COMMENT = "/"


class AsciiDocReader:
    """Reads AsciiDoc as text: nothing is included, and no attribute is replaced."""

    formats = ("asciidoc",)
    libraries: tuple[str, ...] = ("charset_normalizer",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """Headings, paragraphs and lists, tables and listings, in order."""
        lines = [line.rstrip() for line in decode(data).removeprefix("\ufeff").splitlines()]
        blocks = tuple(_Walk(lines).blocks())
        first = next((block.text for block in blocks if block.kind == BlockKind.HEADING), "")
        return ReadDocument(format="asciidoc", title=first, blocks=blocks)


class _Walk:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._outline = Outline()
        self._open: list[str] = []
        self._attributes = ""  # the last line of them: a table's columns

    def blocks(self) -> Iterator[Block]:
        at = 0
        while at < len(self._lines):
            line = self._lines[at]
            if _TABLE.match(line):
                yield from self._closed()
                end = self._end(at, line)
                rows = _rows(self._lines[at + 1 : end], self._attributes, line[0])
                yield self._block("\n".join(table_lines(rows)), BlockKind.TABLE)
                at = end
            elif self._is_underline(line):
                yield self._heading(_UNDERLINES.index(line[0]) + 1, self._open.pop())
            elif fence := _FENCE.match(line):
                yield from self._closed()
                end = self._fence_end(at, fence[1])
                if fence[1][0] != _COMMENT and end > at:
                    yield self._block("\n".join(self._lines[at + 1 : end]), BlockKind.CODE)
                at = end
            else:
                yield from self._line(line)
            at += 1
        yield from self._closed()

    def _fence_end(self, start: int, fence: str) -> int:
        """The line of the fence that ends a block; `start` for a fence around ordinary text."""
        return start if fence[0] in _BARE or fence == "--" else self._end(start, fence)

    def _end(self, start: int, fence: str) -> int:
        for at in range(start + 1, len(self._lines)):
            if self._lines[at] == fence:
                return at
        return len(self._lines)

    def _is_underline(self, line: str) -> bool:
        """A line of signs about as long as the single line above makes that a heading."""
        if len(self._open) != 1 or not _UNDERLINE.match(line):
            return False
        return abs(len(line) - len(self._open[0])) <= 3

    def _line(self, line: str) -> Iterator[Block]:
        heading = _HEADING.match(line)
        if heading and not self._open:
            yield self._heading(len(heading[1]), heading[2])
        elif _is_setting(line) and not (self._open and _BLOCK_ATTRIBUTES.match(line)):
            yield from self._closed()
            self._attributes = line if line.startswith("[") else self._attributes
        elif not line or line == "+":
            yield from self._closed()
        elif title := _BLOCK_TITLE.match(line):
            yield from self._closed()
            yield self._block(_plain(title[1]), BlockKind.PROSE)
        else:
            self._open.append(line)

    def _heading(self, level: int, title: str) -> Block:
        words = _plain(title)
        self._outline.enter(level, words)
        return self._block(words, BlockKind.HEADING)

    def _closed(self) -> Iterator[Block]:
        lines, self._open = self._open, []
        if lines:
            yield self._block(_plain("\n".join(lines)), BlockKind.PROSE)

    def _block(self, text: str, kind: BlockKind) -> Block:
        return Block(text=text, kind=kind, heading=self._outline.path)


def _is_setting(line: str) -> bool:
    comment = line.startswith("//") and not line.startswith("///")
    settings = _ATTRIBUTE.match(line) or _BLOCK_ATTRIBUTES.match(line) or _DIRECTIVE.match(line)
    return bool(comment or settings)


def _rows(lines: list[str], attributes: str, kind: str) -> list[Row]:
    """The rows of a table: by the number of its columns, or as its first line has them."""
    if kind in {",", ":"}:
        return [row_of(_plain(line).split(kind)) for line in lines if line]
    listed: list[list[str]] = []
    for line in lines:
        first, *found = _CELL.split(line) if kind == "|" else line.split("!")
        if listed and first.strip():
            listed[-1][-1] = f"{listed[-1][-1]} {first.strip()}"
        if found:
            listed.append([cell.strip() for cell in found])
    if any(len(cells) < 2 for cells in listed):  # a cell a line: so many make a row
        flat = [cell for cells in listed for cell in cells]
        wide = _columns(attributes) or len(listed[0])
        listed = [flat[start : start + wide] for start in range(0, len(flat), wide)]
    return [row for row in (row_of([_plain(cell) for cell in cells]) for cells in listed) if row]


def _columns(attributes: str) -> int:
    found = _COLUMNS.search(attributes)
    if not found:
        return 0
    listed = found[1].replace(";", ",").split(",")
    repeated = (_REPEATED.match(column.strip()) for column in listed)
    return sum(min(int(many[1]), 200) if many else 1 for many in repeated)


def _plain(text: str) -> str:
    """`text` without marks; of links and pictures their words."""
    text = _IMAGE.sub(lambda image: image[2] or image[1], text)
    text = _LINK.sub(lambda link: link[2] or link[1], text)
    text = _REFERENCE.sub(lambda reference: reference[1] or "", text)
    text = _ANCHOR.sub(lambda anchor: anchor[1] or "", text)
    return _EMPHASIS.sub(r"\2", text).removesuffix(" +").replace(" +\n", "\n")
