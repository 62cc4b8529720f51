"""From what is due to slots: what passed while nothing ran is one run, and the rest is noted."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from stratal.jobs.registry import Job
from stratal.jobs.table import Table
from stratal.jobs.triggers import COUNTED, Missed, missed
from stratal_memory.truth import schedules
from stratal_memory.truth.database import Database
from stratal_memory.truth.schedules import Plan, Timer, Who
from stratal_memory.truth.slots import EVERYBODY, Now

PAGE = 200  # plans in one transaction: others write in between
# How far planning came is written down at least so often; a look from there costs little.
NOTED = timedelta(minutes=10)
# Activity may be committed a little after the moment it names.
LATE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planner:
    """Makes slots of what came due; many may do so at once, and each slot is made once."""

    database: Database
    table: Table
    clock: Now
    on_step: Callable[[str], None] = lambda step: None  # `planning` (inside), `planned`

    def plan(self) -> int:
        """How many slots were made; none in quiet hours, whose end makes up for them."""
        now = self.clock()
        if self.table.quiet.end(now) > now:
            return 0
        return sum(self._plan(job, now) for job in self.table.scheduled)

    def _plan(self, job: Job, now: datetime) -> int:
        with self.database.read() as connection:
            timer = schedules.timer(connection, job.name)
            held = schedules.paused(connection, job.name)
        if EVERYBODY in held:
            return 0
        if timer is None:
            self._note(job, now)
            return 0
        made = 0
        plans = self._plans(job, timer, now, frozenset(held))
        while page := list(islice(plans, PAGE)):
            with self.database.write() as connection:
                made += schedules.carry_out(connection, page, now=now)
                self.on_step("planning")
            self.on_step("planned")
        if made or now - timer.swept >= NOTED:
            self._note(job, now)
        return made

    def _note(self, job: Job, now: datetime) -> None:
        with self.database.write() as connection:
            schedules.keep_timer(connection, job.name, swept=now)

    def _plans(self, job: Job, timer: Timer, now: datetime, held: frozenset[str]) -> Iterator[Plan]:
        """A plan for everybody for whom something came due since the last look."""
        silent = self._silent(job, timer, now)
        since = timer.swept - self.table.jitter
        if not silent and missed(job.triggers, after=since, until=now) is None:
            return
        with self.database.read() as connection:
            people = schedules.people(connection)
            planned = schedules.planned(connection, job.name)
        for who, first in people.items():
            if who[0] in held:
                continue
            after = planned.get(who)
            begin = max(timer.since, first) if after is None else after
            found = _found(
                silent.get(who, []),
                missed(job.triggers, after=begin, until=now - self.table.late(who[0])),
                after=begin,
            )
            if found is not None:
                yield _plan(job, who, after, found)

    def _silent(self, job: Job, timer: Timer, now: datetime) -> dict[Who, list[datetime]]:
        """When each person's conversations came due by their silence, since the last look."""
        dues: dict[Who, list[datetime]] = {}
        for wait in job.triggers.idle:
            with self.database.read() as connection:
                found = schedules.fell_silent(
                    connection, after=timer.swept - wait - LATE, until=now - wait
                )
            for who, last in found:
                dues.setdefault(who, []).append(last + wait)
        return dues


def _found(silent: Sequence[datetime], regular: Missed | None, *, after: datetime) -> Missed | None:
    """What came due later than `after`, by silence and by the clock."""
    dues = sorted({due for due in silent if due > after})
    if not dues:
        return regular
    return Missed(dues[0], dues[-1], len(dues)).with_(regular)


def _plan(job: Job, who: Who, after: datetime | None, found: Missed) -> Plan:
    user, agent = who
    return Plan(
        job=job.name,
        user=user,
        agent=agent,
        after=after,
        due=found.latest,
        first=found.first,
        skipped=found.count - 1,
        words=_words(found.count - 1, found.latest),
    )


def _words(skipped: int, due: datetime) -> str:
    """Why due times have no run of their own."""
    many = f"{skipped:,} or more" if skipped >= COUNTED - 1 else f"{skipped:,}"
    times = "due time" if skipped == 1 else "due times"
    return f"{many} {times} passed with nothing run: made up for by {due:%Y-%m-%d %H:%M} UTC"
