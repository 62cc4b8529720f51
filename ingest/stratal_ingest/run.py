"""One run of ingestion: what becomes of each file, read top to bottom."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from stratal_ingest.batching import Batching, Embedded
from stratal_ingest.chunker import Count
from stratal_ingest.cutting import Cutting, Ready
from stratal_ingest.errors import DocumentError
from stratal_ingest.looking import Looking, Rows, Task
from stratal_ingest.options import Options, Progress
from stratal_ingest.parsing import Parsed, Parsing
from stratal_ingest.report import FileStatus
from stratal_ingest.rows import refused_row
from stratal_ingest.sandbox import Sandbox
from stratal_ingest.sources import Found, Origin, Source
from stratal_ingest.store import DocumentStore
from stratal_memory.errors import NotFound


class Run:
    """Reads what was found into a store, once. Use it as a context manager."""

    def __init__(
        self,
        found: Found,
        into: DocumentStore,
        *,
        count: Count,
        options: Options,
        tell: Callable[[Progress], None],
    ) -> None:
        """`tell` hears how far it is; `options.on_step` hears each step by name."""
        self._found = found
        self._into = into
        self._options = options
        self._tell = tell
        self._looking = Looking(found, into, options)
        self._cutting = Cutting(into, count, options)
        self._parsing: Parsing[Task] = Parsing(Sandbox(options.limits))
        self._batching: Batching[Ready] = Batching(into.embed, tick=self._told)
        self._rows: dict[int, Rows] = {}
        self._under_way: set[str] = set()  # digests of what is read and not stored yet
        self._later: list[tuple[int, Source]] = []  # the same bytes as something under way
        self._total_bytes = sum(map(_size, found.sources))
        self._path = ""  # the file in hand
        self._looked = self._bytes = self._stored = 0

    def rows(self) -> Rows:
        """The rows in the order of the sources, those of what is gone last."""
        self._look_at(enumerate(self._found.sources))
        while self._later:
            again, self._later = self._later, []
            self._look_at(again)
        ended = list(self._looking.ended())
        self._options.on_step("ended")
        self._path = ""
        self._told()
        return [*(row for place in sorted(self._rows) for row in self._rows[place]), *ended]

    @property
    def stored(self) -> int:
        """The files that were added or changed so far, those inside them not counted."""
        new = (FileStatus.ADDED, FileStatus.CHANGED)
        return (
            0
            if self._options.dry_run
            else sum(bool(rows) and rows[0].status in new for rows in self._rows.values())
        )

    def _look_at(self, sources: Iterable[tuple[int, Source]]) -> None:
        """Look at each, have those read that must be, and store all of them."""
        for place, source in sources:
            self._path = source.shown
            self._told()
            try:
                task, data = self._looking.task(place, source)
            except (DocumentError, NotFound) as error:
                gone = self._looking.has_documents(source)
                self._rows[place] = [] if gone else [refused_row(source.shown, error)]
            else:
                self._look(task, data)
            self._looked = max(self._looked, place + 1)
        for parsed in self._parsing.rest():
            self._take(parsed)
        for several in self._batching.rest():
            self._write(several)

    def _look(self, task: Task, data: bytes) -> None:
        self._options.on_step("hashed")
        known = self._looking.known(task)
        if known is not None:
            self._finish(task, known)
        elif task.digest in self._under_way and not self._options.again:
            self._later.append((task.place, task.source))
        else:
            self._under_way.add(task.digest)
            for parsed in self._parsing.ask(task, data, task.name):
                self._take(parsed)

    def _take(self, parsed: Parsed[Task]) -> None:
        """Cut up what was read and have it embedded; write what is embedded by now."""
        task, result = parsed.task, parsed.result
        self._options.on_step("parsed")
        if isinstance(result, DocumentError):
            self._finish(task, [refused_row(task.source.shown, result, seconds=parsed.seconds)])
            return
        ready = self._cutting.ready(task, result, seconds=parsed.seconds)
        if self._options.dry_run or not ready.drafts:
            self._finish(task, ready.named({}))
            return
        self._options.on_step("cut")
        for several in self._batching.add(ready, ready.missing):
            self._write(several)

    def _write(self, several: Sequence[Embedded[Ready]]) -> None:
        """Store some files, each with what lies in it, in one transaction."""
        ids: list[dict[str, str]] = []
        with self._into.together() as into:
            for embedded in several:
                self._options.on_step("embedded")
                ready = embedded.item
                stored = into.store_all(ready.drafts, embedded.found, keep=ready.keep)
                ids.append({one.path: one.id for one in stored})
        for embedded, named in zip(several, ids, strict=True):
            self._options.on_step("written")
            task = embedded.item.task
            other = None if named else self._looking.known(task)  # another run was faster
            self._finish(task, other or embedded.item.named(named))

    def _finish(self, task: Task, rows: Rows) -> None:
        self._rows[task.place] = rows
        self._under_way.discard(task.digest)
        self._bytes += task.size
        self._stored += sum(row.chunks for row in rows)
        self._told()

    def _told(self) -> None:
        self._tell(
            Progress(
                done=self._looked,
                total=len(self._found.sources),
                path=self._path,
                chunks=max(self._batching.done, self._stored),
                bytes=self._bytes,
                total_bytes=self._total_bytes,
            )
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the child and the threads, whatever happened."""
        self._parsing.close()
        self._batching.close()


def _size(source: Source) -> int:
    try:
        return Path(source.path).stat().st_size if source.origin is Origin.FILE else 0
    except (OSError, ValueError):
        return 0
