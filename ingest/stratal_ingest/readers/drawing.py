"""What is written in a drawing of an Office file: charts, diagrams and pictures' descriptions."""

import re
from collections.abc import Iterator

from stratal_ingest.document import Block, BlockKind
from stratal_ingest.readers.package import Package
from stratal_ingest.readers.table import row_of, table_lines
from stratal_ingest.readers.xml_tree import Element, local

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_D = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_MOST_POINTS = 2_000  # of a chart; what it is drawn from has them all
_MADE_UP = re.compile(r"(?:Picture|Image|Grafik|Bild|Chart|Diagram|Shape|Text ?Box) ?\d*", re.I)
_MACHINE = "Description automatically generated"


def graphic_blocks(
    element: Element, package: Package, part: str, heading: tuple[str, ...], *, page: int = 0
) -> Iterator[Block]:
    """The charts and diagrams that `element`, an element of `part`, refers to."""
    kinds = {link.id: link for link in package.relations(part)}
    for node in element.iter(f"{_C}chart", f"{_D}relIds"):
        ids = [id for key, id in node.attrib.items() if local(key) in {"id", "dm"}]
        for link in (kinds[id] for id in ids if id in kinds):
            root = package.part(link.target)
            if root is None:
                continue
            chart = local(root.tag) == "chartSpace"
            kind = BlockKind.TABLE if chart else BlockKind.PROSE
            text = "\n".join(_chart(root) if chart else _diagram(root))
            yield Block(text=text, kind=kind, heading=heading, page=page)


def paragraph(element: Element) -> str:
    """The text of a paragraph of DrawingML."""
    parts: list[str] = []
    for node in element.iter(f"{A}t", f"{A}br", f"{A}tab"):
        parts.append(node.text or "" if node.tag == f"{A}t" else "\n")
    return "".join(parts)


def paragraphs(element: Element) -> list[str]:
    """The paragraphs in `element` that say something."""
    found = (paragraph(node).strip() for node in element.iter(f"{A}p"))
    return [text for text in found if text]


def description(attributes: Element) -> str:
    """What a picture's properties say it shows; empty where a program made it up."""
    words = attributes.get("descr", "") or attributes.get("title", "")
    words = " ".join(words.replace(_MACHINE, "").split())
    return "" if _MADE_UP.fullmatch(words) else words


def _chart(root: Element) -> Iterator[str]:
    """Its titles, then one line a category with the value of each series."""
    for title in root.iter(f"{_C}title"):
        yield " ".join(paragraphs(title))
    columns: list[tuple[str, dict[int, str], dict[int, str]]] = []
    for series in root.iter(f"{_C}ser"):
        name = " ".join(_points(series, "tx").values())
        places = _points(series, "cat") or _points(series, "xVal")
        columns.append((name, places, _points(series, "val") or _points(series, "yVal")))
    if columns:
        yield from _values(columns)


def _values(columns: list[tuple[str, dict[int, str], dict[int, str]]]) -> list[str]:
    names = max((places for _, places, _ in columns), key=len)
    last = max((max(values, default=-1) for _, _, values in columns), default=-1)
    rows = [row_of(["", *(name for name, _, _ in columns)])]
    for place in range(min(last + 1, _MOST_POINTS)):
        cells = [values.get(place, "") for _, _, values in columns]
        rows.append(row_of([names.get(place, ""), *cells]))
    return table_lines([row for row in rows if row])


def _points(series: Element, tag: str) -> dict[int, str]:
    found: dict[int, str] = {}
    part = series.find(f"{_C}{tag}")
    for point in part.iter(f"{_C}pt") if part is not None else ():
        shown = point.find(f"{_C}v")
        place = point.get("idx", "0")
        if shown is not None and place.isdigit():
            found[int(place)] = shown.text or ""
    return found


def _diagram(root: Element) -> Iterator[str]:
    """One line a point of the diagram, in the order of its data."""
    for point in root.iter(f"{_D}pt"):
        words = " ".join(paragraphs(point))
        if words:
            yield f"- {words}"
