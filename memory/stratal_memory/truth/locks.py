"""Who works on a data directory: many at a time, or one alone for maintenance.

Every process that opens a directory holds a lock file of its own under `open/`; maintenance holds
`maintenance.lock` and waits until nobody else is there. That lock is the gate too: an opener
registers while it holds it for a moment, so nobody registers during maintenance, and nobody who
waits at the gate is waited for. Operating-system locks go with their process: a crash leaves a
file behind, never a lock.
"""

import json
import os
import sys
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from stratal_memory.errors import DataDirectoryBusy

MAINTENANCE_FILE = "maintenance.lock"
OPEN_FOLDER = "open"


def _describe(purpose: str) -> str:
    command = Path(sys.argv[0]).name or "python"
    since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return f"{purpose} (process {os.getpid()}, {command}, since {since})"


def _note(lock: Path) -> Path:
    return lock.with_suffix(".json")


def _lock(path: Path) -> FileLock:
    """A lock that any thread of the process may release, not only the one that took it."""
    return FileLock(path, thread_local=False)


def _write_note(lock: Path, purpose: str) -> None:
    _note(lock).write_text(json.dumps({"holder": _describe(purpose)}), encoding="utf-8")


def _read_note(lock: Path) -> str:
    try:
        return str(json.loads(_note(lock).read_text(encoding="utf-8"))["holder"])
    except (OSError, ValueError, KeyError):
        return "a process that left no name"


@dataclass(slots=True)
class Presence:
    """One open handle on a data directory; `leave` ends it."""

    path: Path
    lock: FileLock

    def leave(self) -> None:
        """End it; maintenance no longer waits for this handle."""
        self.lock.release()
        self.path.unlink(missing_ok=True)
        _note(self.path).unlink(missing_ok=True)


def enter(folder: Path, *, purpose: str, wait: float) -> Presence:
    """Register as one who works on `folder`.

    Raises `DataDirectoryBusy` naming the holder when maintenance lasts over `wait` seconds.
    """
    (folder / OPEN_FOLDER).mkdir(parents=True, exist_ok=True)
    gate = _lock(folder / MAINTENANCE_FILE)
    try:
        gate.acquire(timeout=wait)
    except Timeout:
        raise _busy(folder, [_read_note(folder / MAINTENANCE_FILE)]) from None
    try:
        path = folder / OPEN_FOLDER / f"{os.getpid()}-{uuid.uuid4().hex[:8]}.lock"
        lock = _lock(path)
        lock.acquire()
        _write_note(path, purpose)
    finally:
        gate.release()
    return Presence(path, lock)


def is_present(folder: Path, name: str) -> bool:
    """Whether the process that registered as `name` is still there; a crash ends its presence."""
    path = folder / OPEN_FOLDER / name
    if not name or not path.exists():
        return False
    lock = _lock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    lock.release()
    return False


@contextmanager
def maintenance(
    folder: Path,
    *,
    purpose: str,
    wait: float,
    own: Presence | None = None,
    unless: Callable[[], bool] | None = None,
) -> Generator[bool]:
    """Hold `folder` alone and yield True; `own` is the caller's own presence and does not count.

    Yields False, without waiting for anybody to leave, when `unless()` says that somebody has
    done the work meanwhile: they may be at home in the folder by now.
    Raises `DataDirectoryBusy` naming every process in the way after `wait` seconds for each.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / MAINTENANCE_FILE
    lock = _lock(path)
    try:
        lock.acquire(timeout=wait)
    except Timeout:
        raise _busy(folder, [_read_note(path)]) from None
    try:
        if unless is not None and unless():
            yield False
            return
        _write_note(path, purpose)
        present = _others(folder, own=own, wait=wait)
        if present:
            raise _busy(folder, present)
        yield True
    finally:
        _note(path).unlink(missing_ok=True)
        lock.release()


def _others(folder: Path, *, own: Presence | None, wait: float) -> list[str]:
    """The descriptions of those still there; what crashed processes left is swept away."""
    present: list[str] = []
    for path in sorted((folder / OPEN_FOLDER).glob("*.lock")):
        if own is not None and path == own.path:
            continue
        lock = _lock(path)
        try:
            lock.acquire(timeout=wait)
        except Timeout:
            present.append(_read_note(path))
            continue
        lock.release()
        path.unlink(missing_ok=True)
        _note(path).unlink(missing_ok=True)
    return present


def _busy(folder: Path, holders: list[str]) -> DataDirectoryBusy:
    names = "; ".join(holders)
    return DataDirectoryBusy(
        f"the data directory {folder} is held by {names}",
        holders=holders,
        hint="Wait for it to end, or stop that process; nothing was changed.",
    )
