"""XLSX: the cells of each sheet as they are shown; empty space between them costs nothing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from stratal_ingest.document import Block, ReadDocument
from stratal_ingest.readers.drawing import graphic_blocks, paragraphs
from stratal_ingest.readers.number_format import BUILT_IN, Show, plain_number, show
from stratal_ingest.readers.package import Package
from stratal_ingest.readers.sheet import Cells, Sheet, sheet_blocks, shown_name
from stratal_ingest.readers.xml_tree import Element, stream_xml

_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_R_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_PLACE = re.compile(r"([A-Z]{1,3})([1-9]\d{0,6})")
_OTHER = {"comments": "comment", "threadedComment": "threadedComment"}
_MIGRATED = "[Threaded comment]"  # what old programs see where a new one shows a thread
_MOST_FILLED = 10_000  # rows a merged cell is repeated in


@dataclass(frozen=True, slots=True, kw_only=True)
class _Values:
    """What the cells of all sheets refer to."""

    strings: list[str]
    shows: list[Show | None]  # by style; None shows the number as it is


def read_workbook(data: bytes) -> ReadDocument:
    """The sheets in their order; a hidden one says so in its heading."""
    package = Package(data)
    main, root = package.main("xl/workbook.xml")
    targets = {link.id: link for link in package.relations(main)}
    values = _Values(strings=_strings(package, main), shows=_shows(package, main, root))
    blocks: list[Block] = []
    listed = list(root.iter(f"{_S}sheet"))
    for page, entry in enumerate(listed, 1):
        link = targets.get(entry.get(_R_ID, ""))
        name = shown_name(entry.get("name", ""), hidden=entry.get("state", "visible") != "visible")
        if link is None:
            continue
        cells = _cells(package.bytes_of(link.target) or b"", link.target, values)
        notes = tuple(_notes(package, link.target))
        blocks.extend(sheet_blocks(Sheet(name=name, page=page, cells=cells, notes=notes)))
        blocks.extend(_drawings(package, link.target, heading=(name,), page=page))
    return ReadDocument(
        format="xlsx", title=package.title(), blocks=tuple(blocks), pages=len(listed)
    )


def _strings(package: Package, main: str) -> list[str]:
    found: list[str] = []
    for link in package.relations(main):
        if link.kind == "sharedStrings":
            data = package.bytes_of(link.target) or b""
            found.extend(_rich(item) for item in stream_xml(data, link.target, f"{_S}si"))
    return found


def _shows(package: Package, main: str, root: Element) -> list[Show | None]:
    """How each cell style shows a number."""
    styles = next(package.related(main, "styles"), None)
    if styles is None:
        return []
    properties = next(root.iter(f"{_S}workbookPr"), None)
    since_1904 = properties is not None and properties.get("date1904", "0") in {"1", "true"}
    codes = {str(id): code for id, code in BUILT_IN.items()}
    for format in styles.iter(f"{_S}numFmt"):
        codes[format.get("numFmtId", "")] = format.get("formatCode", "")
    cached: dict[str, Show] = {id: show(code, since_1904=since_1904) for id, code in codes.items()}
    used = styles.find(f"{_S}cellXfs")
    return [cached.get(style.get("numFmtId", "")) for style in (() if used is None else used)]


def _cells(data: bytes, what: str, values: _Values) -> Cells:
    """What is written in a sheet, by row and column from 0."""
    found: Cells = {}
    merged: list[str] = []
    at = -1
    for element in stream_xml(data, what, f"{_S}row", f"{_S}mergeCell"):
        if element.tag == f"{_S}mergeCell":
            merged.append(element.get("ref", ""))
            continue
        number = element.get("r", "")
        at = int(number) - 1 if number.isdigit() else at + 1
        row = _row(element, values)
        if row:
            found[at] = row
    for place in merged:
        _fill(found, place)
    return found


def _row(row: Element, values: _Values) -> dict[int, str]:
    found: dict[int, str] = {}
    column = -1
    for cell in row:
        place = _PLACE.match(cell.get("r", ""))
        column = _column(place[1]) if place else column + 1
        text = " ".join(_shown(cell, values).split())
        if text:
            found[column] = text
    return found


def _shown(cell: Element, values: _Values) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        inline = cell.find(f"{_S}is")
        return "" if inline is None else _rich(inline)
    held = cell.find(f"{_S}v")
    text = "" if held is None else held.text or ""
    if kind == "s":
        place = int(text) if text.isdigit() else -1
        return values.strings[place] if 0 <= place < len(values.strings) else ""
    if kind == "b":
        return {"0": "FALSE", "1": "TRUE"}.get(text, text)
    return _number(text, cell.get("s", ""), values) if kind == "n" and text else text


def _number(text: str, style: str, values: _Values) -> str:
    try:
        number = float(text)
    except ValueError:
        return text
    place = int(style) if style.isdigit() else -1
    shows = values.shows[place] if 0 <= place < len(values.shows) else None
    return (shows or plain_number)(number) if abs(number) < float("inf") else text


def _rich(item: Element) -> str:
    """A string in runs, without the reading aid (furigana) Japanese ones come with."""
    texts = (
        node.text or ""
        for node in item.iter(f"{_S}t")
        if next(node.iterancestors(f"{_S}rPh"), None) is None
    )
    return "".join(texts)


@cache
def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _fill(cells: Cells, merged: str) -> None:
    """Write the text of a cell merged over rows into each row that has other cells."""
    places = [(_column(letters), int(row) - 1) for letters, row in _PLACE.findall(merged)]
    if len(places) != 2:
        return
    (column, first), (_, last) = places
    text = cells.get(first, {}).get(column, "")
    for row in range(first + 1, min(last, first + _MOST_FILLED) + 1):
        if text and row in cells and column not in cells[row]:
            cells[row] = dict(sorted({**cells[row], column: text}.items()))


def _notes(package: Package, part: str) -> Iterator[str]:
    """The comments on a sheet's cells."""
    for link in package.relations(part):
        root = package.part(link.target) if link.kind in _OTHER else None
        for comment in root.iter() if root is not None else ():
            if not str(comment.tag).endswith(f"}}{_OTHER[link.kind]}"):
                continue
            words = " ".join("".join(comment.itertext()).split())
            if words and not words.startswith(_MIGRATED):
                yield f"[Comment on {comment.get('ref', '')}: {words}]"


def _drawings(
    package: Package, part: str, *, heading: tuple[str, ...], page: int
) -> Iterator[Block]:
    """Boxes and charts that lie on a sheet."""
    for link in package.relations(part):
        root = package.part(link.target) if link.kind == "drawing" else None
        if root is not None:
            yield Block(text="\n".join(paragraphs(root)), heading=heading, page=page)
            yield from graphic_blocks(root, package, link.target, heading, page=page)
