"""Org: headings by their stars, lists, tables, blocks of code; marks of emphasis go."""

import re
from collections.abc import Iterator

from stratal_ingest.document import Block, BlockKind, Outline, ReadDocument
from stratal_ingest.readers.encoding import decode
from stratal_ingest.readers.table import row_of, table_lines

_HEADING = re.compile(r"(\*{1,12})[ \t]+(\S.*)$")
_TAGS = re.compile(r"[ \t]+:[\w@#%:]+:[ \t]*$")
_KEYWORD = re.compile(r"[ \t]*#\+(\w+):[ \t]*(.*)$")
_BEGIN = re.compile(r"[ \t]*#\+begin_(\w+)(.*)$", re.IGNORECASE)
_DRAWER = re.compile(r"[ \t]*:[\w-]+:[ \t]*$")
_DRAWER_END = re.compile(r"[ \t]*:end:[ \t]*$", re.IGNORECASE)
_DIVIDER = re.compile(r"[ \t]*\|[-+|: \t]*$")
_LINK = re.compile(r"\[\[([^\]\[]{1,2000})\](?:\[([^\]\[]{0,2000})\])?\]")
_EMPHASIS = re.compile(
    r"(?<![\w*/=~_+])([*/=~_+])(?=\S)([^\n]{0,400}?\S)\1(?![\w*/=~_+])", re.UNICODE
)
_LONGEST_DRAWER = 200  # lines
_CODE = frozenset({"src", "example", "export", "verse"})
_SHOWN = frozenset({"author", "date", "subtitle", "caption", "description", "email"})


class OrgReader:
    """Reads org files; drawers, comments and the settings of the exporter are left out."""

    formats = ("org",)
    libraries: tuple[str, ...] = ("charset_normalizer",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """Headings, paragraphs and lists, tables and code, in order."""
        walk = _Walk(decode(data).removeprefix("\ufeff").splitlines())
        blocks = tuple(walk.blocks())
        first = next((block.text for block in blocks if block.kind == BlockKind.HEADING), "")
        return ReadDocument(format="org", title=walk.title or first, blocks=blocks)


class _Walk:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._outline = Outline()
        self._open: list[str] = []
        self.title = ""

    def blocks(self) -> Iterator[Block]:
        at = 0
        while at < len(self._lines):
            line = self._lines[at]
            if begin := _BEGIN.match(line):
                yield from self._closed()
                end = self._end(at, begin[1])
                yield from self._special(begin[1].lower(), self._lines[at + 1 : end])
                at = end
            elif _DRAWER.match(line) and (end := self._drawer_end(at)):
                at = end
            else:
                yield from self._line(line)
            at += 1
        yield from self._closed()

    def _line(self, line: str) -> Iterator[Block]:
        heading, keyword = _HEADING.match(line), _KEYWORD.match(line)
        if heading:
            yield from self._closed()
            title = _plain(_TAGS.sub("", heading[2]))
            self._outline.enter(len(heading[1]), title)
            yield self._block(title, BlockKind.HEADING)
        elif keyword:
            yield from self._closed()
            yield self._keyword(keyword[1].lower(), _plain(keyword[2]))
        elif not line.strip():
            yield from self._closed()
        elif not line.lstrip().startswith(("# ", "#\t")) and line.strip() != "#":
            if self._open and _is_row(line) != _is_row(self._open[-1]):
                yield from self._closed()
            self._open.append(line.rstrip())

    def _keyword(self, name: str, text: str) -> Block:
        if name == "title":
            self.title = f"{self.title} {text}".strip()
            self._outline.enter(0, self.title)
            return self._block(text, BlockKind.HEADING)
        return self._block(text if name in _SHOWN else "", BlockKind.PROSE)

    def _end(self, start: int, name: str) -> int:
        """The line that ends a block; the last one where none does."""
        wanted = f"#+end_{name.lower()}"
        for at in range(start + 1, len(self._lines)):
            if self._lines[at].strip().lower() == wanted:
                return at
        return len(self._lines)

    def _drawer_end(self, start: int) -> int:
        for at in range(start + 1, min(start + _LONGEST_DRAWER, len(self._lines))):
            if _DRAWER_END.match(self._lines[at]):
                return at
            if _HEADING.match(self._lines[at]):
                break
        return 0

    def _special(self, name: str, lines: list[str]) -> Iterator[Block]:
        if name == "comment":
            return
        if name in _CODE:
            yield self._block("\n".join(lines), BlockKind.CODE)
            return
        for line in lines:
            yield from self._line(line)
        yield from self._closed()

    def _closed(self) -> Iterator[Block]:
        lines, self._open = self._open, []
        if lines and _is_row(lines[0]):
            rows = [
                row_of([_plain(cell) for cell in line.strip().strip("|").split("|")])
                for line in lines
                if not _DIVIDER.match(line)
            ]
            yield self._block("\n".join(table_lines(rows)), BlockKind.TABLE)
        elif lines:
            yield self._block(_plain("\n".join(lines)), BlockKind.PROSE)

    def _block(self, text: str, kind: BlockKind) -> Block:
        return Block(text=text, kind=kind, heading=self._outline.path)


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|")


def _plain(text: str) -> str:
    """`text` without marks; of a link its words, and its address where it has none."""
    return _EMPHASIS.sub(r"\2", _LINK.sub(lambda link: link[2] or link[1], text))
