"""Serving: it wakes when something is due, tells what it did, and stops at a signal."""

import os
import signal
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from stratal.errors import ConfigError, DataDirectoryBusy
from stratal.jobs.hours import read_quiet
from stratal.jobs.outcome import Outcome
from stratal.jobs.registry import Done, PutOff, Task, Unfinished
from stratal.jobs.serving import LOOK, Server, Stop, serve, stopping
from stratal.jobs.table import Table
from stratal_memory.truth.database import Database
from tests.fakes.clock import FakeClock
from tests.platform.jobs.slot_world import NIGHT, settle_in, table_of, talk, worker_of

DAY, HOUR, SOON = timedelta(days=1), timedelta(hours=1), timedelta(minutes=2)


class Served:
    """A server whose waits set the clock, until a moment."""

    def __init__(
        self, database: Database, clock: FakeClock, table: Table, *, until: datetime
    ) -> None:
        self.outcomes: list[Outcome] = []
        self.idle: list[datetime | None] = []
        self.waits: list[datetime] = []
        self.looks: list[Callable[[], None]] = []  # what happens before a wake, in order
        stop = Stop()

        def wait(wake: datetime) -> None:
            self.waits.append(wake)
            if self.looks:
                self.looks.pop(0)()
            clock.now = max(clock.now, wake)
            stop.by = signal.SIGTERM if wake > until else 0

        worker = worker_of(database, table, clock, stopped=stop)
        self.server = Server(
            worker=worker, on_outcome=self.outcomes.append, on_idle=self.idle.append
        )
        self.wait = wait

    def run(self) -> None:
        self.server.serve(self.wait)


def test_it_runs_what_comes_due_and_says_when_the_next_is(
    database: Database, clock: FakeClock
) -> None:
    clock.now = NIGHT - timedelta(minutes=1)
    settle_in(database, ["alice", "bob"], since=NIGHT - HOUR)
    served = Served(database, clock, table_of(lambda task: Done()), until=NIGHT + SOON)

    served.run()

    assert [(one.user, one.due, one.state) for one in served.outcomes] == [
        ("alice", NIGHT, "done"),
        ("bob", NIGHT, "done"),
    ]
    assert served.idle == [NIGHT, NIGHT + DAY]


def test_it_never_waits_longer_than_it_takes_to_see_what_others_did(
    database: Database, clock: FakeClock
) -> None:
    settle_in(database, ["alice"], since=NIGHT)
    served = Served(database, clock, table_of(lambda task: Done()), until=NIGHT + SOON)

    served.run()

    assert timedelta(minutes=1) > LOOK
    gaps = [after - before for before, after in zip(served.waits, served.waits[1:], strict=False)]
    assert max(gaps) <= LOOK + timedelta(seconds=20)


def test_what_was_missed_is_made_up_for_at_once_after_a_start(
    database: Database, clock: FakeClock
) -> None:
    # S2: within 60 s of start; the clock counts the server's own looks at it
    settle_in(database, ["alice"], since=NIGHT - 9 * DAY)
    clock.now = NIGHT + 5 * HOUR
    served = Served(database, clock, table_of(lambda task: Done()), until=clock.now)

    served.run()

    [one] = served.outcomes
    assert (one.due, one.state) == (NIGHT, "done")
    assert one.started is not None
    assert one.started - (NIGHT + 5 * HOUR) < timedelta(seconds=60)


def test_slices_that_go_on_are_not_told_and_what_is_put_off_is(
    database: Database, clock: FakeClock
) -> None:
    answers: list[Done] = [Unfinished(), Unfinished(), PutOff(words="out"), Done()]
    settle_in(database, ["alice"], since=NIGHT - HOUR)
    table = table_of(lambda task: answers.pop(0))
    served = Served(database, clock, table, until=NIGHT + 8 * SOON)

    served.run()

    assert [(one.state, one.outcome) for one in served.outcomes] == [
        ("waiting", "out"),
        ("done", ""),
    ]
    [first, *_] = served.outcomes
    assert served.idle[0] == first.again


def test_nothing_starts_in_quiet_hours_and_the_next_wake_is_their_end(
    database: Database, clock: FakeClock
) -> None:
    starts: list[datetime] = []

    def work(task: Task) -> Done:
        starts.append(task.begun)
        return Done()

    settle_in(database, ["alice"], since=NIGHT - DAY)
    quiet = read_quiet("02:00-03:10", setting="q", zone=UTC)
    end = NIGHT + 5 * SOON
    served = Served(database, clock, table_of(work, quiet=quiet), until=end)

    served.run()

    assert served.idle[0] == end
    assert len(starts) == 1
    assert timedelta(0) <= starts[0] - end <= LOOK


def test_silence_wakes_it_and_without_any_it_waits_for_somebody_to_talk(
    database: Database, clock: FakeClock
) -> None:
    settle_in(database, [], since=NIGHT - HOUR)
    table = table_of(lambda task: Done(), schedule="idle 30m")
    served = Served(database, clock, table, until=NIGHT + 18 * SOON)
    spoken = NIGHT + timedelta(minutes=1)
    served.looks = [lambda: None, lambda: talk(database, "alice", at=spoken)]

    served.run()

    assert [one.due for one in served.outcomes] == [spoken + timedelta(minutes=30)]
    assert served.idle == [None, spoken + timedelta(minutes=30), None]


def test_a_database_that_somebody_keeps_locked_is_looked_at_again(
    database: Database, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    settle_in(database, ["alice"], since=NIGHT - HOUR)
    served = Served(database, clock, table_of(lambda task: Done()), until=NIGHT + SOON)
    refusals = [DataDirectoryBusy("locked for over 10 seconds", holders=())]

    def tell(outcome: Outcome) -> None:
        if refusals:
            raise refusals.pop()

    Server(worker=served.server.worker, on_outcome=tell, on_idle=served.idle.append).serve(
        served.wait
    )

    assert served.idle == [NIGHT + DAY]
    assert "locked for over 10 seconds" in caplog.text


def test_nothing_scheduled_is_an_error_and_no_wait(database: Database, clock: FakeClock) -> None:
    worker = worker_of(database, table_of(lambda task: Done(), schedule="off"), clock)

    with pytest.raises(ConfigError, match="no job is scheduled"):
        serve(worker, on_outcome=lambda outcome: None, on_idle=lambda wake: None)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_wait_and_the_serving(
    database: Database, clock: FakeClock, number: int
) -> None:
    settle_in(database, ["alice"], since=NIGHT - HOUR)
    worker = worker_of(database, table_of(lambda task: Done()), clock)
    before = signal.getsignal(number)

    # The real alarm: the clock stands at a time long past, so it would ring at once.
    by = serve(
        worker,
        on_outcome=lambda outcome: os.kill(os.getpid(), number),
        on_idle=lambda wake: None,
    )

    assert by == number
    assert signal.getsignal(number) is before


def test_a_second_interrupt_ends_at_once() -> None:
    with stopping(lambda: None) as stop:
        os.kill(os.getpid(), signal.SIGINT)
        assert stop()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
