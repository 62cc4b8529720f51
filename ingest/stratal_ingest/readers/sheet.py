"""A sheet of any spreadsheet program as blocks: its tables, each below its own header."""

from collections.abc import Iterator
from dataclasses import dataclass

from stratal_ingest.document import Block, BlockKind
from stratal_ingest.readers.table import Row, is_header, named_lines

Cells = dict[int, dict[int, str]]  # row and column from 0, both in order; nothing blank


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What a reader found in one sheet."""

    name: str
    page: int  # 1-based
    cells: Cells
    notes: tuple[str, ...] = ()  # comments, each with its cell


def shown_name(name: str, *, hidden: bool) -> str:
    """The name as a heading; a hidden sheet is read and says that it is one."""
    return f"{name} (hidden sheet)" if hidden else name


def sheet_blocks(sheet: Sheet) -> Iterator[Block]:
    """The sheet's name, one block a table, its comments; nothing for an empty sheet."""
    heading = (sheet.name,)
    if not sheet.cells and not sheet.notes:
        return
    yield Block(text=sheet.name, kind=BlockKind.HEADING, heading=heading, page=sheet.page)
    for rows in _tables(sheet.cells):
        text = "\n".join(named_lines(rows, pairs=False))
        yield Block(text=text, kind=BlockKind.TABLE, heading=heading, page=sheet.page)
    yield Block(text="\n".join(sheet.notes), heading=heading, page=sheet.page)


def _tables(cells: Cells) -> Iterator[list[Row]]:
    """Runs of rows that an empty row parts; a run that only goes on shares the one before."""
    rows: list[Row] = []
    last = -1
    for number in sorted(cells):
        row = cells[number]
        if rows and number > last + 1 and not _goes_on(row, rows):
            yield rows
            rows = []
        rows.append(row)
        last = number
    if rows:
        yield rows


def _goes_on(row: Row, rows: list[Row]) -> bool:
    """Whether a row after a gap belongs to the table above.

    It fills the same columns, or the names that end the rows above are those of its columns.
    """
    if len(row) < 2:
        return False
    if len(rows) > 1 and set(row) == set(rows[-1]) == set(rows[0]):
        return True
    named = set(rows[-1]) | {min(row)}
    return is_header(rows[-1], [row]) and not is_header(row, [row]) and set(row) <= named
