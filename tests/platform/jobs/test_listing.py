"""What `stratal jobs` shows and switches."""

from datetime import UTC, timedelta

from stratal.jobs.hours import read_quiet, spread
from stratal.jobs.listing import listed, past, pause, resume
from stratal.jobs.planning import Planner
from stratal.jobs.registry import Done, PutOff, Task
from stratal_memory.truth.database import Database
from tests.fakes.clock import FakeClock
from tests.platform.jobs.slot_world import JOB, NIGHT, settle_in, table_of, worked_off, worker_of

DAY = timedelta(days=1)


def nothing(task: Task) -> Done:
    return Done()


def test_a_job_is_listed_with_whom_it_runs_for_and_when_next(
    database: Database, clock: FakeClock
) -> None:
    settle_in(database, ["alice", "bob"], since=NIGHT - DAY)
    table = table_of(nothing)
    Planner(database=database, table=table, clock=clock).plan()

    [everybody] = listed(table, database, clock=clock)
    [bobs] = listed(table, database, user="bob", clock=clock)

    assert (everybody.name, everybody.schedule, everybody.next_due) == (
        JOB,
        "0 3 * * *",
        NIGHT + DAY,
    )
    assert (everybody.users, everybody.waiting, everybody.running) == (2, 2, 0)
    assert (bobs.users, bobs.waiting) == (1, 1)


def test_a_users_own_delay_and_the_quiet_hours_move_what_is_next(
    database: Database, clock: FakeClock
) -> None:
    hour = timedelta(hours=1)
    quiet = read_quiet("03:00-05:00", setting="q", zone=UTC)
    clock.now = NIGHT - timedelta(minutes=10)

    [late] = listed(table_of(nothing, jitter=hour), database, user="alice", clock=clock)
    [after] = listed(table_of(nothing, quiet=quiet), database, clock=clock)
    [never] = listed(table_of(nothing, schedule="idle 1h"), database, clock=clock)

    assert late.next_due == NIGHT + spread("alice", most=hour)
    assert after.next_due == NIGHT + 2 * hour
    assert never.next_due is None


def test_a_pause_is_for_all_or_for_one_and_ends_for_whom_it_was(
    database: Database, clock: FakeClock
) -> None:
    table = table_of(nothing)

    assert pause(table, database, JOB, user="bob", clock=clock)
    assert not pause(table, database, JOB, user="bob", clock=clock)
    [for_all], [for_bob] = listed(table, database), listed(table, database, user="bob")
    assert (for_all.paused, for_all.paused_users, for_bob.paused) == (False, ("bob",), True)

    assert pause(table, database, JOB, clock=clock)
    assert resume(table, database, JOB, user="bob")
    assert not resume(table, database, JOB, user="bob")
    [for_all], [for_bob] = listed(table, database), listed(table, database, user="bob")
    assert (for_all.paused, for_all.paused_users, for_bob.paused) == (True, (), True)

    assert resume(table, database, JOB)
    assert not listed(table, database)[0].paused


def test_the_past_begins_with_the_latest_and_folds_what_changed_nothing(
    database: Database, clock: FakeClock
) -> None:
    def work(task: Task) -> Done:
        return Done(changes=3) if task.due == NIGHT + DAY else Done()

    settle_in(database, ["alice"], since=NIGHT - DAY)
    table = table_of(work)
    for day in range(4):
        clock.now = NIGHT + day * DAY
        Planner(database=database, table=table, clock=clock).plan()
        worked_off(worker_of(database, table, clock))

    folded = past(database)
    whole = past(database, empty=True)

    assert ([one.due for one in folded.outcomes], folded.empty) == ([NIGHT + DAY], 3)
    assert [one.due for one in whole.outcomes] == [NIGHT + day * DAY for day in (3, 2, 1, 0)]
    assert whole.empty == 0
    assert [one.due for one in past(database, empty=True, limit=2).outcomes] == [
        NIGHT + 3 * DAY,
        NIGHT + 2 * DAY,
    ]
    assert past(database, user="bob").outcomes == ()


def test_what_was_put_off_says_when_it_is_tried_again(database: Database, clock: FakeClock) -> None:
    settle_in(database, ["alice"], since=NIGHT - DAY)
    table = table_of(lambda task: PutOff(words="out"))
    Planner(database=database, table=table, clock=clock).plan()
    worked_off(worker_of(database, table, clock))

    [one] = past(database, clock=clock).outcomes

    assert (one.state, one.outcome) == ("waiting", "out")
    assert one.again is not None
    assert one.again > clock()
