"""The text of a paragraph and of a table in Word, changes accepted."""

from collections.abc import Iterator

from stratal_ingest.readers.table import Row, row_of
from stratal_ingest.readers.word_styles import W, value
from stratal_ingest.readers.xml_tree import Element

FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_WRITTEN = {
    **{f"{W}tab": "\t", f"{W}ptab": "\t", f"{W}br": "\n", f"{W}cr": "\n"},
    f"{W}noBreakHyphen": "-",
}
# Changes count as accepted: what was struck out, and where a passage was moved from, is gone.
_UNREAD = {
    *(f"{W}{name}" for name in ("del", "moveFrom", "pPr", "rPr", "txbxContent", "rt")),
    FALLBACK,
}


def paragraph_text(element: Element) -> str:
    """The text of a paragraph without that of text boxes anchored in it."""
    parts: list[str] = []
    stack = [element]
    while stack:
        node = stack.pop()
        if node.tag in {f"{W}t", f"{_MATH}t"}:
            parts.append(node.text or "")
        elif node.tag in _WRITTEN:
            parts.append(_WRITTEN[node.tag])
        elif node.tag not in _UNREAD:
            stack.extend(reversed(node))
    return "".join(parts)


def table_rows(rows: list[Element]) -> list[Row]:
    """The cells by column; one merged over rows is in each, one merged over columns in its first.

    A table in a cell is read as words.
    """
    found: list[Row] = []
    above: dict[int, str] = {}
    for row in rows:
        if row.find(f"{W}trPr/{W}del") is not None:
            continue
        before = value(row, f"{W}trPr/{W}gridBefore")
        column = int(before) if before.isdigit() else 0
        cells: dict[int, str] = {}
        for cell in own(row, f"{W}tc", f"{W}tr"):
            merged = cell.find(f"{W}tcPr/{W}vMerge")
            goes_on = merged is not None and merged.get(f"{W}val", "continue") == "continue"
            text = _cell(cell)
            cells[column] = above.get(column, text) if goes_on and not text else text
            span = value(cell, f"{W}tcPr/{W}gridSpan")
            column += max(int(span), 1) if span.isdigit() else 1
        above = cells
        found.append({place: text for place, text in cells.items() if text})
    return [row for row in found if row]


def _cell(cell: Element) -> str:
    words = row_of([" ".join(paragraph_text(paragraph) for paragraph in cell.iter(f"{W}p"))])
    return words.get(0, "")


def own(container: Element, tag: str, boundary: str) -> Iterator[Element]:
    """What is in `container` itself and not in another one nested in it."""
    for element in container.iter(tag):
        if next(element.iterancestors(boundary)) is container:
            yield element
