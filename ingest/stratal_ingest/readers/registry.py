"""All readers, and the one door to them."""

from collections.abc import Sequence

from stratal_ingest.document import ReadDocument, cleaned
from stratal_ingest.errors import EmptyDocument
from stratal_ingest.readers.delimited import DelimitedReader
from stratal_ingest.readers.formats import format_of
from stratal_ingest.readers.hypertext import HypertextReader
from stratal_ingest.readers.json_text import JsonReader
from stratal_ingest.readers.markdown import MarkdownReader
from stratal_ingest.readers.pdf import PdfReader
from stratal_ingest.readers.plain import PlainReader
from stratal_ingest.readers.reader import Reader
from stratal_ingest.readers.restructured import RestructuredReader
from stratal_ingest.readers.source_code import CodeReader, PythonReader
from stratal_ingest.readers.word import WordReader

READERS: Sequence[Reader] = (
    PlainReader(),
    MarkdownReader(),
    HypertextReader(),
    PdfReader(),
    WordReader(),
    DelimitedReader(),
    JsonReader(),
    RestructuredReader(),
    PythonReader(),
    CodeReader(),
)
BY_FORMAT: dict[str, Reader] = {format: reader for reader in READERS for format in reader.formats}


def read(data: bytes, name: str) -> ReadDocument:
    """The document in `data`, cleaned; the format is chosen by content, then by `name`.

    Raises a `DocumentError`. It parses in this very process: callers outside of the parser child
    use `stratal_ingest.sandbox` instead.
    """
    if not data.strip():
        raise EmptyDocument(f"it has {len(data)} bytes and no text")
    document = cleaned(BY_FORMAT[format_of(data, name)].read(data, name))
    if not document.blocks:
        raise EmptyDocument("there is no text in it")
    return document
