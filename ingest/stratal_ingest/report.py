"""What an ingest run did, one row a file: the shape of `stratal ingest --json`."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import TypeAdapter

DONE, FAILED, PARTLY_FAILED = 0, 1, 3  # exit codes (INTERFACES, section 1)


class FileStatus(StrEnum):
    """What became of a file."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    RETIRED = "retired"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowError:
    """Why a file was refused; `type` is the name of an error class."""

    type: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    """One file of the run. What is not known of a refused file is empty or 0."""

    id: str  # of the stored document; empty when refused, and for what a dry run would add
    path: str
    status: FileStatus
    format: str = ""
    title: str = ""
    pages: int = 0
    characters: int = 0
    chunks: int = 0
    tokens: int = 0  # in all passages, overlap included; 0 when unchanged: nothing was counted
    seconds: float = 0.0  # reading and cutting it up; embedding is shared with other files
    error: RowError | None = None
    moved_from: str = ""  # where it was before: nothing was read or embedded again
    copy_of: str = ""  # id of the document with the same bytes whose passages it shares
    within: str = ""  # path of the file it lies in


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The sums over all rows."""

    files: int
    added: int
    changed: int
    unchanged: int
    retired: int
    refused: int
    moved: int  # of those that changed
    pages: int
    characters: int
    chunks: int
    tokens: int
    seconds: float  # on the clock, the whole run


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The run: its rows in the order the files were read, and their sums."""

    files: tuple[FileRow, ...]
    totals: Totals
    run: str = ""  # what `stratal memory undo` takes back; empty when nothing changed

    @property
    def exit_code(self) -> int:
        """0 when no file was refused, 1 when nothing succeeded, 3 when a part did."""
        if not self.totals.refused:
            return DONE if self.files else FAILED
        return FAILED if self.totals.refused == self.totals.files else PARTLY_FAILED

    def summary(self) -> str:
        """The sums as JSON: what is kept of a run; it names no file."""
        return TOTALS.dump_json(self.totals).decode()

    def to_json(self) -> dict[str, object]:
        """`{"files": [...], "totals": {...}}` of plain values."""
        plain: dict[str, object] = REPORT.dump_python(self, mode="json")
        return plain


TOTALS = TypeAdapter(Totals)
REPORT = TypeAdapter(Report)  # its JSON schema documents `ingest --json`


def totalled(rows: Sequence[FileRow], *, seconds: float, run: str = "") -> Report:
    """The report of `rows`; `seconds` is how long the whole run took."""
    by_status = {status: sum(row.status == status for row in rows) for status in FileStatus}
    totals = Totals(
        files=len(rows),
        added=by_status[FileStatus.ADDED],
        changed=by_status[FileStatus.CHANGED],
        unchanged=by_status[FileStatus.UNCHANGED],
        retired=by_status[FileStatus.RETIRED],
        refused=by_status[FileStatus.REFUSED],
        moved=sum(bool(row.moved_from) for row in rows),
        pages=sum(row.pages for row in rows),
        characters=sum(row.characters for row in rows),
        chunks=sum(row.chunks for row in rows),
        tokens=sum(row.tokens for row in rows),
        seconds=seconds,
    )
    return Report(files=tuple(rows), totals=totals, run=run)
