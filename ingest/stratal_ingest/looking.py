"""What memory knows of a file before it is read: unchanged, moved, a copy, or gone."""

import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from stratal_ingest.contents import content, too_large
from stratal_ingest.errors import UnreadableFile, UrlRefused
from stratal_ingest.options import Options
from stratal_ingest.presence import gone, has_files, replaced
from stratal_ingest.readers.formats import expected_format
from stratal_ingest.report import FileRow, FileStatus
from stratal_ingest.rows import refused_row, tree_rows
from stratal_ingest.sources import (
    STDIN_NAME,
    Found,
    Origin,
    Root,
    Source,
)
from stratal_ingest.store import DocumentStore
from stratal_memory.errors import NotFound
from stratal_memory.records import Document, Trust

Rows = list[FileRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A file in hand; its bytes travel beside it and are let go of early."""

    place: int  # in the order of the sources
    source: Source
    key: str
    digest: str  # SHA-256 of the bytes
    size: int
    name: str  # tells the format

    @property
    def trust(self) -> Trust:
        """How far its words may be believed."""
        return Trust.WEB if self.source.origin is Origin.WEB else Trust.DOCUMENT


class Looking:
    """Looks at the files of one run; moves, copies and retires what needs no reading."""

    def __init__(self, found: Found, into: DocumentStore, options: Options) -> None:
        self._found = found
        self._into = into
        self._options = options
        self._moved: set[str] = set()  # ids

    def task(self, place: int, source: Source) -> tuple[Task, bytes]:
        """The file with its bytes. Raises a `DocumentError` or `NotFound` where there are none."""
        if source.problem is not None:
            raise source.problem
        data, name = self._bytes(source)
        digest = hashlib.sha256(data).hexdigest()
        key = source.key or f"{STDIN_NAME}:{digest[:16]}"
        task = Task(place=place, source=source, key=key, digest=digest, size=len(data), name=name)
        return task, data

    def _bytes(self, source: Source) -> tuple[bytes, str]:
        limit = self._options.limits.file_bytes
        if source.origin is Origin.WEB:
            if self._options.fetch is None:
                raise UrlRefused(
                    "it is an address, and addresses are not fetched",
                    hint="Allow it with --allow-url, or set ingest.urls.",
                )
            fetched = self._options.fetch(source.path)
            return fetched.data, fetched.name
        if source.origin is Origin.STDIN:
            data = sys.stdin.buffer.read(limit + 1)
            if len(data) > limit:
                raise too_large(len(data), limit)
            return data, source.shown
        return content(source.path, limit=limit), PurePath(source.shown).name

    def known(self, task: Task) -> Rows | None:
        """The rows of a file that needs no reading; None where it does."""
        if self._options.again:
            return None
        live = self._into.find(task.key)
        if live is not None:
            same = live.content_hash == task.digest and live.trust is task.trust
            same = same and self._into.stands(live)
            return self._tree(live, task.source, FileStatus.UNCHANGED) if same else None
        alike = [
            one
            for one in self._into.same_bytes(task.digest)
            if _alike(one, task) and self._into.stands(one)
        ]
        for one in alike:
            if task.source.origin is Origin.FILE and self._left(one):
                return self._move(one, task)
        return self._copy(alike[0], task) if alike else None

    def _left(self, document: Document) -> bool:
        """Whether the file of a document is not where it was."""
        here = document.path in self._found.keys or document.id in self._moved
        return not here and _gone(document)

    def _move(self, document: Document, task: Task) -> Rows:
        self._moved.add(document.id)
        moved = document
        if not self._options.dry_run:
            moved = self._into.move(document, path=task.key, root=task.source.root)
        rows = self._tree(moved, task.source, FileStatus.CHANGED)
        return [replace(rows[0], moved_from=document.path), *rows[1:]]

    def _copy(self, document: Document, task: Task) -> Rows:
        if self._options.dry_run:
            rows = self._tree(document, task.source, FileStatus.ADDED)
            return [replace(row, id="", copy_of=document.id) for row in rows]
        copied = self._into.copy(document, path=task.key, root=task.source.root)
        rows = self._tree(copied, task.source, FileStatus.ADDED)
        return [replace(rows[0], copy_of=document.id), *rows[1:]]

    def _tree(self, document: Document, source: Source, status: FileStatus) -> Rows:
        return list(tree_rows(document, source.shown, status, self._into.inside))

    def ended(self) -> Iterator[FileRow]:
        """Retire what came from the roots of this run and is gone; the rows of it."""
        if self._options.again:
            return
        done = set(self._moved)
        for root in self._found.roots:
            ended = [
                document
                for document in self._of(root)
                if document.id not in done and self._has_ended(document, root)
            ]
            if ended and not has_files(root.home):
                yield refused_row(root.path, _unplugged(root, len(ended)))
                continue
            for document in ended:
                done.add(document.id)
                yield from self._retire(document)

    def _of(self, root: Root) -> Sequence[Document]:
        """The documents that came from a root."""
        if not root.alone:
            return self._into.found_by(root.path, folder=root.folder)
        # A folder that is not there may come back with its disk; a single file is its own root.
        found = self._into.find(root.path)
        return [found] if found else []

    def _has_ended(self, document: Document, root: Root) -> bool:
        if document.path in self._found.keys and not root.alone:
            return replaced(document.path)  # a pipe is found, and refused
        return root.alone or _gone(document)

    def _retire(self, document: Document) -> Rows:
        rows = tree_rows(document, document.path, FileStatus.RETIRED, self._into.inside)
        ended = [row for row in rows if row.error is None]
        if not self._options.dry_run:
            try:
                self._into.retire(document, reason=f"{document.path} is gone")
            except NotFound:  # another run retired it meanwhile
                return []
        return ended

    def has_documents(self, source: Source) -> bool:
        """Whether a path that names nothing any more once did: its documents end, no error."""
        if source.problem is None or self._options.again or source.key != source.root:
            return False
        return any(root.path == source.root and self._of(root) for root in self._found.roots)


def _alike(document: Document, task: Task) -> bool:
    """Whether it was read as the file would be: the ending may decide how."""
    before, now = PurePath(document.path).suffix.lower(), task.source.suffix
    told = expected_format(f"a{before}")
    alike = before == now or (told == expected_format(f"a{now}") and told != "code")
    return alike and document.trust is task.trust


def _gone(document: Document) -> bool:
    """Whether it came from a file and that is gone; addresses and standard input never are."""
    return Path(document.path).is_absolute() and gone(document.path)


def _unplugged(root: Root, documents: int) -> UnreadableFile:
    many = "1 document" if documents == 1 else f"{documents:,} documents"
    return UnreadableFile(
        f"{many} came from here, and there is no file in {root.home!r} now: nothing was retired.",
        hint="Plug the disk in, or take them out: stratal documents remove ID.",
    )
