"""Slices, turns, leases and second tries of a worker."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from stratal.errors import ConfigError, DataDirectoryBusy
from stratal.jobs.planning import Planner
from stratal.jobs.registry import Done, PutOff, Task, Unfinished
from stratal.jobs.worker import Pace, Worker
from stratal_memory.errors import ConsolidationBusy, LeaseLost
from stratal_memory.truth import schedules, slot_history
from stratal_memory.truth.database import Database
from stratal_memory.truth.runs import LEASE
from stratal_memory.truth.slots import Slot, Wanted
from tests.fakes.clock import FakeClock
from tests.platform.jobs.slot_world import (
    JOB,
    NIGHT,
    counting,
    missed_and_double,
    settle_in,
    table_of,
    worked_off,
    worker_of,
)

DAY = timedelta(days=1)
MINE = Wanted(jobs=(JOB,))
Work = Callable[[Task], Done]


def due(database: Database, clock: FakeClock, work: Work, *users: str) -> Worker:
    """A worker before the first due time of these users."""
    settle_in(database, users, since=NIGHT - DAY)
    table = table_of(work)
    Planner(database=database, table=table, clock=clock).plan()
    return worker_of(database, table, clock)


def last(database: Database, user: str = "alice") -> Slot:
    with database.read() as connection:
        return slot_history.past(connection, user=user, empty=True)[0]


# Turns.


def test_one_heavy_user_waits_behind_the_others_after_each_slice(
    database: Database, clock: FakeClock
) -> None:
    def work(task: Task) -> Done:
        left.setdefault(task.user, 4 if task.user == "alice" else 1)
        left[task.user] -= 1
        return Unfinished() if left[task.user] else Done(changes=1)

    left: dict[str, int] = {}
    worker = due(database, clock, work, "alice", "bob", "cleo", "dora")

    order = worked_off(worker)

    assert order == ["alice", "bob", "cleo", "dora", "alice", "alice", "alice"]
    assert last(database).slices == 4


def test_who_was_served_longest_ago_comes_first_the_next_night(
    database: Database, clock: FakeClock
) -> None:
    worker = due(database, clock, lambda task: Done(), "alice", "bob")
    with database.write() as connection:  # alice's turn came late
        schedules.pause(connection, JOB, user="alice", now=clock())
    first = worked_off(worker)
    with database.write() as connection:
        schedules.resume(connection, JOB, user="alice")
    first += worked_off(worker)

    clock.now = NIGHT + DAY
    Planner(database=database, table=worker.table, clock=clock).plan()

    assert first == ["bob", "alice"]
    assert worked_off(worker) == ["bob", "alice"]


def test_a_slice_is_as_long_as_the_pace_says(database: Database, clock: FakeClock) -> None:
    worker = due(database, clock, counting(database, 5), "alice")

    first = worker.step(MINE)

    assert first is not None
    assert (first.state, first.changes, first.again) == ("waiting", 2, None)
    assert worked_off(worker) == ["alice", "alice"]
    assert last(database).changes == 5
    assert missed_and_double(database, ["alice"], [NIGHT], items=5) == (0, 0)


def test_a_user_is_worked_for_once_at_a_time(database: Database, clock: FakeClock) -> None:
    def work(task: Task) -> Done:
        inside.append(other.step(MINE))
        return Done()

    inside: list[object] = []
    worker = due(database, clock, work, "alice")
    other = worker_of(database, worker.table, clock)
    with database.write() as connection:  # of another job or by hand: the same user
        schedules.add(connection, NIGHT + timedelta(seconds=1), job=JOB, user="alice", agent="b")

    worker.step(MINE)

    assert inside == [None]


# Leases.


def test_a_slot_whose_lease_is_over_is_anothers_and_the_first_can_write_no_more(
    database: Database, clock: FakeClock
) -> None:
    def slow(task: Task) -> Done:
        clock.now += LEASE + timedelta(seconds=1)
        taken.append(other.step(MINE))
        with database.write() as connection:
            task.guard(connection)
            written.append(task.user)
        return Done(changes=1)

    taken: list[object] = []
    written: list[str] = []
    worker = due(database, clock, slow, "alice")
    other = worker_of(database, table_of(lambda task: Done(changes=7)), clock)

    lost = worker.step(MINE)

    assert len(taken) == 1
    assert written == []
    assert lost is not None
    assert "taken up by another worker" in lost.outcome
    assert (last(database).state, last(database).changes) == ("done", 7)


def test_a_slot_that_was_lost_is_not_settled_either(database: Database, clock: FakeClock) -> None:
    def slow(task: Task) -> Done:
        clock.now += LEASE + timedelta(seconds=1)
        other.step(MINE)
        return Done(changes=1)

    worker = due(database, clock, slow, "alice")
    other = worker_of(database, table_of(lambda task: Unfinished(changes=7)), clock)

    worker.step(MINE)

    assert (last(database).state, last(database).changes) == ("waiting", 7)


def test_every_item_renews_the_lease(database: Database, clock: FakeClock) -> None:
    def slow(task: Task) -> Done:
        for _ in range(3):
            clock.now += LEASE * 0.9
            with database.write() as connection:
                task.guard(connection)
            taken.append(other.step(MINE))
        return Done()

    taken: list[object] = []
    worker = due(database, clock, slow, "alice")
    other = worker_of(database, worker.table, clock)

    worker.step(MINE)

    assert taken == [None, None, None]
    assert last(database).state == "done"


def test_a_lease_that_ran_out_unnoticed_is_taken_up_again_by_its_owner(
    database: Database, clock: FakeClock
) -> None:
    def slow(task: Task) -> Done:
        clock.now += 3 * LEASE
        with database.write() as connection:
            task.guard(connection)
        return Done(changes=1)

    done = due(database, clock, slow, "alice").step(MINE)

    assert done is not None
    assert (done.state, last(database).state) == ("done", "done")


def test_what_an_erase_took_away_ends_the_slice(database: Database, clock: FakeClock) -> None:
    def work(task: Task) -> Done:
        with database.write() as connection:
            connection.exec_driver_sql("DELETE FROM slots")
        with database.write() as connection, pytest.raises(LeaseLost):
            task.guard(connection)
        return Done()

    outcome = due(database, clock, work, "alice").step(MINE)

    assert outcome is not None
    assert "taken up" in outcome.outcome


def test_a_worker_that_stops_finishes_no_further_item_and_gives_the_slot_back(
    database: Database, clock: FakeClock
) -> None:
    def stop_after_one(step: str) -> None:
        asked.append(step)

    asked: list[str] = []
    begun = due(database, clock, counting(database, 5), "alice")
    worker = worker_of(
        database,
        begun.table,
        clock,
        on_step=stop_after_one,
        stopped=lambda: "item" in asked,
        pace=Pace(items=5, tries=3, wait=timedelta(0)),
    )

    outcome = worker.step(MINE)

    assert outcome is not None
    assert outcome.outcome.startswith("stopped")
    with database.read() as connection:
        effects = connection.exec_driver_sql("SELECT item FROM effects").all()
    assert [item for (item,) in effects] == [0]  # the item that was begun is whole
    assert (last(database).state, last(database).attempts) == ("waiting", 0)
    assert worker.step(MINE) is None
    assert set(worked_off(begun)) == {"alice"}
    assert missed_and_double(database, ["alice"], [NIGHT], items=5) == (0, 0)


# Failures.


def failing(error: Exception, *, times: int) -> Work:
    left = [times]

    def work(task: Task) -> Done:
        left[0] -= 1
        if left[0] >= 0:
            raise error
        return Done(changes=1)

    return work


def test_a_failed_run_is_tried_again_after_ever_longer_waits(
    database: Database, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    worker = due(database, clock, failing(ValueError("no luck"), times=2), "alice")
    waits: list[float] = []
    for _ in range(2):
        outcome = worker.step(MINE)
        assert outcome is not None
        assert outcome.again is not None
        waits.append(round((outcome.again - clock()) / timedelta(minutes=1)))
        assert worker.step(MINE) is None
        clock.now = outcome.again

    done = worker.step(MINE)

    assert waits == [5, 10]
    assert done is not None
    assert (done.state, last(database).attempts) == ("done", 2)
    assert "count of alice failed" in caplog.text


def test_after_the_last_try_the_outcome_says_so_and_nobody_else_is_held_up(
    database: Database, clock: FakeClock
) -> None:
    def work(task: Task) -> Done:
        if task.user == "alice":
            raise ConfigError("no such model", hint="Pull it.")
        return Done()

    worker = due(database, clock, work, "alice", "bob")
    order: list[str] = []
    for _ in range(4):
        order += worked_off(worker)
        clock.now += timedelta(hours=1)

    assert order == ["alice", "bob", "alice", "alice"]
    assert last(database).state == "failed"
    assert last(database).outcome == "failed: no such model Pull it. (tried 3 times)"
    assert last(database, "bob").state == "done"


@pytest.mark.parametrize(
    ("work", "words", "minutes"),
    [
        (failing(ConsolidationBusy("run_1 is worked on"), times=1), "run_1 is worked on", 1),
        (failing(DataDirectoryBusy("locked", holders=()), times=1), "locked", 1),
        (lambda task: PutOff(words="the model is out"), "the model is out", 15),
    ],
)
def test_what_can_not_go_on_now_is_put_off_and_not_failed(
    database: Database, clock: FakeClock, work: Work, words: str, minutes: int
) -> None:
    worker = due(database, clock, work, "alice")

    outcome = worker.step(MINE)

    assert outcome is not None
    assert (outcome.state, outcome.outcome) == ("waiting", words)
    assert outcome.again is not None
    assert round((outcome.again - clock()) / timedelta(minutes=1)) == minutes
    assert last(database).attempts == 0


def test_a_run_that_is_put_off_is_not_begun_again_beside_itself(
    database: Database, clock: FakeClock
) -> None:
    def work(task: Task) -> Done:
        seen.append(task.due)
        return PutOff(words="out") if len(seen) == 1 else Done()

    seen: list[object] = []
    worker = due(database, clock, work, "alice")
    clock.now = NIGHT + DAY - timedelta(minutes=5)
    worker.step(MINE)
    clock.now = NIGHT + DAY
    Planner(database=database, table=worker.table, clock=clock).plan()

    first = worked_off(worker)  # the earlier is put off still, the later waits for it
    clock.now += timedelta(minutes=15)
    worked_off(worker)

    assert first == []
    assert seen == [NIGHT, NIGHT, NIGHT + DAY]


def test_a_paused_job_is_not_begun(database: Database, clock: FakeClock) -> None:
    worker = due(database, clock, lambda task: Done(), "alice", "bob")
    with database.write() as connection:
        schedules.pause(connection, JOB, user="alice", now=clock())

    assert worked_off(worker) == ["bob"]
    with database.write() as connection:
        schedules.resume(connection, JOB, user="alice")
    assert worked_off(worker) == ["alice"]
