"""The database of one data directory: opening it, its transactions, and its errors."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DatabaseError, IntegrityError, ProgrammingError

from stratal_memory.errors import DataDirectoryBusy, StorageError, StorageFull
from stratal_memory.truth import locks, sqlite
from stratal_memory.truth.migration import is_current, upgrade
from stratal_memory.truth.sqlite import Fault, fault_of

FILE_NAME = "stratal.db"
DEFAULT_WAIT = 10.0  # seconds an opener waits for maintenance (a migration) to end

_open: dict[Path, "Database"] = {}
_guard = threading.Lock()


@dataclass(slots=True)
class Database:
    """One data directory's truth. Open it with `Database.open`; close it as often as opened.

    Processes and threads share a directory freely: writes are short `BEGIN IMMEDIATE`
    transactions, reads see a snapshot.
    """

    folder: Path
    engine: Engine
    presence: locks.Presence
    users: int = field(default=1)
    working: set[str] = field(default_factory=set[str])  # turns this process works on

    @classmethod
    def open(
        cls, folder: Path, *, purpose: str = "stratal", wait: float = DEFAULT_WAIT
    ) -> "Database":
        """The database in `folder`, created and migrated when need be; one object a process.

        Raises `DataDirectoryBusy` naming the holder when another process keeps it for
        maintenance, `SchemaTooNew` when a newer Stratal wrote it, `StorageError` when the folder
        can't be used.
        """
        folder = folder.expanduser().resolve()
        with _guard:
            shared = _open.get(folder)
            if shared is not None:
                shared.users += 1
                return shared
            _open[folder] = cls._open_new(folder, purpose=purpose, wait=wait)
            return _open[folder]

    @classmethod
    def _open_new(cls, folder: Path, *, purpose: str, wait: float) -> "Database":
        path = folder / FILE_NAME
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            presence = locks.enter(folder, purpose=purpose, wait=wait)
            path.touch(mode=0o600)  # before SQLite does: its -wal and -shm get the file's rights
            path.chmod(0o600)
        except OSError as error:
            raise StorageError(
                f"the data directory {folder} can't be used: {error.strerror or error}",
                hint="Choose another with --data DIR or STRATAL_DATA.",
            ) from error
        engine = sqlite.open_engine(path)
        try:
            with _typed_errors(folder):
                if not is_current(engine):
                    # Whoever else is opening waits for the same: nobody is present meanwhile.
                    presence.leave()
                    with locks.maintenance(
                        folder,
                        purpose="migrating the database",
                        wait=wait,
                        unless=lambda: is_current(engine),
                    ) as alone:
                        if alone:
                            upgrade(engine)
                    presence = locks.enter(folder, purpose=purpose, wait=wait)
        except BaseException:
            engine.dispose()
            presence.leave()
            raise
        return cls(folder, engine, presence)

    @contextmanager
    def read(self) -> Generator[Connection]:
        """A connection that sees one snapshot of the truth."""
        with _typed_errors(self.folder), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Generator[Connection]:
        """A connection whose changes all happen, durably, or not at all.

        Raises `StorageFull` when the disk is full and `DataDirectoryBusy` when another process
        keeps the write lock for too long; nothing was changed then.
        """
        with _typed_errors(self.folder), self.engine.connect() as connection:
            writing = connection.execution_options(write=True)
            with writing.begin():
                yield writing

    @contextmanager
    def maintenance(self, purpose: str, *, wait: float = 1.0) -> Generator[None]:
        """Hold the data directory alone; raises `DataDirectoryBusy` naming who is in the way."""
        with locks.maintenance(self.folder, purpose=purpose, wait=wait, own=self.presence):
            yield

    @property
    def owner(self) -> str:
        """The name this process is present under."""
        return self.presence.path.name

    def is_at_work(self, *, owner: str, turn: str) -> bool:
        """Whether `owner`, this process or another, is there and works on `turn` now."""
        if owner == self.owner:
            return turn in self.working
        return locks.is_present(self.folder, owner)

    def close(self) -> None:
        """Give this handle back; the last one lets go of the files."""
        with _guard:
            self.users -= 1
            if self.users > 0:
                return
            _open.pop(self.folder, None)
        self.engine.dispose()
        self.presence.leave()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


@contextmanager
def _typed_errors(folder: Path) -> Generator[None]:
    """SQL errors that a person can do something about, as ours."""
    try:
        yield
    except DatabaseError as error:
        fault = fault_of(error)
        if fault is Fault.OTHER and isinstance(error, IntegrityError | ProgrammingError):
            raise  # a mistake of ours: no user can do anything about it
        raise _typed(fault, error, folder) from error


def _typed(fault: Fault, error: DatabaseError, folder: Path) -> StorageError:
    if fault is Fault.FULL:
        return StorageFull(
            f"no room is left on the disk of {folder}",
            hint="Free some space; what was acknowledged before is safe.",
        )
    if fault is Fault.BUSY:
        return DataDirectoryBusy(
            f"another process kept the database in {folder} locked for over "
            f"{sqlite.BUSY_TIMEOUT // 1000} seconds",
            holders=(),
            hint="Try again when it is done; nothing was changed.",
        )
    if fault is Fault.DAMAGED:
        return StorageError(
            f"the database in {folder} is damaged: {error.orig}",
            hint="Keep the folder as it is and restore a backup into a new one.",
        )
    return StorageError(f"the database in {folder} failed: {error.orig}")
