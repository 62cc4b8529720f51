"""Files in, documents out: find, read, chunk, store; one bad file never stops the run."""

import hashlib
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from stratal_ingest.chunker import Count, chunk
from stratal_ingest.document import ReadDocument
from stratal_ingest.errors import DocumentError
from stratal_ingest.limits import Limits
from stratal_ingest.report import FileRow, FileStatus, Report, RowError, totalled
from stratal_ingest.sandbox import Sandbox
from stratal_ingest.sources import STDIN, Source, content, sources, too_large
from stratal_memory.errors import NotFound
from stratal_memory.incoming import NewDocument
from stratal_memory.records import Document, Passage


class DocumentStore(Protocol):
    """Where understood documents go; opened for one principal and one scope."""

    def find(self, path: str) -> Document | None:
        """The live document that came from this path."""
        ...

    def put(self, document: NewDocument, passages: Sequence[Passage]) -> Document:
        """The document as stored, all of it or nothing; it replaces the live one of its path."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the run is; told before each file, and once more at the end."""

    done: int
    total: int
    path: str  # of the file being read; empty at the end
    chunks: int  # so far


def ingest(
    paths: Sequence[str],
    *,
    into: DocumentStore,
    count: Count,
    on_progress: Callable[[Progress], None] | None = None,
    dry_run: bool = False,
    limits: Limits | None = None,
) -> Report:
    """What became of each file `paths` names: files, folders, patterns, `-` for standard input.

    A file whose bytes are those of the live document from its path is left alone. A dry run reads
    everything and stores nothing. Errors of the store itself stop the run and are raised; what
    was stored before them stays, and a second run goes on from there.
    """
    began = time.perf_counter()
    found = sources(paths)
    rows: list[FileRow] = []
    with Sandbox(limits) as sandbox:
        run = _Run(into, count, sandbox, limits or Limits(), dry_run=dry_run)
        for source in [*found, None]:
            if on_progress is not None:
                path = source.shown if source else ""
                chunks = sum(row.chunks for row in rows)
                on_progress(Progress(done=len(rows), total=len(found), path=path, chunks=chunks))
            if source is not None:
                rows.append(run.row(source))
    return totalled(rows, seconds=time.perf_counter() - began)


class _Run:
    """What every file of one run is read with."""

    def __init__(
        self, into: DocumentStore, count: Count, sandbox: Sandbox, limits: Limits, *, dry_run: bool
    ) -> None:
        self._into = into
        self._count = count
        self._sandbox = sandbox
        self._limits = limits
        self._dry_run = dry_run

    def row(self, source: Source) -> FileRow:
        """What became of one file; only an error of the store is raised."""
        began = time.perf_counter()
        try:
            if source.problem is not None:
                raise source.problem
            row = self._row(source, self._bytes(source))
        except (DocumentError, NotFound) as error:
            row = _refused(source, error)
        return replace(row, seconds=time.perf_counter() - began)

    def _row(self, source: Source, data: bytes) -> FileRow:
        digest = hashlib.sha256(data).hexdigest()
        live = self._into.find(source.key)
        if live is not None and live.content_hash == digest:
            return _unchanged(source, live)
        return self._stored(source, self._read(source, data), digest, live)

    def _bytes(self, source: Source) -> bytes:
        if source.path != STDIN:
            return content(source.path, limit=self._limits.file_bytes)
        data = sys.stdin.buffer.read(self._limits.file_bytes + 1)
        if len(data) > self._limits.file_bytes:
            raise too_large(len(data), self._limits.file_bytes)
        return data

    def _read(self, source: Source, data: bytes) -> ReadDocument:
        name = Path(source.shown)
        document = self._sandbox.read(data, name.name)
        return document if document.title else replace(document, title=name.stem)

    def _stored(
        self, source: Source, document: ReadDocument, digest: str, live: Document | None
    ) -> FileRow:
        passages = chunk(document, count=self._count)
        new = NewDocument(
            path=source.key,
            title=document.title,
            format=document.format,
            content_hash=digest,
            characters=len(document.text),
            pages=document.pages,
        )
        id = live.id if live else ""
        if not self._dry_run:
            id = self._into.put(new, passages).id
        return FileRow(
            id=id,
            path=source.shown,
            status=FileStatus.CHANGED if live else FileStatus.ADDED,
            format=new.format,
            title=new.title,
            pages=new.pages,
            characters=new.characters,
            chunks=len(passages),
            tokens=sum(self._count(passage.text) for passage in passages),
        )


def _unchanged(source: Source, live: Document) -> FileRow:
    return FileRow(
        id=live.id,
        path=source.shown,
        status=FileStatus.UNCHANGED,
        format=live.format,
        title=live.title,
        pages=live.pages,
        characters=live.characters,
        chunks=live.chunks,
    )


def _refused(source: Source, error: DocumentError | NotFound) -> FileRow:
    reason = " ".join(filter(None, (str(error), error.hint)))
    return FileRow(
        id="",
        path=source.shown,
        status=FileStatus.REFUSED,
        error=RowError(type=type(error).__name__, message=reason),
    )
