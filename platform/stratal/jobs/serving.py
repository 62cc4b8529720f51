"""Serving: plan what came due, work it off, sleep until the next, until asked to stop."""

import logging
import signal
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import FrameType

from stratal.errors import ConfigError, DataDirectoryBusy
from stratal.jobs.outcome import Outcome
from stratal.jobs.planning import Planner
from stratal.jobs.timer import Alarm
from stratal.jobs.triggers import EPOCH
from stratal.jobs.worker import Worker
from stratal_memory.truth import schedules, slots
from stratal_memory.truth.slots import Wanted

# Silence, pauses and what other workers put back are seen by looking; promise S2 gives a minute.
LOOK = timedelta(seconds=30)

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Stop:
    """Whether the server was asked to stop, and by which signal."""

    by: int = 0

    def __call__(self) -> bool:
        """Whether it was."""
        return self.by != 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One worker process: any number may serve a data directory."""

    worker: Worker
    on_outcome: Callable[[Outcome], None]
    on_idle: Callable[[datetime | None], None]

    def serve(self, wait: Callable[[datetime], None]) -> None:
        """Work until stopped; `wait` returns at a time, or when there is something to look at.

        `on_idle` is told when the next thing is due, whenever that is another time than before;
        None: when somebody has talked.
        """
        told: datetime | None = EPOCH
        while not self.worker.stopped():
            wake = told
            try:
                self._work_off()
                wake = self._next_due()
            except DataDirectoryBusy as busy:  # by somebody's long write: what is due waits
                log.warning("%s", busy)
            if self.worker.stopped():
                return
            if wake != told:
                self.on_idle(wake)
                told = wake
            now = self.worker.clock()
            wait(min(wake, now + LOOK) if wake and wake > now else now + LOOK)

    def _work_off(self) -> None:
        """Do everything that is due; what comes due meanwhile as well."""
        table, clock = self.worker.table, self.worker.clock
        planner = Planner(database=self.worker.database, table=table, clock=clock)
        wanted = Wanted(jobs=tuple(job.name for job in table.scheduled))
        planned: datetime | None = None
        while not self.worker.stopped():
            now = clock()
            if planned is None or now - planned >= LOOK:
                planner.plan()
                planned = now
            if table.quiet.end(now) > now:
                return
            outcome = self.worker.step(wanted)
            if outcome is None:
                return
            if outcome.state != slots.WAITING or outcome.again or self.worker.stopped():
                self.on_outcome(outcome)  # a slice that goes on is not worth a line

    def _next_due(self) -> datetime | None:
        """When something starts next, as far as is known now, in UTC."""
        now, table = self.worker.clock(), self.worker.table
        scheduled = table.scheduled
        dues = [due for job in scheduled if (due := job.triggers.after(now)) is not None]
        if table.quiet.end(now) > now:
            dues.append(now)  # what came due in quiet hours starts at their end
        with self.worker.database.read() as connection:
            names = [job.name for job in scheduled]
            again = slots.next_ready(connection, jobs=names, after=now)
            for wait in {wait for job in scheduled for wait in job.triggers.idle}:
                last = schedules.next_silence(connection, after=now - wait)
                dues += [last + wait] if last else []
        starts = [table.start(due) for due in [*dues, *([again] if again else [])]]
        return min(starts, default=None)


def serve(
    worker: Worker,
    *,
    on_outcome: Callable[[Outcome], None],
    on_idle: Callable[[datetime | None], None],
) -> int:
    """Run jobs when they come due, until a signal: which it was.

    SIGTERM and Ctrl-C end the item that was begun and give the slot back; a second Ctrl-C ends at
    once, and nothing is lost then either. `ConfigError` when no job is scheduled.
    """
    if not worker.table.scheduled:
        raise ConfigError(
            "no job is scheduled: nothing would ever run",
            hint="Set jobs.consolidate, as in 0 3 * * *.",
        )
    with closing(Alarm()) as alarm, stopping(alarm.ring) as stop:
        serving = replace(worker, stopped=stop)
        Server(worker=serving, on_outcome=on_outcome, on_idle=on_idle).serve(alarm.wait)
        return stop.by


@contextmanager
def stopping(ring: Callable[[], None]) -> Generator[Stop]:
    """A `Stop` that SIGTERM and Ctrl-C set, with the handlers there were put back afterwards."""
    stop = Stop()

    def heard(number: int, frame: FrameType | None) -> None:
        if stop.by == signal.SIGINT == number:
            raise KeyboardInterrupt
        stop.by = number
        ring()

    before = {number: signal.signal(number, heard) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
