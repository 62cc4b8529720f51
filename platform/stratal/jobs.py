"""The timer: consolidation on a schedule, one run a user and due time."""

import logging
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import RowMapping, insert, select, update
from sqlalchemy.exc import IntegrityError

from stratal.engines import embedder_of, former_of
from stratal.errors import ConfigError, StratalError
from stratal.settings import Settings
from stratal.writers import Writers
from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.embedding.embedder import Embedder
from stratal_memory.scopes import DEFAULT_AGENT, Principal
from stratal_memory.store import Clock, Store, utc_now
from stratal_memory.truth.database import Database
from stratal_memory.truth.schema import sessions, slots

if TYPE_CHECKING:
    from apscheduler.triggers.cron import CronTrigger

CONSOLIDATE = "consolidate"
FAILED = "failed"
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_WEEKDAYS = re.compile(r"(\*|[0-7])(?:-([0-7]))?(?:/(\d+))?")

Timer = Callable[[str, Callable[[], None]], None]  # a cron schedule, and what to call when due

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One due time of a job for one user, and what came of it."""

    job: str
    user: str
    agent: str
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


def jobs(settings: Settings, database: Database, *, clock: Clock = utc_now) -> list[Job]:
    """What `serve` would run, and when next; `ConfigError` for a schedule that is no cron."""
    return [
        Job(
            name=CONSOLIDATE,
            schedule=settings.jobs.consolidate,
            next_due=_next_due(settings.jobs.consolidate, after=clock()),
            users=len(everybody(database)),
        )
    ]


def _next_due(schedule: str, *, after: datetime) -> datetime:
    """The first due time later than `after`, in the machine's zone."""
    due = _cron(schedule).get_next_fire_time(None, after + timedelta(microseconds=1))
    if not isinstance(due, datetime):
        raise ConfigError(
            f"jobs.consolidate never comes due: {schedule!r}",
            hint="Name a day that every such month has.",
        )
    return due


def _cron(schedule: str) -> "CronTrigger":
    from apscheduler.triggers.cron import CronTrigger

    *fields, weekdays = schedule.split() or [""]
    try:
        named = ",".join(_named(part) for part in weekdays.split(","))
        return CronTrigger.from_crontab(" ".join((*fields, named)))
    except ValueError as error:
        raise ConfigError(
            f"jobs.consolidate is no cron schedule: {schedule!r} ({error})",
            hint="Five fields, as in 0 3 * * * for three o'clock every night.",
        ) from error


def _named(part: str) -> str:
    """Weekdays by name: cron counts them from Sunday, APScheduler from Monday."""
    found = _WEEKDAYS.fullmatch(part)
    if found is None or part == "*":
        return part
    first, last, step = found.groups()
    low = 0 if first == "*" else int(first)
    high = int(last or (6 if step else low))
    days = range(low, high + 1, int(step or 1))
    return ",".join(DAYS[day % 7] for day in days) or part


def run_due(
    settings: Settings,
    database: Database,
    *,
    due: datetime,
    on_outcome: Callable[[Outcome], None] | None = None,
    clock: Clock = utc_now,
) -> list[Outcome]:
    """Consolidate every user for the slot `due`; a slot another process took is left alone.

    One user's failure is kept in their outcome and stops nobody else.
    """
    load_embedder = cache(lambda: embedder_of(settings))  # once, and only when somebody's is due
    outcomes: list[Outcome] = []
    for user, agent in everybody(database):
        started = clock()
        if not _claim(database, _slot_name(user, agent), due=due, started=started):
            continue
        outcome = Outcome(
            job=CONSOLIDATE,
            user=user,
            agent=agent,
            due=due,
            started=started,
            outcome=_consolidate(
                settings, database, user, agent=agent, load_embedder=load_embedder, clock=clock
            ),
            ended=clock(),
        )
        _keep(database, outcome)
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
        return [(row.user, row.agent) for row in found]


