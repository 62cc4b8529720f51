"""HTML: what a person reads on the page, without scripts, styles and navigation."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from stratal_ingest.document import Block, BlockKind, Outline, ReadDocument
from stratal_ingest.readers.delimited import CELL
from stratal_ingest.readers.encoding import decode, is_utf8, marked

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_SKIPPED = {"script", "style", "noscript", "template", "svg", "nav", "head"} | {
    "iframe",
    "object",
    "canvas",
    "audio",
    "video",
}
_BLOCKS = (
    {"address", "article", "aside", "blockquote", "body", "caption", "center", "dd"}
    | {"details", "dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer"}
    | {"form", "header", "hr", "html", "legend", "li", "main", "ol", "p", "section", "summary"}
    | {"table", "tbody", "tfoot", "thead", "ul", "option"}
)
_CELLS = frozenset({"td", "th"})
_TABULAR = _CELLS | {"tr", "table"}
_HEADING = re.compile(r"h[1-6]$")
_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s{0,9}=\s{0,9}["']?([\w-]{1,40})""", re.I)
_BLANKS = re.compile(r"\s+")
_LATIN = frozenset({"iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii"})  # as browsers do


class HypertextReader:
    """Reads HTML of any age and brokenness."""

    formats = ("html",)
    libraries = ("selectolax.lexbor", "charset_normalizer")

    def read(self, data: bytes, name: str) -> ReadDocument:
        """Headings, paragraphs, lists, tables and code, in the order of the source."""
        from selectolax.lexbor import LexborHTMLParser

        page = LexborHTMLParser(decode_page(data))
        found = page.css_first("title")
        title = _BLANKS.sub(" ", found.text()) if found is not None else ""
        root = page.body if page.body is not None else page.root
        walk = _Walk()
        blocks = tuple(walk.blocks(root)) if root is not None else ()
        return ReadDocument(format="html", title=title or walk.first_heading, blocks=blocks)


def decode_page(data: bytes) -> str:
    """The page's text: UTF-8 where that works, else the charset it declares, else a guess."""
    declared = _CHARSET.search(data[:4096])
    if marked(data) or not declared:
        return decode(data)
    name = declared[1].decode("ascii").lower()
    if is_utf8(data) or name in {"utf-8", "utf8"}:
        return decode(data)
    try:
        return data.decode("cp1252" if name in _LATIN else name, "replace")
    except LookupError:
        return decode(data)


class _Walk:
    """One pass over the tree with a stack of its own: depth costs no recursion."""

    def __init__(self) -> None:
        self.first_heading = ""
        self._outline = Outline()
        self._parts: list[str] = []  # inline text of the paragraph being read
        self._rows: list[str] = []  # rows of the outermost table being read
        self._cells: list[str] = []
        self._tables = 0  # how many are open
        self._pres = 0
        self._items: list[str] = []  # items of the list being read

    def blocks(self, root: "LexborNode") -> Iterator[Block]:
        stack: list[tuple[LexborNode, bool]] = [(root, False)]
        while stack:
            node, leaving = stack.pop()
            tag = node.tag or ""
            if leaving:
                yield from self._leave(tag)
            elif tag == "-text":
                self._parts.append(node.text_content or "")
            elif tag not in _SKIPPED and "hidden" not in node.attributes:
                yield from self._enter(tag)
                stack.append((node, True))
                stack.extend((child, False) for child in _children_backwards(node))
        yield from self._flush()
        yield from self._end_list()

    def _enter(self, tag: str) -> Iterator[Block]:
        if tag == "br":
            self._parts.append("\n")
        elif tag in _CELLS or tag == "tr":
            self._end_cell()
        elif tag in _BLOCKS or tag == "pre" or _HEADING.match(tag):
            yield from self._flush()
            if tag not in {"li", "ul", "ol"}:
                yield from self._end_list()
        self._tables += tag == "table"
        self._pres += tag == "pre"

    def _leave(self, tag: str) -> Iterator[Block]:
        if tag in _TABULAR:
            yield from self._leave_table(tag)
        elif tag == "pre":
            yield from self._end_pre()
        elif _HEADING.match(tag):
            yield from self._end_heading(int(tag[1]))
        elif tag == "li":
            self._end_item()
        elif tag in _BLOCKS:
            yield from self._flush()
            if tag in {"ul", "ol"}:
                yield from self._end_list()

    def _leave_table(self, tag: str) -> Iterator[Block]:
        if tag in _CELLS:
            self._end_cell()
        elif tag == "tr":
            self._end_row()
        else:
            yield from self._end_table()

    def _flush(self) -> Iterator[Block]:
        """End the paragraph; inside a table it only parts words of the cell."""
        if self._tables:
            self._parts.append(" ")
        elif text := self._take():
            yield from self._end_list()
            yield self._block(text, BlockKind.PROSE)

    def _take(self) -> str:
        lines = "".join(self._parts).split("\n") if self._pres else [" ".join(self._parts_folded())]
        self._parts = []
        return "\n".join(lines).strip()

    def _parts_folded(self) -> list[str]:
        return _BLANKS.sub(" ", "".join(self._parts)).strip().split(" ")

    def _end_cell(self) -> None:
        if self._tables and (text := self._take()):
            self._cells.append(text)

    def _end_row(self) -> None:
        self._end_cell()
        if self._cells:
            self._rows.append(CELL.join(self._cells))
        self._cells = []

    def _end_table(self) -> Iterator[Block]:
        self._end_row()
        self._tables -= 1
        if not self._tables and self._rows:
            yield self._block("\n".join(self._rows), BlockKind.TABLE)
            self._rows = []

    def _end_pre(self) -> Iterator[Block]:
        text = "".join(self._parts).strip("\n")
        self._pres -= 1
        if not self._tables and text.strip():
            self._parts = []
            yield self._block(text, BlockKind.CODE)

    def _end_heading(self, level: int) -> Iterator[Block]:
        if self._tables:
            self._parts.append(" ")
        elif text := self._take():
            self.first_heading = self.first_heading or text
            self._outline.enter(level, text)
            yield self._block(text, BlockKind.HEADING)

    def _end_item(self) -> None:
        if self._tables:
            self._parts.append(" ")
        elif text := self._take():
            self._items.append(f"- {text}")

    def _end_list(self) -> Iterator[Block]:
        if self._items:
            yield self._block("\n".join(self._items), BlockKind.PROSE)
            self._items = []

    def _block(self, text: str, kind: BlockKind) -> Block:
        return Block(text=text, kind=kind, heading=self._outline.path)


def _children_backwards(node: "LexborNode") -> Iterator["LexborNode"]:
    child = node.last_child
    while child is not None:
        yield child
        child = child.prev
