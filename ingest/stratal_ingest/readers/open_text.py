"""Names and small readings shared by the readers of OpenDocument."""

from collections.abc import Iterator

from stratal_ingest.errors import CorruptDocument, EncryptedDocument
from stratal_ingest.limits import Limits
from stratal_ingest.readers.archive import opened, unpacked
from stratal_ingest.readers.table import Row
from stratal_ingest.readers.xml_tree import Element, local, parse_xml

_URN = "urn:oasis:names:tc:opendocument:xmlns"
OFFICE, TEXT, TABLE, DRAW, STYLE, SVG, PRESENTATION = (
    f"{{{_URN}:{name}:1.0}}"
    for name in ("office", "text", "table", "drawing", "style", "svg-compatible", "presentation")
)
DC = "{http://purl.org/dc/elements/1.1/}"
XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
# What stands in a paragraph and is not of its text: it is read after it, or not at all.
APART = {
    *(f"{TEXT}note", f"{OFFICE}annotation", f"{OFFICE}annotation-end", f"{TEXT}ruby-text"),
    *(f"{DRAW}{name}" for name in ("frame", "g", "custom-shape", "rect", "object")),
    *(f"{TEXT}tracked-changes", f"{SVG}title", f"{SVG}desc"),
}
_MOST_SPACES = 80
_MOST_REPEATS = 1_000  # of one cell or row that says something
_LAST_COLUMN = 16_384


class OpenFile:
    """The XML parts of an OpenDocument file, in a ZIP or flat in one."""

    def __init__(self, data: bytes) -> None:
        self._parts: dict[str, Element] = {}
        if not data.startswith(b"PK"):
            self._parts["content.xml"] = parse_xml(data, "the document")
            return
        with opened(data) as archive:
            for entry in archive.infolist():
                if entry.filename == "META-INF/manifest.xml" or "/" not in entry.filename:
                    self._keep(entry.filename, unpacked(archive, entry, limit=_LIMIT))

    def _keep(self, name: str, data: bytes) -> None:
        if name.startswith("META-INF") and b"encryption-data" in data:
            raise EncryptedDocument("a password is needed", hint="Save it without a password.")
        if name in {"content.xml", "styles.xml", "meta.xml"} and data:
            self._parts[name] = parse_xml(data, name)

    @property
    def content(self) -> Element:
        """The part that holds the text; raises `CorruptDocument` without it."""
        if "content.xml" not in self._parts:
            raise CorruptDocument("it holds no content.xml")
        return self._parts["content.xml"]

    def all(self, tag: str) -> Iterator[Element]:
        """The elements of one kind in every part."""
        for root in self._parts.values():
            yield from root.iter(tag)

    def title(self) -> str:
        """The title its properties name."""
        return next((" ".join(text_of(found).split()) for found in self.all(f"{DC}title")), "")


_LIMIT = Limits().archive_bytes


def text_of(element: Element) -> str:
    """The text of a paragraph; white space as OpenDocument means it."""
    parts: list[str] = []
    stack: list[Element | str] = [element]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            parts.append(node.replace("\n", " "))  # mere layout of the XML
            continue
        if node.tag in APART and node is not element:
            continue
        parts.append(_space(node) or (node.text or "").replace("\n", " "))
        for child in reversed(node):
            stack.append(child.tail or "")
            stack.append(child)
    return "".join(parts)


def _space(node: Element) -> str:
    name = local(node.tag)
    if name == "s":
        count = node.get(f"{TEXT}c", "1")
        return " " * (min(int(count), _MOST_SPACES) if count.isdigit() else 1)
    return {"tab": "\t", "line-break": "\x0b", "soft-page-break": ""}.get(name, "")


def lines_of(element: Element) -> str:
    """The text of a paragraph with its own line breaks."""
    words = " ".join(part for part in text_of(element).split(" ") if part)
    return words.replace("\x0b", "\n").strip()


def cell_text(cell: Element) -> str:
    """All the paragraphs of a cell, a table in it too, in one line."""
    paragraphs = (
        text_of(node)
        for node in cell.iter(f"{TEXT}p", f"{TEXT}h")
        if next(node.iterancestors(f"{OFFICE}annotation", f"{TEXT}note"), None) is None
    )
    return " ".join(" ".join(paragraphs).split())


def rows_of(table: Element) -> Iterator[tuple[int, Row]]:
    """The rows of a table that say something, each with its number from 0.

    Rows and cells written once for many are repeated; what is empty costs nothing. A cell
    merged over rows is in each of them.
    """
    number = 0
    merged: dict[int, tuple[str, int]] = {}  # by column: a text, and in how many rows it is yet
    for row in table.iter(f"{TABLE}table-row"):
        if next(row.iterancestors(f"{TABLE}table")) is not table:
            continue
        cells = _cells(row, merged)
        times = _times(row, f"{TABLE}number-rows-repeated")
        for again in range(min(times, _MOST_REPEATS) if cells else 0):
            yield number + again, cells
        number += times


def _cells(row: Element, merged: dict[int, tuple[str, int]]) -> dict[int, str]:
    found: dict[int, str] = {}
    column = 0
    for cell in row:
        if local(cell.tag) not in {"table-cell", "covered-table-cell"}:
            continue
        times = _times(cell, f"{TABLE}number-columns-repeated")
        text = _below(cell, column, merged)
        if text:
            for place in range(column, min(column + min(times, _MOST_REPEATS), _LAST_COLUMN)):
                found[place] = text
        column += times
    return found


def _below(cell: Element, column: int, merged: dict[int, tuple[str, int]]) -> str:
    """The text of a cell, or of the one above that goes on through it."""
    text = cell_text(cell) if len(cell) else ""
    rows = _times(cell, f"{TABLE}number-rows-spanned")
    if rows > 1:
        merged[column] = (text, rows - 1)
    elif local(cell.tag) == "covered-table-cell" and column in merged:
        above, left = merged.pop(column)
        if left > 1:
            merged[column] = (above, left - 1)
        text = text or above
    return text


def _times(element: Element, attribute: str) -> int:
    written = element.get(attribute, "1")
    return max(int(written), 1) if written.isdigit() and len(written) < 9 else 1
