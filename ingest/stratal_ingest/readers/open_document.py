"""ODT, ODP and ODS: OpenDocument's texts, slides and sheets, in reading order."""

from collections.abc import Iterator, Mapping

from stratal_ingest.document import Block, BlockKind, Outline, ReadDocument
from stratal_ingest.readers.open_text import (
    DC,
    DRAW,
    OFFICE,
    PRESENTATION,
    STYLE,
    SVG,
    TABLE,
    TEXT,
    OpenFile,
    cell_text,
    lines_of,
    rows_of,
)
from stratal_ingest.readers.package import says_something, sensible_title
from stratal_ingest.readers.sheet import Sheet, sheet_blocks, shown_name
from stratal_ingest.readers.table import table_lines
from stratal_ingest.readers.xml_tree import Element, local

_DEEPEST = 12  # styles a style may be based on, one on the other
_OPENED = frozenset(
    {"section", "index-body", "index-title", "index-title-template", "a", "text-box", "text"}
    | {"table-of-content", "alphabetical-index", "illustration-index", "user-index"}
    | {"numbered-paragraph", "bibliography"}
)
_SHAPES = frozenset(
    {"frame", "custom-shape", "rect", "ellipse", "circle", "polygon", "path", "line"}
    | {"connector", "caption", "regular-polygon", "g", "text-box"}
)
_FIELDS = frozenset({"footer", "page-number", "date-time", "header"})  # the same on every slide


