"""CSV and TSV: one line a row, each value beside the name of its column."""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from stratal_ingest.document import Block, BlockKind, ReadDocument
from stratal_ingest.readers.encoding import decode

CELL = " | "  # between two values of a row
_DELIMITERS = ",;\t|"
_SAMPLE_LINES = 20


class DelimitedReader:
    """Reads delimited text; ragged rows and quotes that never close are taken as they come."""

    formats = ("csv", "tsv")
    libraries: tuple[str, ...] = ("charset_normalizer",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """One table, in the order of the file."""
        text = decode(data)
        usual = csv.field_size_limit(max(len(text), 1))
        try:
            source = io.StringIO(text, newline="")
            rows = list(csv.reader(source, delimiter=delimiter_of(text, name)))
        finally:
            csv.field_size_limit(usual)  # one number for the whole process
        block = Block(text="\n".join(_lines(rows)), kind=BlockKind.TABLE)
        tabbed = PurePath(name).suffix.lower() in {".tsv", ".tab"}
        return ReadDocument(format="tsv" if tabbed else "csv", blocks=(block,))


def delimiter_of(text: str, name: str = "") -> str:
    r"""The character that parts the columns: found most evenly in the first lines.

    >>> delimiter_of("a;b\n1,5;2")
    ';'
    """
    lines = [line for line in text[:65536].splitlines()[:_SAMPLE_LINES] if line.strip()]

    def evenness(delimiter: str) -> tuple[int, int]:
        counts = [line.count(delimiter) for line in lines]
        return (sum(1 for count in counts if count), min(counts, default=0))

    best = max(_DELIMITERS, key=evenness)
    if evenness(best)[0]:
        return best
    return "\t" if PurePath(name).suffix.lower() == ".tsv" else ","


def _lines(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    header: Sequence[str] = ()
    filled = [[" ".join(cell.split()) for cell in row] for row in rows]
    filled = [row for row in filled if any(row)]
    for place, row in enumerate(filled):
        last = place == len(filled) - 1
        if not header and _is_header(row) and not last:
            header = row
        else:
            yield CELL.join(_named(row, header))


def _is_header(row: Sequence[str]) -> bool:
    """Two names or more, and no number among them: a lone cell above a table is its title."""
    names = [cell for cell in row if cell]
    return len(names) > 1 and not any(cell[0].isdigit() for cell in names)


def _named(row: Sequence[str], header: Sequence[str]) -> Iterator[str]:
    for place, cell in enumerate(row):
        if cell:
            name = header[place] if place < len(header) else ""
            yield f"{name}: {cell}" if name else cell
