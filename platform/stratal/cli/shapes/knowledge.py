"""Documents and what became of their files."""

from datetime import datetime

from stratal.cli.shapes.base import ScopeName, Shape
from stratal_ingest.report import FileRow, Totals
from stratal_memory.records import Evidence, Trust, Unread


class Ingested(Shape):
    """What became of each file."""

    files: tuple[FileRow, ...]
    totals: Totals
    run: str  # what `memory undo` takes back; empty when nothing changed


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
    root: str  # the folder, pattern or file it was found by
    parent: str  # id of the document it lies in
    refused: tuple[Unread, ...]  # files inside it that could not be read


class DocumentList(Shape):
    """The live documents within reach."""

    documents: tuple[DocumentShape, ...]


class PassageShape(Shape):
    """One chunk of a document."""

    id: str
    text: str
    source: str
    page: int  # 0 where the format has none
    heading: tuple[str, ...]  # the headings above it, outermost first
    evidence: tuple[Evidence, ...]  # where in the document's text, in characters


class DocumentShown(Shape):
    """A document, what it is related to, and its chunks in order."""

    document: DocumentShape
    within: DocumentShape | None  # the document it lies in
    inside: tuple[DocumentShape, ...]  # the documents that lie in it
    copies: tuple[DocumentShape, ...]  # documents it shares chunks with
    passages: tuple[PassageShape, ...]
    text: str  # with --text: all of it, and of what lies in it; else empty


class DocumentRemoved(Shape):
    """The document that is no longer recalled."""

    removed: DocumentShape
    undo: str  # what `memory undo` takes back
