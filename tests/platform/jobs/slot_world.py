"""Users whose one job counts its effects, and workers as processes that may be killed anywhere.

`python -m tests.platform.jobs.slot_world FOLDER ITEMS SPEED BEGUN` is one worker, until it is
killed. FAILPOINT=name:n in the environment ends it at once, as a crash would, when it comes to the
point of that name for the n-th time; FAILPOINT=~name:n stops it there until it is continued.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import Column, Insert, Integer, MetaData, String, Table, Text, func, insert, select

from stratal.errors import DataDirectoryBusy
from stratal.jobs import table as hours
from stratal.jobs.hours import Quiet
from stratal.jobs.planning import Planner
from stratal.jobs.registry import Done, Job, Task, Unfinished
from stratal.jobs.triggers import read_triggers
from stratal.jobs.worker import Pace, Worker
from stratal_memory.truth import schedules
from stratal_memory.truth.database import Database
from stratal_memory.truth.schema import sessions
from stratal_memory.truth.schema_jobs import slots as slot_table
from stratal_memory.truth.slots import OPEN, Wanted

NIGHT = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)
JOB = "count"
CRASHED = 70  # the exit code at a failpoint
PAUSE = 0.05  # seconds a worker of its own process waits when there is nothing to do
NONE_QUIET = Quiet((), UTC)
PACE = Pace(items=2, tries=3, wait=timedelta(minutes=5))

effects = Table(
    "effects",
    MetaData(),
    Column("seq", Integer, primary_key=True),
    Column("user", Text, nullable=False),
    Column("due", String(40), nullable=False),
    Column("item", Integer, nullable=False),
)


def counting(
    database: Database, items: int, *, on_step: Callable[[str], None] = lambda step: None
) -> Callable[[Task], Done]:
    """A job of so many items a due time; each is one row, in the item's own transaction.

    `on_step` is told `between` before each: what is done was looked at before.
    """

    def work(task: Task) -> Done:
        mine = (effects.c.user == task.user, effects.c.due == task.due.isoformat())
        with database.read() as connection:
            done = connection.execute(select(func.count()).where(*mine)).scalar_one()
        for item in range(done, items):
            if item - done >= task.items:
                return Unfinished(changes=item)
            on_step("between")
            with database.write() as connection:
                task.guard(connection)
                values = {"user": task.user, "due": task.due.isoformat(), "item": item}
                connection.execute(insert(effects).values(**values))
        return Done(changes=items)

    return work


def table_of(
    work: Callable[[Task], Done],
    *,
    schedule: str = "0 3 * * *",
    quiet: Quiet = NONE_QUIET,
    jitter: timedelta = timedelta(0),
) -> hours.Table:
    """One job in UTC."""
    triggers = read_triggers(schedule, setting="jobs.count", zone=UTC)
    job = Job(name=JOB, triggers=triggers, work=work)
    return hours.Table(jobs=(job,), quiet=quiet, jitter=jitter)


def settle_in(database: Database, users: Sequence[str], *, since: datetime) -> None:
    """These users talked at `since`, and the job was served then for the first time."""
    with database.write() as connection:
        effects.create(connection, checkfirst=True)
        for user in users:
            connection.execute(_session(user, since))
        schedules.keep_timer(connection, JOB, swept=since)


def talk(database: Database, user: str, *, at: datetime, agent: str = "main") -> None:
    """A conversation that was last active then."""
    with database.write() as connection:
        connection.execute(_session(user, at, agent))


def _session(user: str, at: datetime, agent: str = "main") -> Insert:
    return insert(sessions).values(
        id=f"ses_{user}_{agent}_{at.timestamp()}",
        user=user,
        agent=agent,
        title="",
        started=at,
        last_active=at,
    )


def missed_and_double(
    database: Database, users: Sequence[str], dues: Sequence[datetime], *, items: int
) -> tuple[int, int]:
    """How many effects are missing, and how many are there more than once."""
    with database.read() as connection:
        rows = connection.execute(
            select(
                effects.c.user, effects.c.due, effects.c.item, func.count().label("many")
            ).group_by(effects.c.user, effects.c.due, effects.c.item)
        ).all()
    found = {(row.user, row.due, row.item): row.many for row in rows}
    wanted = {(user, due.isoformat(), n) for user in users for due in dues for n in range(items)}
    extra = sum(many for name, many in found.items() if name not in wanted)
    return len(wanted - set(found)), extra + sum(many - 1 for many in found.values())


def left(database: Database) -> int:
    """How many slots are open."""
    with database.read() as connection:
        query = select(func.count()).where(slot_table.c.state.in_(OPEN))
        return connection.execute(query).scalar_one()


def failpoint(named: str) -> Callable[[str], None]:
    """Crashes, or with `~` stops, at the n-th time that `name` of `name:n` is come to."""
    name, _, number = named.removeprefix("~").partition(":")
    times = int(number or 0)

    def passed(step: str) -> None:
        nonlocal times
        if step == name:
            times -= 1
            if times == 0 and named.startswith("~"):
                os.kill(os.getpid(), signal.SIGSTOP)
            elif times == 0:
                os._exit(CRASHED)

    return passed


def worker_of(
    database: Database,
    table: hours.Table,
    clock: Callable[[], datetime],
    *,
    on_step: Callable[[str], None] = lambda step: None,
    stopped: Callable[[], bool] = lambda: False,
    pace: Pace = PACE,
) -> Worker:
    """A worker with the pace of this world."""
    return Worker(
        database=database, table=table, pace=pace, clock=clock, on_step=on_step, stopped=stopped
    )


def worked_off(worker: Worker) -> list[str]:
    """The users of the slices that are done until nothing is left, in their order."""
    users: list[str] = []
    while (outcome := worker.step(Wanted(jobs=(JOB,)))) is not None:
        users.append(outcome.user)
    return users


def main(folder: Path, items: int, speed: float, begun: float) -> None:
    """One worker; the clock says three at `begun` and goes `speed` times as fast as ours."""

    def clock() -> datetime:
        return NIGHT + timedelta(seconds=(time.time() - begun) * speed)

    fails = failpoint(os.environ.get("FAILPOINT", ""))
    with closing(Database.open(folder)) as database:
        table = table_of(
            counting(database, items, on_step=fails), schedule="0 3 21 11 *"
        )  # once a year
        planner = Planner(database=database, table=table, clock=clock, on_step=fails)
        worker = worker_of(database, table, clock, on_step=fails)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            try:
                planner.plan()
                if worker.step(Wanted(jobs=(JOB,))) is None:
                    time.sleep(PAUSE)
            except DataDirectoryBusy:  # a halted worker holds the lock: as `Server` looks again
                time.sleep(PAUSE)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))
