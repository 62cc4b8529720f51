"""An erase from beginning to end; every step can be cut off and is done again. Read down."""

import shutil
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from stratal_memory.erase import files, job, reindexing, residue, rows
from stratal_memory.erase.job import Job
from stratal_memory.erase.receipt import Receipt, kept
from stratal_memory.erase.siblings import Sibling
from stratal_memory.erase.target import Target, What
from stratal_memory.erase.traces import Traces
from stratal_memory.errors import NotFound, StorageFull
from stratal_memory.index.door import FOLDER
from stratal_memory.store import Clock, utc_now
from stratal_memory.truth import compacting, runs
from stratal_memory.truth.database import FILE_NAME, Database

PURPOSE = "erasing memory"
KIND = "erase"

OnStep = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an erase would take, and what it needs."""

    target: Target
    counts: tuple[tuple[str, int], ...]  # rows by what they are
    left: tuple[Sibling, ...]  # would stay and still say it: `Target.siblings` takes them too
    bytes_needed: int  # free disk, for the database written anew
    bytes_free: int


def plan(database: Database, target: Target) -> Plan:
    """What erasing `target` would take; nothing is changed.

    Raises `NotFound` and `AccessDenied` as `erase` does.
    """
    return _planned(database, target)[0]


def _planned(database: Database, target: Target) -> tuple[Plan, rows.Erasable]:
    with database.read() as connection:
        found = rows.look(connection, target)
    user = target.principal.user
    if not found.counts and not files.are_there(database.folder, user):
        raise NotFound(f"there is nothing of {user!r} here")
    needed, free = _room(database.folder)
    counts = _sorted(found.counts)
    made = Plan(target=target, counts=counts, left=found.left, bytes_needed=needed, bytes_free=free)
    return made, found


def _sorted(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((name, count) for name, count in counts.items() if count))


def _room(folder: Path) -> tuple[int, int]:
    """Bytes an erase needs and those that are free: the database twice, and the index anew."""
    database = (folder / FILE_NAME).stat().st_size
    index = sum(path.stat().st_size for path in (folder / FOLDER).rglob("*") if path.is_file())
    return 2 * database + index, shutil.disk_usage(folder).free


def erase(
    database: Database,
    target: Target,
    *,
    clock: Clock = utc_now,
    backups: Collection[Path] = (),
    on_step: OnStep | None = None,
) -> Receipt:
    """The receipt of erasing `target`, alone in the data directory until it is done.

    An erase that a crash cut off is finished first. `backups` are folders outside that may hold
    copies: they are looked through and listed, never changed.
    Raises `NotFound` when nothing has that name, `AccessDenied` for what is not theirs,
    `DataDirectoryBusy` naming who works in the directory, `StorageFull` before anything is
    changed, and `EraseFailed` when a step can't be done; the next erase goes on there.
    """
    with database.maintenance(PURPOSE):
        left = job.pending(database.folder)
        if left is not None:
            receipt = _finish(database, left, clock=clock, backups=backups, on_step=on_step)
            if left.target == target:
                return receipt
        begun = _begun(database, target)
        return _finish(database, begun, clock=clock, backups=backups, on_step=on_step)


def resume(
    database: Database,
    *,
    clock: Clock = utc_now,
    backups: Collection[Path] = (),
    on_step: OnStep | None = None,
) -> Receipt | None:
    """Finish the erase that a crash cut off; None when there is none."""
    with database.maintenance(PURPOSE):
        left = job.pending(database.folder)
        if left is None:
            return None
        return _finish(database, left, clock=clock, backups=backups, on_step=on_step)


def _begun(database: Database, target: Target) -> Job:
    """The note of a new erase, written before anything is changed."""
    planned, found = _planned(database, target)
    if planned.bytes_free < planned.bytes_needed:
        raise StorageFull(
            f"an erase needs {planned.bytes_needed // 1024**2:,} MiB of free disk,"
            f" {planned.bytes_free // 1024**2:,} MiB are free",
            hint="Free some space; nothing was changed.",
        )
    begun = Job(target=target, fresh=True)
    _note(database, begun, found)
    return begun


def _note(database: Database, one: Job, found: rows.Erasable) -> None:
    """Write down what is there to be erased; what an earlier look found stays."""
    one.counts |= found.counts
    one.texts = list(dict.fromkeys([*one.texts, *found.texts]))
    one.left = list(found.left)
    one.heads = list(dict.fromkeys([*one.heads, *found.heads]))
    one.save(database.folder)


def _finish(
    database: Database,
    one: Job,
    *,
    clock: Clock,
    backups: Collection[Path],
    on_step: OnStep | None,
) -> Receipt:
    """Do what is left of an erase, step by step."""
    tell = on_step or (lambda step: None)
    steps: tuple[tuple[str, Callable[[], None]], ...] = (
        ("rows", lambda: _rows(database, one, at=clock())),
        ("index", lambda: reindexing.renew(database)),
        ("files", lambda: _files(database, one)),
        ("database", lambda: compacting.rewrite(database)),
    )
    for name, step in steps:
        if name not in one.done:
            tell(name)
            step()
            tell(f"{name} done")
            one.done.append(name)
            one.save(database.folder)
    tell("looking")
    receipt = _looked(database, one, at=clock(), backups=backups)
    with database.write() as connection:  # who was erased is not in it
        run = runs.start(connection, kind=KIND, user=_whose(one), at=receipt.at)
        runs.finish(connection, run, report=kept(receipt), at=receipt.at)
    one.finish(database.folder)
    tell("done")
    return receipt


def _whose(one: Job) -> str:
    return "" if one.target.what is What.USER else one.target.principal.user


def _rows(database: Database, one: Job, *, at: datetime) -> None:
    """The transaction; after a crash it may have happened already, then nothing has the name."""
    try:
        if not one.fresh:  # what was written since the crash goes too
            with database.read() as connection:
                found = rows.look(connection, one.target)
            _note(database, one, found)
        counts, one.left = rows.erase_rows(database, one.target, at=at)
        one.counts |= counts
    except NotFound:
        if not one.counts:
            raise


def _files(database: Database, one: Job) -> None:
    removed = files.clean(
        database.folder, one.target, lambda: Traces(residue.needles(one.texts, one.heads))
    )
    one.counts["files"] += len(removed)
    one.removed += removed


def _looked(database: Database, one: Job, *, at: datetime, backups: Collection[Path]) -> Receipt:
    strings = residue.needles(one.texts, one.heads)
    traces = Traces(strings)
    with database.read() as connection:
        shared = residue.kept_elsewhere(connection, traces)
    database.engine.dispose()
    found = residue.scan(
        database.folder,
        traces,
        shared=shared,
        skip=job.paths(database.folder),
        beside=backups,
    )
    return Receipt(
        id=one.id,
        at=at,
        what=one.target.what,
        name=one.target.name,
        counts=_sorted(one.counts),
        files_removed=tuple(one.removed),
        searched=len(strings) - len(shared),
        shared=len(shared),
        files=found.files,
        bytes=found.bytes,
        hits=found.hits,
        backups=found.backups,
        left=tuple(one.left),
    )
