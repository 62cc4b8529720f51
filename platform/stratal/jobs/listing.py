"""What `stratal jobs` shows and switches: jobs, pauses, and what came of due times."""

from dataclasses import dataclass
from datetime import datetime

from stratal.jobs.outcome import Outcome, outcome_of
from stratal.jobs.registry import Job, job_named
from stratal.jobs.table import Table
from stratal_memory.store import Clock, utc_now
from stratal_memory.truth import schedules, slot_history
from stratal_memory.truth.database import Database
from stratal_memory.truth.schedules import Who
from stratal_memory.truth.slots import EVERYBODY, RUNNING, WAITING


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A job as `stratal jobs list` shows it, for everybody or for one user."""

    name: str
    schedule: str
    next_due: datetime | None  # None: off, or only after somebody fell silent
    users: int
    waiting: int
    running: int
    paused: bool  # for everybody, or for the one user
    paused_users: tuple[str, ...]  # for whom alone


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Outcomes, latest first, and how many of as far back changed nothing and are left out."""

    outcomes: tuple[Outcome, ...]
    empty: int


def listed(
    table: Table, database: Database, *, user: str | None = None, clock: Clock = utc_now
) -> list[Listed]:
    """What `serve` would run, and when next."""
    return [_listed(job, table, database, user=user, now=clock()) for job in table.jobs]


def _listed(
    job: Job, table: Table, database: Database, *, user: str | None, now: datetime
) -> Listed:
    with database.read() as connection:
        who = schedules.people(connection, user=user)
        held = schedules.paused(connection, job.name)
        standing = slot_history.standing(connection, user=user)
    alone = tuple(one for one in held if one != EVERYBODY and user in (None, one))
    late = table.late(user or "")
    due = job.triggers.after(now - late if user else now)
    return Listed(
        name=job.name,
        schedule=job.triggers.text,
        next_due=due and table.start(due, user=user),
        users=len({name for name, _ in who}),
        waiting=standing[job.name, WAITING],
        running=standing[job.name, RUNNING],
        paused=EVERYBODY in held or (user is not None and user in held),
        paused_users=alone,
    )


def everybody(database: Database) -> list[Who]:
    """Everybody who ever talked, with the name of each of their agents."""
    with database.read() as connection:
        return list(schedules.people(connection))


def past(
    database: Database,
    *,
    user: str | None = None,
    empty: bool = False,
    limit: int = 50,
    clock: Clock = utc_now,
) -> History:
    """The latest outcomes; those that changed nothing are counted only, unless `empty`."""
    with database.read() as connection:
        found = slot_history.past(connection, user=user, empty=empty, limit=limit)
        since = found[-1].due if len(found) == limit else None
        left_out = 0 if empty else slot_history.empty_runs(connection, user=user, since=since)
    now = clock()
    return History(outcomes=tuple(outcome_of(one, now=now) for one in found), empty=left_out)


def pause(
    table: Table,
    database: Database,
    name: str,
    *,
    user: str | None = None,
    clock: Clock = utc_now,
) -> bool:
    """Whether a job was paused, for everybody or one user; False when it was already.

    A slice that is being done is finished. `NotFound` for no job of that name.
    """
    job = job_named(table.jobs, name)
    with database.write() as connection:
        return schedules.pause(connection, job.name, user=user or EVERYBODY, now=clock())


def resume(table: Table, database: Database, name: str, *, user: str | None = None) -> bool:
    """Whether a pause ended; what came due in it is made up for by one run.

    `NotFound` for no job of that name.
    """
    job = job_named(table.jobs, name)
    with database.write() as connection:
        return schedules.resume(connection, job.name, user=user or EVERYBODY)
