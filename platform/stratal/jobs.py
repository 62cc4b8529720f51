"""The timer: consolidation on a schedule, one run a user and due time."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from stratal.agent import embedder_of
from stratal.errors import ConfigError, StratalError
from stratal.settings import Settings
from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.scopes import Principal
from stratal_memory.store import Store, utc_now
from stratal_memory.truth.database import Database
from stratal_memory.truth.schema import sessions, slots

CONSOLIDATE = "consolidate"
FAILED = "failed"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One due time of a job for one user, and what came of it."""

    job: str
    user: str
    due: datetime
    started: datetime | None
    ended: datetime | None
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as `stratal jobs list` shows it; `schedule` is cron in the machine's zone."""

    name: str
    schedule: str
    next_due: datetime
    users: int


def jobs(settings: Settings, database: Database) -> list[Job]:
    """What `serve` would run, and when next; `ConfigError` for a schedule that is no cron."""
    users = len(everybody(database))
    return [
        Job(
            name=CONSOLIDATE,
            schedule=settings.jobs.consolidate,
            next_due=_next_due(settings.jobs.consolidate),
            users=users,
        )
    ]


def _next_due(schedule: str) -> datetime:
    from apscheduler.triggers.cron import CronTrigger

    try:
        trigger = CronTrigger.from_crontab(schedule)
    except ValueError as error:
        raise ConfigError(
            f"jobs.consolidate is no cron schedule: {schedule!r} ({error})",
            hint="Five fields, as in 0 3 * * * for three o'clock every night.",
        ) from error
    due = trigger.get_next_fire_time(None, utc_now())
    if not isinstance(due, datetime):
        raise ConfigError(f"jobs.consolidate never comes due: {schedule!r}")
    return due


def run_due(
    settings: Settings,
    database: Database,
    *,
    due: datetime,
    on_outcome: Callable[[Outcome], None] | None = None,
) -> list[Outcome]:
    """Consolidate every user for the slot `due`; a slot another process took is left alone.

    One user's failure is kept in their outcome and stops nobody else.
    """
    users = everybody(database)
    outcomes: list[Outcome] = []
    for user, agent in users:
        if not _claim(database, user=f"{user}/{agent}", due=due):
            continue
        outcome = _consolidate_one(settings, database, user, agent=agent, due=due)
        outcomes.append(outcome)
        if on_outcome:
            on_outcome(outcome)
    return outcomes


def everybody(database: Database) -> list[tuple[str, str]]:
    """Everybody who ever talked, with the name of each of their agents."""
    with database.read() as connection:
        found = connection.execute(
            select(sessions.c.user, sessions.c.agent)
            .distinct()
            .order_by(sessions.c.user, sessions.c.agent)
        )
        return [(user, agent) for user, agent in found.tuples()]


def _claim(database: Database, *, user: str, due: datetime) -> bool:
    try:
        with database.write() as connection:
            connection.execute(
                insert(slots).values(job=CONSOLIDATE, user=user, due=due, started=utc_now())
            )
    except IntegrityError:
        return False
    return True


def _consolidate_one(
    settings: Settings, database: Database, user: str, *, agent: str, due: datetime
) -> Outcome:
    started = utc_now()
    try:
        store = Store.open(
            database, Principal(user=user, agent=agent), embedder=embedder_of(settings)
        )
        report = consolidate(store, idle=timedelta(minutes=settings.jobs.idle_minutes))
        store.close()
        outcome = f"{len(report.changes)} changes, run {report.run}"
    except Exception as error:  # the job runner: one user's trouble is theirs alone
        log.exception("consolidation of %s failed", user)
        hint = error.hint if isinstance(error, StratalError) else ""
        outcome = f"{FAILED}: {error} {hint}".strip()
    ended = utc_now()
    with database.write() as connection:
        connection.execute(
            update(slots)
            .where(
                slots.c.job == CONSOLIDATE, slots.c.user == f"{user}/{agent}", slots.c.due == due
            )
            .values(ended=ended, outcome=outcome)
        )
    return Outcome(
        job=CONSOLIDATE, user=user, due=due, started=started, ended=ended, outcome=outcome
    )


def past(database: Database, *, limit: int = 50) -> list[Outcome]:
    """The latest outcomes, latest first."""
    with database.read() as connection:
        found = connection.execute(select(slots).order_by(slots.c.due.desc()).limit(limit))
        return [
            Outcome(
                job=row.job,
                user=row.user,
                due=row.due,
                started=row.started,
                ended=row.ended,
                outcome=row.outcome,
            )
            for row in found
        ]


def serve(
    settings: Settings,
    database: Database,
    *,
    on_outcome: Callable[[Outcome], None],
    on_idle: Callable[[datetime], None],
) -> None:
    """Run jobs when they come due, in the foreground, until interrupted.

    APScheduler is the timer only: what is due and done lies in the truth. A due time that passed
    while nothing ran is made up for once at the next one.
    """
    from apscheduler.schedulers.blocking import BlockingScheduler
    from apscheduler.triggers.cron import CronTrigger

    due = _next_due(settings.jobs.consolidate)

    def fire() -> None:
        nonlocal due
        run_due(settings, database, due=due, on_outcome=on_outcome)
        due = _next_due(settings.jobs.consolidate)
        on_idle(due)

    scheduler = BlockingScheduler()
    scheduler.add_job(
        fire,
        CronTrigger.from_crontab(settings.jobs.consolidate),
        coalesce=True,
        max_instances=1,
        misfire_grace_time=None,
    )
    on_idle(due)
    try:
        scheduler.start()
    finally:
        if scheduler.running:
            scheduler.shutdown(wait=True)
