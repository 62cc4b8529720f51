"""XML: the paragraphs of a text under their titles, or the values of data with their paths."""

from collections.abc import Iterator

from stratal_ingest.document import Block, BlockKind, Outline, ReadDocument
from stratal_ingest.errors import CorruptDocument
from stratal_ingest.readers.encoding import decode
from stratal_ingest.readers.open_document import OpenDocumentReader
from stratal_ingest.readers.sheet import Cells, Sheet, sheet_blocks
from stratal_ingest.readers.table import CELL, Row, row_of, table_lines
from stratal_ingest.readers.xml_tree import Element, local, parse_xml, text_of, without_encoding

# Names that texts use in JATS, DocBook, TEI, DITA, HTML and their like.
_PARAGRAPHS = {"p", "para", "simpara", "paragraph", "ab", "shortdesc", "speech", "verse", "line"}
_REFERENCES = {"ref", "bibl", "biblioentry", "biblStruct", "mixed-citation"}
_WHOLE = _PARAGRAPHS | _REFERENCES | {"li"}
_TITLES = {"title", "head", "heading", "article-title", "h1", "h2", "h3", "h4", "chapter-title"}
_TABLES, _ROWS = {"table", "tgroup", "informaltable", "simpletable"}, {"tr", "row", "strow"}
_CODE = {"programlisting", "codeblock", "screen", "literallayout", "pre"}
_UNREAD = {"style", "script", "processing-meta"}
_FLAT_OPEN_DOCUMENT = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}document"
_SHEETS = "{urn:schemas-microsoft-com:office:spreadsheet}"
_LAST_COLUMN = 16_384
_NOISE = ("{http://www.w3.org/2001/XMLSchema-instance}", "{http://www.w3.org/1999/xlink}type")


