"""What comes due becomes one slot, however much was slept through, and the rest is noted."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from stratal.jobs.hours import read_quiet, spread
from stratal.jobs.planning import Planner
from stratal.jobs.registry import Done, Task
from stratal.jobs.table import Table
from stratal_memory.truth import schedules, slot_history
from stratal_memory.truth.database import Database
from stratal_memory.truth.slots import Slot
from tests.fakes.clock import FakeClock
from tests.platform.jobs.slot_world import JOB, NIGHT, settle_in, table_of, talk

DAY = timedelta(days=1)


def nothing(task: Task) -> Done:
    return Done()


def planner(
    database: Database, clock: Callable[[], datetime], table: Table | None = None
) -> Planner:
    return Planner(database=database, table=table or table_of(nothing), clock=clock)


def found(database: Database, user: str | None = None) -> list[tuple[str, datetime, int]]:
    """State, due time and how many it covers, earliest first."""
    every = slots_of(database, user)
    return [(slot.state, slot.due, slot.covers) for slot in reversed(every)]


def slots_of(database: Database, user: str | None = None) -> list[Slot]:
    with database.read() as connection:
        return slot_history.past(connection, user=user, empty=True, limit=100)


def test_a_due_time_is_a_slot_for_everybody_once(database: Database, clock: FakeClock) -> None:
    settle_in(database, ["alice", "bob"], since=NIGHT - DAY)

    assert planner(database, clock).plan() == 2
    assert planner(database, clock).plan() == 0
    assert {slot.user for slot in slots_of(database)} == {"alice", "bob"}
    assert {slot.due for slot in slots_of(database)} == {NIGHT}


def test_nothing_was_due_before_the_job_was_served_for_the_first_time(
    database: Database, clock: FakeClock
) -> None:
    talk(database, "alice", at=NIGHT - 30 * DAY)

    assert planner(database, clock).plan() == 0
    clock.now = NIGHT + DAY
    assert planner(database, clock).plan() == 1
    assert found(database) == [("waiting", NIGHT + DAY, 1)]


def test_nothing_was_due_before_somebody_talked(database: Database, clock: FakeClock) -> None:
    settle_in(database, [], since=NIGHT - 9 * DAY)
    talk(database, "alice", at=NIGHT - timedelta(hours=1))

    planner(database, clock).plan()

    assert found(database) == [("waiting", NIGHT, 1)]


def test_what_was_missed_is_one_run_at_the_latest_due_time(
    database: Database, clock: FakeClock
) -> None:
    # S2: after downtime, due slots coalesce to one run, and every skip is logged
    settle_in(database, ["alice"], since=NIGHT - 5 * DAY - timedelta(hours=1))
    clock.now = NIGHT + timedelta(hours=4)

    planner(database, clock).plan()

    assert found(database) == [("skipped", NIGHT - 5 * DAY, 5), ("waiting", NIGHT, 1)]
    [skipped] = [slot for slot in slots_of(database) if slot.state == "skipped"]
    assert skipped.outcome == (
        "5 due times passed with nothing run: made up for by 2026-11-21 03:00 UTC"
    )


def test_a_year_of_an_hourly_job_is_summed_up(database: Database, clock: FakeClock) -> None:
    settle_in(database, ["alice", "bob"], since=NIGHT - 365 * DAY)

    planner(database, clock, table_of(nothing, schedule="every 1h")).plan()

    first = NIGHT - 365 * DAY + timedelta(hours=1)
    assert found(database, "alice") == [("skipped", first, 8_759), ("waiting", NIGHT, 1)]
    assert found(database, "bob") == found(database, "alice")


def test_a_slot_nobody_began_is_overtaken_by_the_next(database: Database, clock: FakeClock) -> None:
    settle_in(database, ["alice"], since=NIGHT - DAY)
    planner(database, clock).plan()
    clock.now = NIGHT + DAY

    planner(database, clock).plan()

    assert found(database) == [("skipped", NIGHT, 1), ("waiting", NIGHT + DAY, 1)]


def test_due_times_in_quiet_hours_are_one_run_at_their_end(
    database: Database, clock: FakeClock
) -> None:
    settle_in(database, ["alice"], since=NIGHT - timedelta(minutes=30))
    quiet = read_quiet("02:00-06:00", setting="q", zone=UTC)
    table = table_of(nothing, schedule="every 1h", quiet=quiet)
    clock.now = NIGHT + timedelta(hours=2, minutes=59)

    assert planner(database, clock, table).plan() == 0
    clock.now = NIGHT + timedelta(hours=3, minutes=1)
    planner(database, clock, table).plan()

    six = NIGHT + timedelta(hours=3)
    assert found(database) == [("skipped", NIGHT, 3), ("waiting", six, 1)]


def test_a_users_delay_moves_the_start_and_not_the_due_time(
    database: Database, clock: FakeClock
) -> None:
    hour = timedelta(hours=1)
    late = spread("alice", most=hour)
    settle_in(database, ["alice"], since=NIGHT - hour)
    table = table_of(nothing, jitter=hour)

    clock.now = NIGHT + late - timedelta(seconds=30)
    before = planner(database, clock, table).plan()
    clock.now = NIGHT + late + timedelta(seconds=30)
    after = planner(database, clock, table).plan()

    assert timedelta(minutes=1) < late
    assert (before, after) == (0, 1)
    assert found(database) == [("waiting", NIGHT, 1)]


def test_a_delay_longer_than_the_interval_lets_every_due_time_have_its_turn(
    database: Database, clock: FakeClock
) -> None:
    settle_in(database, ["alice"], since=NIGHT - timedelta(minutes=1))
    table = table_of(nothing, schedule="every 10m", jitter=timedelta(hours=1))
    made = 0
    for minute in range(180):
        clock.now = NIGHT + timedelta(minutes=minute)
        made += planner(database, clock, table).plan()

    assert made > 10
    assert all(covers == 1 for _, _, covers in found(database))


def test_silence_makes_a_conversation_due_once(database: Database, clock: FakeClock) -> None:
    settle_in(database, [], since=NIGHT - timedelta(hours=1))
    talk(database, "alice", at=NIGHT)
    table = table_of(nothing, schedule="idle 30m")
    made: list[int] = []
    for minute in (10, 29, 31, 32, 50, 600):
        clock.now = NIGHT + timedelta(minutes=minute)
        made.append(planner(database, clock, table).plan())

    assert made == [0, 0, 1, 0, 0, 0]
    assert found(database) == [("waiting", NIGHT + timedelta(minutes=30), 1)]


def test_silence_counts_from_the_last_word_and_again_after_the_next(
    database: Database, clock: FakeClock
) -> None:
    settle_in(database, [], since=NIGHT - timedelta(hours=1))
    table = table_of(nothing, schedule="0 3 * * *; idle 30m")
    dues: list[datetime] = []
    for hours in (0, 2, 4):
        last = NIGHT + timedelta(hours=hours, minutes=7)
        talk(database, "alice", at=last)
        clock.now = last + timedelta(minutes=31)
        planner(database, clock, table).plan()
        dues.append(last + timedelta(minutes=30))

    states = {due: state for state, due, _ in found(database)}
    assert set(dues) <= set(states)
    assert states[dues[-1]] == "waiting"


def test_silence_is_of_each_agent(database: Database, clock: FakeClock) -> None:
    settle_in(database, [], since=NIGHT - timedelta(hours=1))
    talk(database, "alice", at=NIGHT)
    talk(database, "alice", agent="coach", at=NIGHT + timedelta(minutes=10))
    clock.now = NIGHT + timedelta(minutes=35)

    planner(database, clock, table_of(nothing, schedule="idle 30m")).plan()

    assert [(slot.user, slot.agent) for slot in slots_of(database)] == [("alice", "main")]


@pytest.mark.parametrize("schedule", ["0 3 * * *", "idle 30m", "0 3 * * *; idle 30m"])
@pytest.mark.parametrize("user", ["", "alice"])
def test_what_came_due_in_a_pause_is_made_up_for_by_one_run(
    database: Database, clock: FakeClock, schedule: str, user: str
) -> None:
    settle_in(database, [], since=NIGHT - DAY)
    talk(database, "alice", at=NIGHT - timedelta(hours=2))
    talk(database, "bob", at=NIGHT - timedelta(hours=2))
    table = table_of(nothing, schedule=schedule)
    with database.write() as connection:
        schedules.pause(connection, JOB, user=user, now=NIGHT - timedelta(hours=2))

    for day in range(3):
        clock.now = NIGHT + day * DAY
        planner(database, clock, table).plan()
    in_pause = slots_of(database, "alice")
    with database.write() as connection:
        schedules.resume(connection, JOB, user=user)
    planner(database, clock, table).plan()

    assert in_pause == []
    waiting, *others = [slot.state for slot in slots_of(database, "alice")]
    assert (waiting, set(others) <= {"skipped"}) == ("waiting", True)
    assert slots_of(database, "bob") != []


def test_an_idle_look_writes_nothing(database: Database, clock: FakeClock) -> None:
    settle_in(database, ["alice"], since=NIGHT)
    clock.now = NIGHT + timedelta(minutes=5)

    planner(database, clock).plan()

    with database.read() as connection:
        timer = schedules.timer(connection, JOB)
    assert timer is not None
    assert timer.swept == NIGHT
