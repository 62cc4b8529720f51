"""DOCX: headings, paragraphs, lists, tables and text boxes, in reading order."""

import io
import zipfile
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Protocol, Self, cast

from stratal_ingest.document import Block, BlockKind, Outline, ReadDocument
from stratal_ingest.errors import CorruptDocument
from stratal_ingest.readers.archive import refuse_document_types
from stratal_ingest.readers.delimited import CELL

if TYPE_CHECKING:
    from docx.document import Document

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_BREAKS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_MAX_LEVEL = 9


class _Element(Protocol):
    """What is used of an element of lxml, which has no types of its own."""

    tag: str
    text: str | None

    def __iter__(self) -> Iterator[Self]: ...
    def __reversed__(self) -> Iterator[Self]: ...
    def iter(self, tag: str) -> Iterator[Self]: ...
    def iterancestors(self, tag: str = ...) -> Iterator[Self]: ...
    def find(self, path: str) -> Self | None: ...
    def get(self, key: str, default: str) -> str: ...


class WordReader:
    """Reads the body of a Word document; what a fallback repeats is read once."""

    formats = ("docx",)
    libraries = ("docx",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """Headings, paragraphs and tables, in the order of the body."""
        refuse_document_types(data)
        document = _open(data)
        title = document.core_properties.title or ""
        body = cast(_Element, document.element.body)
        blocks = tuple(_Walk(_heading_levels(document)).blocks(body))
        first = next((block.text for block in blocks if block.kind == BlockKind.HEADING), "")
        return ReadDocument(format="docx", title=title or first, blocks=blocks)


def _open(data: bytes) -> "Document":
    import docx
    from docx.opc.exceptions import OpcError

    try:
        return docx.Document(io.BytesIO(data))
    except (OpcError, SyntaxError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise CorruptDocument(f"it is not a readable Word document: {error}") from error


def _heading_levels(document: "Document") -> dict[str, int]:
    """Heading level (from 1) by style id; `Title` stands above them all."""
    levels: dict[str, int] = {}
    for style in document.styles:
        name = (style.name or "").lower()
        if name == "title":
            levels[style.style_id] = 0
        elif name.startswith("heading ") and name[8:].isdigit():
            levels[style.style_id] = min(int(name[8:]), _MAX_LEVEL)
    return levels


class _Walk:
    def __init__(self, levels: Mapping[str, int]) -> None:
        self._levels = levels
        self._outline = Outline()

    def blocks(self, container: _Element) -> Iterator[Block]:
        """Blocks of the paragraphs and tables in `container`, content controls opened."""
        items: list[str] = []
        for element in container:
            if element.tag == f"{_W}p":
                if self._is_item(element):
                    items.append(f"- {_text(element)}")
                    continue
                yield from self._list(items)
                yield self._paragraph(element)
                yield from self._boxes(element)
            elif element.tag == f"{_W}tbl":
                yield from self._list(items)
                yield self._block("\n".join(_rows(element)), BlockKind.TABLE)
            elif element.tag in {f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins"}:
                yield from self._list(items)
                yield from self.blocks(element)
        yield from self._list(items)

    def _paragraph(self, element: _Element) -> Block:
        text = _text(element)
        level = self._levels.get(_style(element))
        if level is None or not text.strip():
            return self._block(text, BlockKind.PROSE)
        self._outline.enter(level, " ".join(text.split()))
        return self._block(text, BlockKind.HEADING)

    def _boxes(self, paragraph: _Element) -> Iterator[Block]:
        """The text boxes anchored in a paragraph."""
        for box in paragraph.iter(f"{_W}txbxContent"):
            if not any(above.tag == _FALLBACK for above in box.iterancestors()):
                yield from self.blocks(box)

    def _is_item(self, paragraph: _Element) -> bool:
        """A list's item; a numbered heading is a heading."""
        numbered = paragraph.find(f"{_W}pPr/{_W}numPr") is not None
        return numbered and _style(paragraph) not in self._levels

    def _list(self, items: list[str]) -> Iterator[Block]:
        if items:
            yield self._block("\n".join(items), BlockKind.PROSE)
            items.clear()

    def _block(self, text: str, kind: BlockKind) -> Block:
        return Block(text=text, kind=kind, heading=self._outline.path)


def _style(paragraph: _Element) -> str:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    return "" if style is None else style.get(f"{_W}val", "")


def _text(element: _Element) -> str:
    """The text of a paragraph without that of text boxes anchored in it."""
    parts: list[str] = []
    stack = [element]
    while stack:
        node = stack.pop()
        if node.tag == f"{_W}t":
            parts.append(node.text or "")
        elif node.tag in _BREAKS:
            parts.append(_BREAKS[node.tag])
        elif node.tag not in {f"{_W}txbxContent", f"{_W}pPr", _FALLBACK}:
            stack.extend(reversed(node))
    return "".join(parts)


def _rows(table: _Element) -> Iterator[str]:
    """One line a row; a cell merged over columns is written once, a table in a cell as words."""
    for row in _own(table, f"{_W}tr", f"{_W}tbl"):
        cells = [
            " ".join(" ".join(_text(paragraph) for paragraph in cell.iter(f"{_W}p")).split())
            for cell in _own(row, f"{_W}tc", f"{_W}tr")
        ]
        if any(cells):
            yield CELL.join(cell for cell in cells if cell)


def _own(container: _Element, tag: str, boundary: str) -> Iterator[_Element]:
    """What is in `container` itself and not in another one nested in it."""
    for element in container.iter(tag):
        if next(element.iterancestors(boundary)) is container:
            yield element
