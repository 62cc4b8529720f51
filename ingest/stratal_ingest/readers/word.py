"""DOCX: headings, paragraphs, lists, tables, boxes and notes, in reading order."""

from collections.abc import Iterator

from stratal_ingest.document import Block, BlockKind, Outline, ReadDocument
from stratal_ingest.readers.drawing import description, graphic_blocks
from stratal_ingest.readers.package import Package, says_something
from stratal_ingest.readers.table import table_lines
from stratal_ingest.readers.word_styles import (
    Numbering,
    Style,
    W,
    list_of,
    outline_level,
    styles,
    value,
)
from stratal_ingest.readers.word_text import FALLBACK, own, paragraph_text, table_rows
from stratal_ingest.readers.xml_tree import Element, local

_WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_OPENED = {"sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag", "body", "docPartBody"}
_NOTES = {"footnote": "Footnote", "endnote": "Endnote"}


class WordReader:
    """Reads a Word document as it reads with every tracked change accepted."""

    formats = ("docx",)
    libraries = ("lxml.etree",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """The header, the body, each note and comment after its paragraph, the footer."""
        package = Package(data)
        main, root = package.main("word/document.xml")
        walk = _Walk(package, main)
        blocks: list[Block] = list(walk.margin("header"))
        for body in root.iter(f"{W}body"):
            blocks.extend(walk.blocks(body))
        blocks.extend(walk.margin("footer"))
        return ReadDocument(
            format="docx", title=package.title() or _first_title(blocks), blocks=tuple(blocks)
        )


def _first_title(blocks: list[Block]) -> str:
    """The outermost heading; of several the first."""
    headings = [block for block in blocks if block.kind == BlockKind.HEADING]
    return " ".join(headings[0].heading[0].split()) if headings else ""


class _Walk:
    def __init__(self, package: Package, main: str) -> None:
        self._package = package
        self._main = main
        self._styles = styles(package, main)
        self._numbering = Numbering(package, main)
        self._outline = Outline()
        self._items: list[str] = []
        self._carried = ""  # a paragraph whose end was struck out goes on in the next
        self._noted = dict.fromkeys(_NOTES, 0)
        self._notes = {kind: _by_id(package, main, kind) for kind in (*_NOTES, "comment")}

    def blocks(self, container: Element) -> Iterator[Block]:
        """Blocks of the paragraphs and tables in `container`, content controls opened."""
        for element in container:
            if element.tag == f"{W}p":
                yield from self._paragraph(element)
            elif element.tag == f"{W}tbl":
                yield from self._list()
                yield from self._table(element)
            elif local(element.tag) in _OPENED:
                yield from self.blocks(element)
        yield from self._list()

    def margin(self, kind: str) -> Iterator[Block]:
        """What stands in the headers or footers, once; a bare page number is left out."""
        seen: set[str] = set()
        for root in self._package.related(self._main, kind):
            lines = [paragraph_text(paragraph).strip() for paragraph in root.iter(f"{W}p")]
            text = "\n".join(line for line in lines if line)
            if says_something(text) and text not in seen:
                seen.add(text)
                yield Block(text=text)

    def _paragraph(self, element: Element) -> Iterator[Block]:
        text, self._carried = self._carried + paragraph_text(element), ""
        if element.find(f"{W}pPr/{W}rPr/{W}del") is not None:
            self._carried = text
            return
        style = self._styles.get(value(element, f"{W}pPr/{W}pStyle"), Style())
        level = outline_level(element)
        level = style.level if level is None else level
        label, depth = self._label(element, style) if text.strip() else ("", 0)
        if level is not None and level >= 0 and text.strip():
            yield from self._list()
            yield self._heading(f"{label.removeprefix('-')} {text}".strip(), level)
        elif label:
            self._items.append(f"{'  ' * depth}{label} {text.strip()}")
        else:
            yield from self._list()
            yield self._block(text, BlockKind.PROSE)
        yield from self._attached(element)

    def _heading(self, text: str, level: int) -> Block:
        self._outline.enter(level, " ".join(text.split()))
        return self._block(text, BlockKind.HEADING)

    def _label(self, element: Element, style: Style) -> tuple[str, int]:
        """The number or bullet before a list's item, and how deep the item is in the list."""
        id, level = list_of(element)
        if not id:
            id, inherited = style.numbering
            level = level or inherited
        if id in {"", "0"}:
            return "", 0
        depth = min(int(level), 8) if level.isdigit() else 0
        return self._numbering.label(id, depth), depth

    def _attached(self, paragraph: Element) -> Iterator[Block]:
        """Boxes, pictures, charts, notes and comments anchored in a paragraph."""
        attached = list(self._anchored(paragraph))
        if attached and self._items:
            yield from self._list()
        yield from attached

    def _anchored(self, paragraph: Element) -> Iterator[Block]:
        for node in paragraph.iter(
            f"{W}txbxContent", f"{_WP}docPr", f"{W}footnoteReference", f"{W}endnoteReference",
            f"{W}commentReference", f"{W}drawing",
        ):  # fmt: skip
            if _is_inside(node, paragraph):
                continue
            if node.tag == f"{W}txbxContent":
                yield from self.blocks(node)
            elif node.tag == f"{_WP}docPr":
                words = description(node)
                yield self._block(f"[Image: {words}]" if words else "", BlockKind.PROSE)
            elif node.tag == f"{W}drawing":
                path = self._outline.path
                yield from graphic_blocks(node, self._package, self._main, path)
            else:
                yield self._note(local(node.tag).removesuffix("Reference"), node)

    def _note(self, kind: str, reference: Element) -> Block:
        id = reference.get(f"{W}id", "")
        note = self._notes[kind].get(id)
        if note is None:
            return self._block("", BlockKind.PROSE)
        words = " ".join(" ".join(paragraph_text(p) for p in note.iter(f"{W}p")).split())
        author = note.get(f"{W}author", "")
        name = _NOTES.get(kind, f"Comment by {author}" if author else "Comment")
        if kind in _NOTES:
            self._noted[kind] += 1
            name = f"{name} {self._noted[kind]}"
        return self._block(f"[{name}: {words}]" if words else "", BlockKind.PROSE)

    def _table(self, table: Element) -> Iterator[Block]:
        rows = list(own(table, f"{W}tr", f"{W}tbl"))
        cells = [cell for row in rows for cell in own(row, f"{W}tc", f"{W}tr")]
        if len(cells) == 1:  # a frame around text, not a table
            yield from self.blocks(cells[0])
            return
        lines = table_lines(table_rows(rows))
        yield self._block("\n".join(lines), BlockKind.TABLE)
        yield from self._attached(table)

    def _list(self) -> Iterator[Block]:
        items, self._items = self._items, []
        if items:
            yield self._block("\n".join(items), BlockKind.PROSE)

    def _block(self, text: str, kind: BlockKind) -> Block:
        return Block(text=text, kind=kind, heading=self._outline.path)


def _is_inside(node: Element, anchor: Element) -> bool:
    """Whether `node` comes with a box in `anchor`, or not at all."""
    for above in node.iterancestors():
        if above is anchor:
            return False
        if above.tag in {FALLBACK, f"{W}del", f"{W}txbxContent"}:
            return True
    return False


def _by_id(package: Package, main: str, kind: str) -> dict[str, Element]:
    found = (note for root in package.related(main, f"{kind}s") for note in root.iter(f"{W}{kind}"))
    return {note.get(f"{W}id", ""): note for note in found}