class XmlReader:
    """Reads XML of any kind; entities it declares itself are refused, none is fetched."""

    formats = ("xml",)
    libraries = ("lxml.etree",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """Prose under its titles where there are paragraphs, records of values otherwise."""
        root = _root(data)
        if root.tag == _FLAT_OPEN_DOCUMENT:
            return OpenDocumentReader().read(data, name)
        if root.tag == f"{_SHEETS}Workbook":
            blocks = tuple(_sheets(root))
        elif any(local(node.tag) in _PARAGRAPHS for node in root.iter()):
            blocks = tuple(_Prose().blocks(root))
        else:
            blocks = tuple(_records(root))
        first = next((b.heading[0] for b in blocks if b.kind == BlockKind.HEADING), "")
        return ReadDocument(format="xml", title=first, blocks=blocks)


def _root(data: bytes) -> Element:
    """The tree; where the encoding it names is not the one it has, that is found as of any text."""
    try:
        return parse_xml(data, "it", document_type=True)
    except CorruptDocument:
        text = decode(data).removeprefix("\ufeff").encode("utf-8", "replace")
        again = without_encoding(text)
        if again == data:
            raise
        return parse_xml(again, "it", document_type=True)


class _Prose:
    def __init__(self) -> None:
        self._outline = Outline()
        self._values: list[str] = []  # of small elements between the paragraphs

    def blocks(self, root: Element) -> Iterator[Block]:
        yield from self._read(root, 0)
        yield from self._flushed()

    def _read(self, element: Element, depth: int) -> Iterator[Block]:
        name = local(element.tag)
        if name in _TITLES:
            yield from self._title(element, depth)
        elif name in _TABLES and any(local(node.tag) in _ROWS for node in element.iter()):
            lines = table_lines(list(_rows(element)))
            yield from self._whole("\n".join(lines), BlockKind.TABLE)
        elif name in _CODE:
            yield from self._whole(text_of(element), BlockKind.CODE)
        elif name in _WHOLE or _is_mixed(element):
            yield from self._paragraph(element)
        elif name not in _UNREAD:
            yield from self._parts(element, depth)

    def _parts(self, element: Element, depth: int) -> Iterator[Block]:
        """What is in an element that is no text itself; one without elements is a value."""
        for child in element:
            yield from self._read(child, depth + 1)
        if not len(element) and (words := _words(element)):
            self._values.append(f"{local(element.tag)}: {words}")

    def _whole(self, text: str, kind: BlockKind) -> Iterator[Block]:
        yield from self._flushed()
        yield self._block(text, kind)

    def _title(self, element: Element, depth: int) -> Iterator[Block]:
        words = _words(element)
        if words:
            yield from self._flushed()
            self._outline.enter(depth, words)
            yield self._block(words, BlockKind.HEADING)

    def _paragraph(self, element: Element) -> Iterator[Block]:
        """A paragraph, or those in it; a table in a paragraph is read after it."""
        yield from self._flushed()
        inner = [node for node in element.iter() if local(node.tag) in _PARAGRAPHS | _TABLES]
        if any(node is not element for node in inner) and not (element.text or "").strip():
            for child in element:
                yield from self._read(child, 99)
            return
        parted = local(element.tag) in _REFERENCES
        yield self._block(_words(element, parted=parted), BlockKind.PROSE)

    def _flushed(self) -> Iterator[Block]:
        if self._values:
            yield self._block("\n".join(self._values), BlockKind.TABLE)
            self._values = []

    def _block(self, text: str, kind: BlockKind) -> Block:
        return Block(text=text, kind=kind, heading=self._outline.path)


def _is_mixed(element: Element) -> bool:
    """Whether words and elements stand side by side in it, as in a sentence."""
    said = (element.text or "").strip() or any((child.tail or "").strip() for child in element)
    return bool(said) and len(element) > 0


def _words(element: Element, *, parted: bool = False) -> str:
    """The text of an element in one line; `parted` where its elements are no part of a sentence."""
    if parted and len(element) and not _is_mixed(element):
        return " ".join(" ".join(_words(child, parted=True) for child in element).split())
    return " ".join(text_of(element).split())


def _rows(table: Element) -> Iterator[Row]:
    for row in table.iter():
        if local(row.tag) in _ROWS:
            cells = row_of([_words(cell) for cell in row])
            if cells:
                yield cells


def _sheets(root: Element) -> Iterator[Block]:
    """The sheets of what Excel calls an XML spreadsheet (2003)."""
    for page, sheet in enumerate(root.iter(f"{_SHEETS}Worksheet"), 1):
        cells: Cells = {}
        for number, row in enumerate(sheet.iter(f"{_SHEETS}Row")):
            found: list[str] = []
            for cell in row.iter(f"{_SHEETS}Cell"):
                place = cell.get(f"{_SHEETS}Index", "")
                column = min(int(place), _LAST_COLUMN) if place.isdigit() else 0
                found += [""] * (column - 1 - len(found))
                found.append(_words(cell))
            cells[number] = dict(row_of(found))
        written = {number: row for number, row in cells.items() if row}
        name = sheet.get(f"{_SHEETS}Name", "")
        yield from sheet_blocks(Sheet(name=name, page=page, cells=written))


def _records(root: Element) -> Iterator[Block]:
    """One block for each element directly below the root, wrappers of one element opened."""
    own = list(_attributes(root, local(root.tag)))
    path = ""
    while len(root) == 1 and len(next(iter(root))) > 0:
        root = next(iter(root))
        path = f"{path}{local(root.tag)}."
        own.extend(_attributes(root, path.rstrip(".")))
    yield Block(text="\n".join(own), kind=BlockKind.TABLE)
    if not len(root):
        yield Block(text=_words(root))
    for child in root:
        if local(child.tag) not in _UNREAD:
            text = "\n".join(_values(child, f"{path}{local(child.tag)}"))
            yield Block(text=text, kind=BlockKind.TABLE)


def _values(element: Element, path: str) -> Iterator[str]:
    """`path: value` for every leaf; the leaves of a flat record share one line."""
    if len(element) and not any(len(child) or child.attrib for child in element):
        named = [f"{local(child.tag)}: {_words(child)}" for child in element if _words(child)]
        attributes = (line.removeprefix(f"{path}@") for line in _attributes(element, path))
        yield CELL.join([path, *attributes, *named])
        return
    yield from _attributes(element, path)
    if not len(element) or _is_mixed(element):
        if words := _words(element):
            yield f"{path}: {words}"
        return
    for child in element:
        yield from _values(child, f"{path}.{local(child.tag)}")


def _attributes(element: Element, path: str) -> Iterator[str]:
    for name, value in element.attrib.items():
        if value.strip() and not name.startswith(_NOISE):
            yield f"{path}@{local(name)}: {' '.join(value.split())}"
