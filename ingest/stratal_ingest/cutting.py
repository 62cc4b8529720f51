"""A file that was read becomes drafts of documents, with their rows for the report."""

from dataclasses import dataclass, replace
from functools import lru_cache

from stratal_ingest.chunker import Count, Sizes, chunk
from stratal_ingest.document import ReadDocument
from stratal_ingest.family import Chunker, Member, Origins, Outermost, members
from stratal_ingest.looking import Task
from stratal_ingest.options import Options
from stratal_ingest.report import FileRow, FileStatus
from stratal_ingest.rows import of_document, of_member, tree_rows, unread_rows
from stratal_ingest.store import DocumentStore
from stratal_memory.records import Document
from stratal_memory.tiers.drafts import Draft

KEPT = 4_096  # counts of texts: a passage is counted when it is cut and for its row


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A file that was read and cut up: what to store of it, and its rows but for new ids."""

    task: Task
    drafts: tuple[Draft, ...]
    keep: tuple[str, ...]  # paths of documents in it that are what they were
    rows: tuple[tuple[str, FileRow], ...]  # by path; empty for what could not be read

    @property
    def missing(self) -> list[str]:
        """The texts that must be embedded first."""
        return [text for draft in self.drafts for text in draft.missing]

    def named(self, stored: dict[str, str]) -> list[FileRow]:
        """The rows with the ids of what was stored, by path."""
        return [replace(row, id=stored.get(path, row.id)) for path, row in self.rows]


class Cutting:
    """Cuts up the files of one run."""

    def __init__(self, into: DocumentStore, count: Count, options: Options) -> None:
        self._into = into
        self._count = count = lru_cache(maxsize=KEPT)(count)
        self._options = options
        sizes = Sizes() if into.window is None else Sizes.of_window(into.window)
        usual: Chunker = lambda document: chunk(document, count=count, sizes=sizes)  # noqa: E731
        self._chunker = options.chunker or usual

    def ready(self, task: Task, document: ReadDocument, *, seconds: float) -> Ready:
        """The drafts and rows of a file; `seconds` it took to read."""
        outermost = Outermost(key=task.key, shown=task.source.shown, content_hash=task.digest)
        origins = Origins(root=task.source.root, trust=task.trust)
        drafts: list[Draft] = []
        keep: list[str] = []
        rows: list[tuple[str, FileRow]] = []
        for member in members(document, outermost, origins, self._chunker):
            path = member.new.path
            live = self._into.find(path)
            draft = self._draft(member, live)
            if draft is not None:
                drafts.append(draft)
            else:
                keep.append(path)
            rows.append((path, self._row(member, live, stays=draft is None, seconds=seconds)))
            rows += [("", row) for row in unread_rows(member.new.refused, member.shown)]
            seconds = 0.0  # the files inside were read with it
        rows += self._ended(task, {path for path, _ in rows})
        return Ready(task=task, drafts=tuple(drafts), keep=tuple(keep), rows=tuple(rows))

    def _ended(self, task: Task, there: set[str]) -> list[tuple[str, FileRow]]:
        """The rows of what lay in a file, or in one inside it, and does no more."""
        outer = [live for live in map(self._into.find, sorted(there - {""})) if live]
        return [
            ("", row)
            for one in outer
            for inner in self._into.inside(one)
            if inner.path not in there
            for row in tree_rows(
                inner,
                f"{task.source.shown}{inner.path.removeprefix(task.key)}",
                FileStatus.RETIRED,
                self._into.inside,
            )
            if row.error is None
        ]

    def _draft(self, member: Member, live: Document | None) -> Draft | None:
        """What must be stored; None where the live document is that already."""
        again, new = self._options.again, member.new
        if live is not None and new.within and not again:
            same = live.content_hash == new.content_hash and live.refused == new.refused
            if same and live.trust is new.trust:
                return None
        draft = self._into.draft(new, member.passages, fresh=again)
        if again and not draft.missing and self._into.holds(draft):
            return None
        return draft

    def _row(
        self, member: Member, live: Document | None, *, stays: bool, seconds: float
    ) -> FileRow:
        if stays and live is not None:
            row = of_document(live, member.shown, FileStatus.UNCHANGED)
            return replace(row, seconds=seconds)
        status = FileStatus.CHANGED if live else FileStatus.ADDED
        id = live.id if live else ""
        return of_member(member, id=id, status=status, seconds=seconds, count=self._count)