class OpenDocumentReader:
    """Reads what LibreOffice and its relatives write, zipped or flat."""

    formats = ("odt", "odp", "ods")
    libraries = ("lxml.etree",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """Text with its notes, slides with theirs, or sheets."""
        file = OpenFile(data)
        body = next(file.content.iter(f"{OFFICE}body"), file.content)
        kind = next((local(child.tag) for child in body), "text")
        if kind == "spreadsheet":
            return _sheets(file, body)
        walk = _Walk(_levels(file))
        slides = list(body.iter(f"{DRAW}page")) if kind == "presentation" else []
        blocks = list(walk.slides(slides) if slides else walk.text(file, body))
        first = next((b.heading[0] for b in blocks if b.kind == BlockKind.HEADING), "")
        return ReadDocument(
            format="odp" if slides else "odt",
            title=sensible_title(file.title()) or first,
            blocks=tuple(blocks),
            pages=len(slides),
        )


def _levels(file: OpenFile) -> dict[str, int]:
    """Heading level by style: `Title` is 0, others as the outline has them."""
    styles = {style.get(f"{STYLE}name", ""): style for style in file.all(f"{STYLE}style")}
    levels = {name: _level(name, styles) for name in styles}
    return {name: level for name, level in levels.items() if level is not None}


def _level(name: str, styles: Mapping[str, Element]) -> int | None:
    for _ in range(_DEEPEST):
        if name.lower() == "title":
            return 0
        style = styles.get(name)
        if style is None:
            return None
        level = style.get(f"{STYLE}default-outline-level", "")
        if level.isdigit():
            return int(level)
        name = style.get(f"{STYLE}parent-style-name", "")
    return None


def _sheets(file: OpenFile, body: Element) -> ReadDocument:
    hidden = {
        style.get(f"{STYLE}name", "")
        for style in file.all(f"{STYLE}style")
        for properties in style.iter(f"{STYLE}table-properties")
        if properties.get(f"{TABLE}display", "true") == "false"
    }
    blocks: list[Block] = []
    tables = [table for table in body.iter(f"{TABLE}table") if not _is_inner(table)]
    for page, table in enumerate(tables, 1):
        is_hidden = table.get(f"{TABLE}style-name", "") in hidden
        name = shown_name(table.get(f"{TABLE}name", ""), hidden=is_hidden)
        cells = {number: dict(row) for number, row in rows_of(table)}
        notes = tuple(_annotation(note) for note in table.iter(f"{OFFICE}annotation"))
        blocks.extend(sheet_blocks(Sheet(name=name, page=page, cells=cells, notes=notes)))
    title = sensible_title(file.title())
    return ReadDocument(format="ods", title=title, blocks=tuple(blocks), pages=len(tables))


def _is_inner(table: Element) -> bool:
    return next(table.iterancestors(f"{TABLE}table"), None) is not None


def _annotation(note: Element) -> str:
    author = next((creator.text or "" for creator in note.iter(f"{DC}creator")), "")
    words = " ".join(" ".join(lines_of(node) for node in note.iter(f"{TEXT}p")).split())
    by = f" by {author}" if author else ""
    return f"[Comment{by}: {words}]" if words else ""


class _Walk:
    def __init__(self, levels: Mapping[str, int]) -> None:
        self._levels = levels
        self._outline = Outline()
        self._page = 0
        self._notes = 0

    def text(self, file: OpenFile, body: Element) -> Iterator[Block]:
        """The headers, the body, the footers."""
        yield from self._margin(file, "header")
        for part in body:
            yield from self._blocks(part)
        self._outline = Outline()
        yield from self._margin(file, "footer")

    def slides(self, slides: list[Element]) -> Iterator[Block]:
        """Each slide under its title, its notes last."""
        for self._page, slide in enumerate(slides, 1):
            self._outline = Outline()
            titles = [s for s in slide if s.get(f"{PRESENTATION}class", "") == "title"]
            words = " ".join(cell_text(title) for title in titles)
            if words:
                self._outline.enter(1, words)
                yield self._block(words, BlockKind.HEADING)
            for shape in slide:
                kind = shape.get(f"{PRESENTATION}class", "")
                if shape not in titles and kind not in _FIELDS and local(shape.tag) != "notes":
                    yield from self._shape(shape)
            for notes in slide.iter(f"{PRESENTATION}notes"):
                said = "\n".join(filter(None, map(lines_of, notes.iter(f"{TEXT}p"))))
                yield self._block(f"Notes:\n{said}" if said else "", BlockKind.PROSE)

    def _blocks(self, container: Element) -> Iterator[Block]:
        for element in container:
            name = local(element.tag)
            if name in {"p", "h"}:
                yield from self._paragraph(element)
            elif name == "list" and next(element.iter(f"{TEXT}h"), None) is None:
                yield self._block("\n".join(self._items(element, 0)), BlockKind.PROSE)
                yield from self._attached(element)
            elif name in {"list", "list-item", "list-header"}:  # numbered headings come as lists
                yield from self._blocks(element)
            elif name == "table" and element.tag.startswith(TABLE):
                yield from self._table(element)
            elif name in _SHAPES:
                yield from self._shape(element)
            elif name in _OPENED:
                yield from self._blocks(element)

    def _paragraph(self, element: Element) -> Iterator[Block]:
        text = lines_of(element)
        level = self._levels.get(element.get(f"{TEXT}style-name", ""))
        if local(element.tag) == "h":
            written = element.get(f"{TEXT}outline-level", "1")
            level = int(written) if written.isdigit() else 1
        if text and level is not None:
            self._outline.enter(level, " ".join(text.split()))
            yield self._block(text, BlockKind.HEADING)
        else:
            yield self._block(text, BlockKind.PROSE)
        yield from self._attached(element)

    def _items(self, listed: Element, depth: int) -> Iterator[str]:
        """One line an item, deeper ones indented."""
        for item in listed:
            mark = "- "
            for part in item:
                if local(part.tag) == "list":
                    yield from self._items(part, min(depth + 1, 8))
                elif text := lines_of(part):
                    yield f"{'  ' * depth}{mark}{text}"
                    mark = "  "

    def _attached(self, paragraph: Element) -> Iterator[Block]:
        """Frames, notes and comments anchored in a paragraph."""
        for node in paragraph.iter(f"{TEXT}note", f"{OFFICE}annotation", *_FRAMES):
            above = next(node.iterancestors(f"{TEXT}note", f"{OFFICE}annotation", *_FRAMES), None)
            if above is not None and above in list(paragraph.iter(above.tag)):
                continue  # it comes with what it is in
            if node.tag == f"{TEXT}note":
                yield self._note(node)
            elif node.tag == f"{OFFICE}annotation":
                yield self._block(_annotation(node), BlockKind.PROSE)
            else:
                yield from self._shape(node)

    def _note(self, note: Element) -> Block:
        self._notes += 1
        name = "Endnote" if note.get(f"{TEXT}note-class", "") == "endnote" else "Footnote"
        body = next(note.iter(f"{TEXT}note-body"), note)
        words = " ".join(" ".join(lines_of(node) for node in body.iter(f"{TEXT}p")).split())
        return self._block(f"[{name} {self._notes}: {words}]" if words else "", BlockKind.PROSE)

    def _shape(self, shape: Element) -> Iterator[Block]:
        """What is written in a shape or under a picture."""
        yield from self._blocks(shape)
        for said in shape.findall(f"{SVG}title") + shape.findall(f"{SVG}desc"):
            words = " ".join((said.text or "").split())
            yield self._block(f"[Image: {words}]" if words else "", BlockKind.PROSE)

    def _table(self, table: Element) -> Iterator[Block]:
        cells = list(table.iter(f"{TABLE}table-cell"))
        if len(cells) == 1:  # a frame around text, not a table
            yield from self._blocks(cells[0])
            return
        rows = [row for _, row in rows_of(table)]
        yield self._block("\n".join(table_lines(rows)), BlockKind.TABLE)
        yield from self._attached(table)

    def _margin(self, file: OpenFile, kind: str) -> Iterator[Block]:
        """What stands in the headers or footers, once; a bare page number is left out."""
        texts = (
            "\n".join(filter(None, map(lines_of, node.iter(f"{TEXT}p"))))
            for node in file.all(f"{STYLE}{kind}")
        )
        for text in dict.fromkeys(texts):
            if says_something(text):
                yield self._block(text, BlockKind.PROSE)

    def _block(self, text: str, kind: BlockKind) -> Block:
        return Block(text=text, kind=kind, heading=self._outline.path, page=self._page)


_FRAMES = tuple(f"{DRAW}{name}" for name in sorted(_SHAPES - {"text-box"}))
