"""Tables of an HTML page: those that hold data, and those that only place things."""

from typing import TYPE_CHECKING

from stratal_ingest.readers.table import Row, row_of, table_lines

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_MAX_SPAN = 100  # columns or rows; browsers allow 1,000, no reader would follow
_LONG = 400  # characters in a cell, on average, from which they are paragraphs, not data
_CELLS = frozenset({"td", "th"})


def holds_layout(table: "LexborNode") -> bool:
    """Whether `table` only places paragraphs, headings or other tables beside each other."""
    if table.attributes.get("role") in {"presentation", "none"}:
        return True
    if table.css_first("th") is not None:
        return False
    found = table.css("table,h1,h2,h3,h4,article,pre")  # the table itself is among them
    if any(node.mem_id != table.mem_id for node in found):
        return True
    counts = [_cells(row) for row in table.css("tr")]
    return max(counts, default=0) < 2 or len(table.text()) > _LONG * sum(counts)


def _cells(row: "LexborNode") -> int:
    count, child = 0, row.first_child
    while child is not None:
        count += child.tag in _CELLS
        child = child.next
    return count


class PageTable:
    """The rows of the table being read; a table in one of its cells is words of that cell."""

    def __init__(self) -> None:
        self.nested = 0  # tables open inside of this one
        self.closed = False
        self._caption = ""
        self._rows: list[Row] = []
        self._row: dict[int, str] = {}
        self._column = 0
        self._span = (1, 1)  # columns and rows of the open cell
        self._taken: dict[int, int] = {}  # rows below in which a column is another's

    def enter(self, node: "LexborNode", tag: str, text: str | None) -> None:
        """A block begins inside; `text` is what was read of the cell, None while it goes on."""
        if tag == "table":
            self.nested += 1
        if text:
            self._put(text)
        if tag in _CELLS and not self.nested:
            self._span = (_span(node, "colspan"), _span(node, "rowspan"))
        elif tag == "tr" and not self.nested:
            self._end_row()

    def leave(self, tag: str, text: str | None) -> None:
        """A cell, a row, the caption or the table itself ends."""
        if tag == "table" and self.nested:
            self.nested -= 1
            return
        if tag == "caption" and text:
            self._caption = text
        elif tag in _CELLS and not self.nested:
            self._put(text or "")
        elif text:
            self._put(text)
        if tag in {"tr", "table"} and not self.nested:
            self._end_row()
        self.closed = tag == "table"

    @property
    def text(self) -> str:
        """One line a row, below the caption."""
        lines = table_lines(self._rows)
        return "\n".join([self._caption, *lines] if self._caption else lines)

    def _put(self, text: str) -> None:
        columns, rows = self._span
        self._span = (1, 1)
        while self._taken.get(self._column, 0) > 0:
            self._column += 1
        self._row[self._column] = text
        if rows > 1:
            for column in range(self._column, self._column + columns):
                self._taken[column] = rows
        self._column += columns

    def _end_row(self) -> None:
        if not self._row:
            return
        filled = row_of([self._row.get(column, "") for column in range(max(self._row) + 1)])
        if filled:
            self._rows.append(filled)
        self._taken = {column: left - 1 for column, left in self._taken.items() if left > 1}
        self._row = {}
        self._column = 0


def _span(node: "LexborNode", name: str) -> int:
    value = (node.attributes.get(name) or "").strip()
    return min(int(value), _MAX_SPAN) if value.isdecimal() and len(value) < 9 and int(value) else 1