def _slot_name(user: str, agent: str) -> str:
    """One text for both: no name holds a line break, so no two pairs have the same."""
    return f"{user}\n{agent}"


def _claim(database: Database, name: str, *, due: datetime, started: datetime) -> bool:
    try:
        with database.write() as connection:
            connection.execute(
                insert(slots).values(job=CONSOLIDATE, user=name, due=due, started=started)
            )
    except IntegrityError:
        return False
    return True


def _consolidate(
    settings: Settings,
    database: Database,
    user: str,
    *,
    agent: str,
    load_embedder: Callable[[], Embedder | None],
    clock: Clock,
) -> str:
    """What came of it, in words."""
    idle = timedelta(minutes=settings.jobs.idle_minutes)
    try:
        principal = Principal(user=user, agent=agent)
        store = Store.open(
            database,
            principal,
            embedder=load_embedder(),
            former=former_of(settings),
            clock=clock,
            gate=settings.gate(),
        )
        with closing(store), closing(Writers(settings)) as writers:
            report = consolidate(store, idle=idle, complete=writers.reader())
    except Exception as error:  # the job runner: one user's trouble is theirs alone
        log.exception("consolidation of %s failed", user)
        hint = error.hint if isinstance(error, StratalError) else ""
        return f"{FAILED}: {error} {hint}".strip()
    return f"{len(report.changes)} changes, run {report.run}"


def _keep(database: Database, done: Outcome) -> None:
    name = _slot_name(done.user, done.agent)
    with database.write() as connection:
        connection.execute(
            update(slots)
            .where(slots.c.job == done.job, slots.c.user == name, slots.c.due == done.due)
            .values(ended=done.ended, outcome=done.outcome)
        )


def past(database: Database, *, limit: int = 50) -> list[Outcome]:
    """The latest outcomes, latest first; one that a crash cut off has no end and no words."""
    with database.read() as connection:
        found = connection.execute(
            select(slots).order_by(slots.c.due.desc(), slots.c.user).limit(limit)
        )
        return [_outcome(row) for row in found.mappings()]


def _outcome(fields: RowMapping) -> Outcome:
    user, _, agent = str(fields["user"]).partition("\n")
    return Outcome(
        job=fields["job"],
        user=user,
        agent=agent or DEFAULT_AGENT,
        due=fields["due"],
        started=fields["started"],
        ended=fields["ended"],
        outcome=fields["outcome"],
    )


def serve(
    settings: Settings,
    database: Database,
    *,
    on_outcome: Callable[[Outcome], None],
    on_idle: Callable[[datetime], None],
    clock: Clock = utc_now,
    timer: Timer | None = None,
) -> None:
    """Run jobs when they come due, in the foreground, until interrupted.

    The timer only wakes us: what is due and done lies in the truth. Due times that passed while
    nothing ran are made up for once, as the latest of them, so that all processes name the same.
    """
    schedule = settings.jobs.consolidate
    due = _next_due(schedule, after=clock())

    def fire() -> None:
        nonlocal due
        while (later := _next_due(schedule, after=due)) <= clock():
            due = later
        try:
            run_due(settings, database, due=due, on_outcome=on_outcome, clock=clock)
        finally:  # a failure is logged by the timer, and the next due time is another one
            due = _next_due(schedule, after=max(due, clock()))
            on_idle(due)

    on_idle(due)
    (timer or cron_timer)(schedule, fire)


def cron_timer(schedule: str, fire: Callable[[], None]) -> None:
    """Call `fire` whenever `schedule` comes due, one call at a time, until interrupted."""
    from apscheduler.schedulers.blocking import BlockingScheduler

    scheduler = BlockingScheduler()
    scheduler.add_job(
        fire, _cron(schedule), coalesce=True, max_instances=1, misfire_grace_time=None
    )
    try:
        scheduler.start()
    finally:
        if scheduler.running:
            scheduler.shutdown(wait=True)
