"""PPTX: a slide is a page under its title; shapes as they lie on it, then its notes."""

from collections.abc import Iterator

from stratal_ingest.document import Block, BlockKind, ReadDocument
from stratal_ingest.readers.drawing import A, description, graphic_blocks, paragraph, paragraphs
from stratal_ingest.readers.package import Package
from stratal_ingest.readers.table import Row, row_of, table_lines
from stratal_ingest.readers.xml_tree import Element, local

_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_TITLES = frozenset({"title", "ctrTitle"})
_DECORATION = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})  # the same on every slide
_BAND = 300_000  # EMU, about 8 mm: shapes nearer than that stand side by side


class SlidesReader:
    """Reads presentations; a hidden slide says so in its heading."""

    formats = ("pptx",)
    libraries = ("lxml.etree",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """The slides in the order they are shown."""
        package = Package(data)
        main, root = package.main("ppt/presentation.xml")
        targets = {link.id: link.target for link in package.relations(main)}
        shown = [targets.get(slide.get(_R_ID, ""), "") for slide in root.iter(f"{_P}sldId")]
        blocks: list[Block] = []
        for page, part in enumerate(shown, 1):
            slide = package.part(part) if part else None
            if slide is not None:
                blocks.extend(_Slide(package, part, slide, page).blocks())
        first = next((b.heading[0] for b in blocks if b.kind == BlockKind.HEADING), "")
        return ReadDocument(
            format="pptx", title=package.title() or first, blocks=tuple(blocks), pages=len(shown)
        )


class _Slide:
    def __init__(self, package: Package, part: str, root: Element, page: int) -> None:
        self._package = package
        self._part = part
        self._root = root
        self._page = page
        self._heading: tuple[str, ...] = ()

    def blocks(self) -> Iterator[Block]:
        shapes = list(_shapes(self._root))
        title = next((shape for shape in shapes if _placeholder(shape) in _TITLES), None)
        words = " ".join(" ".join(paragraphs(title)).split()) if title is not None else ""
        hidden = " (hidden slide)" if self._root.get("show", "1") in {"0", "false"} else ""
        if words or hidden:
            heading = f"{words or f'Slide {self._page}'}{hidden}"
            self._heading = (heading,)
            yield self._block(heading, BlockKind.HEADING)
        for shape in shapes:
            if shape is not title and _placeholder(shape) not in _DECORATION:
                yield from self._shape(shape)
        yield from self._beside("notesSlide", "Notes")
        yield from self._comments()

    def _shape(self, shape: Element) -> Iterator[Block]:
        for table in shape.iter(f"{A}tbl"):
            yield self._block("\n".join(table_lines(_rows(table))), BlockKind.TABLE)
        text = "\n".join(_lines(shape))
        yield self._block(text, BlockKind.PROSE)
        yield from graphic_blocks(shape, self._package, self._part, self._heading, page=self._page)
        for properties in shape.iter(f"{_P}cNvPr"):
            words = description(properties)
            yield self._block(f"[Image: {words}]" if words else "", BlockKind.PROSE)

    def _beside(self, kind: str, name: str) -> Iterator[Block]:
        """The text of the speaker's notes."""
        for root in self._package.related(self._part, kind):
            said = [
                line
                for shape in _shapes(root)
                if _placeholder(shape) not in _DECORATION
                for line in paragraphs(shape)
            ]
            yield self._block("\n".join([f"{name}:", *said]) if said else "", BlockKind.PROSE)

    def _comments(self) -> Iterator[Block]:
        for root in self._package.related(self._part, "comments"):
            for comment in root:
                said = (n.text or "" for n in comment.iter() if local(n.tag) in {"text", "t"})
                words = " ".join(" ".join(said).split())
                yield self._block(f"[Comment: {words}]" if words else "", BlockKind.PROSE)

    def _block(self, text: str, kind: BlockKind) -> Block:
        return Block(text=text, kind=kind, heading=self._heading, page=self._page)


def _shapes(root: Element) -> Iterator[Element]:
    """The shapes, groups opened, in bands from the top and in a band from the left.

    A shape without a place of its own takes that of its layout: it stays where the file has it.
    """
    for tree in root.iter(f"{_P}spTree"):
        yield from _in_order(tree)


def _in_order(group: Element) -> Iterator[Element]:
    placed: list[tuple[int, int, Element]] = []
    band = left = 0
    for shape in group:
        if local(shape.tag) == "AlternateContent":
            shape = next((child[0] for child in map(list, shape) if child), shape)
        if local(shape.tag) not in {"sp", "grpSp", "graphicFrame", "pic", "cxnSp"}:
            continue
        at = next((node for node in shape.iter(f"{A}off", f"{A}ext") if node.get("x", "")), None)
        at = at if at is not None else next(shape.iter(f"{_P}off"), None)
        if at is not None:
            left, band = _number(at.get("x", "")), _number(at.get("y", "")) // _BAND
        placed.append((band, left, shape))
    for _, _, shape in sorted(placed, key=lambda each: each[:2]):
        if local(shape.tag) == "grpSp":
            yield from _in_order(shape)
        else:
            yield shape


def _number(text: str) -> int:
    return int(text) if text.lstrip("-").isdigit() else 0


def _placeholder(shape: Element) -> str:
    """What the shape holds the place of: `title`, `body`, `sldNum`; empty for any other shape."""
    found = next(shape.iter(f"{_P}ph"), None)
    return "" if found is None else found.get("type", "body")


def _lines(shape: Element) -> Iterator[str]:
    """The paragraphs of the shape itself, deeper ones indented as items."""
    for body in shape.iter(f"{_P}txBody"):
        for line in body.iter(f"{A}p"):
            text = paragraph(line).strip()
            properties = line.find(f"{A}pPr")
            level = 0 if properties is None else _number(properties.get("lvl", ""))
            if text:
                yield f"{'  ' * min(level, 8)}- {text}" if level > 0 else text


def _rows(table: Element) -> list[Row]:
    """The cells by column; one merged over rows is in each of them."""
    rows: list[Row] = []
    above: dict[int, str] = {}
    for row in table.iter(f"{A}tr"):
        cells: dict[int, str] = {}
        for column, cell in enumerate(row.iter(f"{A}tc")):
            text = row_of([" ".join(paragraphs(cell))]).get(0, "")
            goes_on = cell.get("vMerge", "") in {"1", "true"}
            cells[column] = above.get(column, text) if goes_on and not text else text
        above = cells
        rows.append({column: text for column, text in cells.items() if text})
    return [row for row in rows if row]
