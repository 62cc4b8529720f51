"""Memory on its way in and out, what was erased, and the health of what is there."""

from datetime import datetime

from stratal.cli.shapes.base import Shape
from stratal_memory.erase.target import What
from stratal_memory.findings import Rule, Severity


class Exported(Shape):
    """Where an export lies, and how many rows of each kind are in it."""

    file: str
    rows: dict[str, int]
    bytes: int


class RefusalShape(Shape):
    """A row of an import that was not taken, and why."""

    where: str
    id: str
    reason: str


class ImportShape(Shape):
    """What became of an import, by kind of row; at most 1,000 refusals are told one by one."""

    format: str
    dry_run: bool
    added: dict[str, int]
    unchanged: dict[str, int]
    skipped: dict[str, int]
    refused: int
    refusals: tuple[RefusalShape, ...]


class SiblingShape(Shape):
    """What stays and still says what is erased: a form of memory or a message, and its id."""

    kind: str
    id: str


class ErasePlan(Shape):
    """What an erase would take; nothing was changed."""

    what: What
    name: str
    counts: dict[str, int]
    left: tuple[SiblingShape, ...]
    bytes_needed: int
    bytes_free: int


class ResidueShape(Shape):
    """A file that still holds something of what was erased."""

    file: str
    places: int


class BackupShape(Shape):
    """A copy that still holds what was erased, or may; it is not touched."""

    file: str
    detail: str


class EraseReceipt(Shape):
    """What was erased, and what a look at every file found afterwards."""

    id: str
    at: datetime
    what: What
    name: str
    clean: bool
    counts: dict[str, int]
    files_removed: tuple[str, ...]
    searched: int
    shared: int
    files: int
    bytes: int
    hits: tuple[ResidueShape, ...]
    backups: tuple[BackupShape, ...]
    left: tuple[SiblingShape, ...]


class FindingShape(Shape):
    """One thing that is not as it should be, and the command that mends it."""

    rule: Rule
    severity: Severity
    id: str
    message: str
    fix: str


class MemoryHealth(Shape):
    """The health of what is remembered, worst first."""

    facts: int
    junk_rate: float
    findings: tuple[FindingShape, ...]
