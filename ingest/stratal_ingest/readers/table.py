"""Rows of a table as lines of text: a row that may be read alone names its columns."""

import re
from collections.abc import Iterator, Mapping, Sequence

CELL = " | "  # between two values that name their columns
TAB = "\t"  # between two values that don't

Row = Mapping[int, str]  # what is in a row by its column from 0, in order; nothing blank

_LONG = 1_500  # characters: a table beyond it is cut into passages that lose its first row
_WIDE = 24  # columns up to which an empty cell keeps its place
_LOOK = 20  # rows below the first that tell whether it names the columns
_LONGEST_NAME = 80  # characters of a column's name
_NUMBER = re.compile(r"[-+(]?[$€£¥]?\s?[\d.,:/%-]*\d[\d.,:/%)-]*(?:\s?[$€£¥%])?")
_YEAR = re.compile(r"(?:19|20)\d\d(?:[/-]\d\d(?:\d\d)?)?")


def row_of(cells: Sequence[str]) -> Row:
    """The cells that are not blank, each on one line, by their column."""
    folded = (" ".join(cell.split()) for cell in cells)
    return {place: cell for place, cell in enumerate(folded) if cell}


def table_lines(rows: Sequence[Row]) -> list[str]:
    r"""A table of a text: its rows as they are, and with names where it is long.

    >>> table_lines([{0: "who", 1: "weeks"}, {0: "alice", 1: "12"}])
    ['who\tweeks', 'alice\t12']
    """
    length = sum(len(cell) for row in rows for cell in row.values())
    return list(named_lines(rows, pairs=False) if length > _LONG else map(plain_line, rows))


def named_lines(rows: Sequence[Row], *, pairs: bool) -> Iterator[str]:
    """One line a row; below a row of names each value is preceded by its column's.

    `pairs` takes the first of two columns of words for names too, as CSV files have them; a
    form in a sheet (`Name`, `Alice`) has none.
    """
    header: Row = {}
    rows = [row for row in rows if row]
    for place, row in enumerate(rows):
        if header:
            yield _named(row, header)
            continue
        if is_header(row, rows[place + 1 : place + _LOOK], pairs=pairs):
            header = row
        yield plain_line(row)


def plain_line(row: Row) -> str:
    """The cells of a row as they stand."""
    last = max(row, default=-1)
    if last >= _WIDE:
        return TAB.join(row.values())
    return TAB.join(row.get(column, "") for column in range(min(row, default=0), last + 1))


def is_header(row: Row, below: Sequence[Row], *, pairs: bool = True) -> bool:
    """Whether `row` names the columns of the rows `below`: two names or more and no number.

    A lone cell above a table is its title; of two rows of names the fuller one counts.
    """
    if not _has_names(row) or not below:
        return False
    if len(below) > 1 and len(below[0]) > len(row) and _has_names(below[0]):
        return False
    return pairs or len(row) > 2 or _has_numbers(below, column=max(row))


def _has_names(row: Row) -> bool:
    return len(row) > 1 and all(map(_is_name, row.values()))


def _is_name(cell: str) -> bool:
    numeric = _NUMBER.fullmatch(cell) and not _YEAR.fullmatch(cell)
    return len(cell) <= _LONGEST_NAME and not numeric


def _has_numbers(rows: Sequence[Row], *, column: int) -> bool:
    cells = [row[column] for row in rows if column in row]
    numbers = [cell for cell in cells if _NUMBER.fullmatch(cell)]
    return 2 * len(numbers) > len(cells)


def _named(row: Row, header: Row) -> str:
    parts = (
        f"{header[column]}: {cell}" if column in header else cell for column, cell in row.items()
    )
    return CELL.join(parts)
