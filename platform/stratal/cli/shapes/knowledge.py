"""Documents and what became of their files."""

from datetime import datetime

from stratal.cli.shapes.base import ScopeName, Shape
from stratal_ingest.report import FileRow, Totals
from stratal_memory.records import Evidence, Trust


class Ingested(Shape):
    """What became of each file."""

    files: tuple[FileRow, ...]
    totals: Totals


class DocumentShape(Shape):
    """A document as it was understood."""

    id: str
    scope: ScopeName
    path: str
    title: str
    format: str
    content_hash: str
    characters: int
    pages: int
    chunks: int
    trust: Trust
    added: datetime


class DocumentList(Shape):
    """The live documents within reach."""

    documents: tuple[DocumentShape, ...]


class PassageShape(Shape):
    """One chunk of a document."""

    id: str
    text: str
    source: str
    evidence: tuple[Evidence, ...]  # where in the document's text, in characters


class DocumentShown(Shape):
    """A document and its chunks in order."""

    document: DocumentShape
    passages: tuple[PassageShape, ...]


class DocumentRemoved(Shape):
    """The document that is no longer recalled."""

    removed: DocumentShape
