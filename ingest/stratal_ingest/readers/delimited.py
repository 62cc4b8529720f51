"""CSV and TSV: one line a row, each value beside the name of its column."""

import csv
import io
import re
from pathlib import PurePath

from stratal_ingest.document import Block, BlockKind, ReadDocument
from stratal_ingest.readers.encoding import decode
from stratal_ingest.readers.table import named_lines, row_of

_DELIMITERS = ",;\t|"
_SAMPLE_LINES = 20
_SEPARATOR = re.compile(r"sep=([^\w\s\"]|\t)\r?\n", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"\n]*"')  # a delimiter in quotes parts nothing


class DelimitedReader:
    """Reads delimited text; ragged rows and quotes that never close are taken as they come."""

    formats = ("csv", "tsv")
    libraries: tuple[str, ...] = ("charset_normalizer",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """One table, in the order of the file."""
        text = decode(data)
        named = _SEPARATOR.match(text)  # how Excel is told what parts the columns
        delimiter = named[1] if named else delimiter_of(text, name)
        text = text[named.end() :] if named else text
        usual = csv.field_size_limit(max(len(text), 1))
        try:
            source = io.StringIO(text, newline="")
            rows = list(csv.reader(source, delimiter=delimiter))
        finally:
            csv.field_size_limit(usual)  # one number for the whole process
        lines = named_lines(list(map(row_of, rows)), pairs=True)
        block = Block(text="\n".join(lines), kind=BlockKind.TABLE)
        tabbed = PurePath(name).suffix.lower() in {".tsv", ".tab"}
        return ReadDocument(format="tsv" if tabbed else "csv", blocks=(block,))


def delimiter_of(text: str, name: str = "") -> str:
    r"""The character that parts the columns: found most evenly in the first lines.

    >>> delimiter_of("a;b\n1,5;2")
    ';'
    """
    sample = _QUOTED.sub("", text[:65536])
    lines = [line for line in sample.splitlines()[:_SAMPLE_LINES] if line.strip()]

    def evenness(delimiter: str) -> tuple[int, int]:
        counts = [line.count(delimiter) for line in lines]
        return (sum(1 for count in counts if count), min(counts, default=0))

    best = max(_DELIMITERS, key=evenness)
    if evenness(best)[0]:
        return best
    return "\t" if PurePath(name).suffix.lower() == ".tsv" else ","
