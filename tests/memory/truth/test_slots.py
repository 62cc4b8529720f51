"""Claims in SQL: of PostgreSQL too, and what an older Stratal noted is kept."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import make_url

from stratal_memory.truth import schedules, slot_history, slots
from stratal_memory.truth.database import Database
from stratal_memory.truth.runs import LEASE
from stratal_memory.truth.schedules import Plan
from stratal_memory.truth.slots import Wanted
from tests.memory.truth.test_migration import of_first_schema
from tests.memory.worlds import World

POSTGRESQL = make_url("postgresql://").get_dialect()()
NOW = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)
WANTED = Wanted(jobs=("consolidate",))


def add(world: World, *users: str, due: datetime = NOW) -> None:
    with world.database.write() as connection:
        for user in users:
            assert schedules.add(connection, due, job="consolidate", user=user, agent="main")


@pytest.mark.parametrize("scheduled", [True, False])
def test_a_claim_is_one_statement_that_skips_what_others_claim_in_postgresql(
    scheduled: bool,
) -> None:
    statement = str(slots.claiming(scheduled).compile(dialect=POSTGRESQL))

    assert statement.startswith("UPDATE slots SET")
    assert "FOR UPDATE SKIP LOCKED" in statement
    assert "RETURNING" in statement


def test_each_claim_gets_another_slot_under_a_higher_fence(world: World) -> None:
    add(world, "alice", "bob")

    with world.database.write() as connection:
        first = slots.claim(connection, WANTED, owner="a", now=NOW)
        second = slots.claim(connection, WANTED, owner="b", now=NOW)
        third = slots.claim(connection, WANTED, owner="c", now=NOW)
        slots.give_up(connection, now=NOW + LEASE)
        again = slots.claim(connection, WANTED, owner="c", now=NOW + LEASE)

    assert first is not None
    assert second is not None
    assert (first.user, second.user, third) == ("alice", "bob", None)
    assert again is not None
    assert (again.user, again.fence, again.started) == ("alice", 2, NOW)


def test_what_a_dead_owner_held_waits_again_at_once(world: World) -> None:
    add(world, "alice", "bob")
    with world.database.write() as connection:
        slots.claim(connection, WANTED, owner="dead", now=NOW)
        slots.claim(connection, WANTED, owner="alive", now=NOW)

        assert slots.owners(connection) == {"dead", "alive"}
        assert slots.give_up(connection, now=NOW, gone=["dead"]) == 1
        assert slots.owners(connection) == {"alive"}


def test_a_claim_of_one_due_time_leaves_the_others(world: World) -> None:
    add(world, "alice")
    later = NOW + timedelta(seconds=1)
    add(world, "bob", due=later)
    asked = Wanted(jobs=("consolidate",), due=later)

    with world.database.write() as connection:
        assert slots.is_work(connection, asked, now=later)
        found = slots.claim(connection, asked, owner="a", now=later)
        assert not slots.is_work(connection, asked, now=later)

    assert found is not None
    assert found.user == "bob"


PLAN = Plan(
    job="consolidate",
    user="alice",
    agent="main",
    after=None,
    due=NOW,
    first=NOW - timedelta(days=3),
    skipped=3,
    words="3 due times",
)


def test_a_due_time_that_somebody_ran_by_hand_is_planned_and_not_made_twice(world: World) -> None:
    add(world, "alice")

    with world.database.write() as connection:
        assert schedules.carry_out(connection, [PLAN], now=NOW) == 1
        assert schedules.planned(connection, "consolidate") == {("alice", "main"): NOW}
        assert len(slot_history.at(connection, "consolidate", NOW)) == 1


@pytest.mark.parametrize("known", [False, True])
def test_of_two_processes_that_planned_the_same_one_makes_the_slots(
    world: World, known: bool
) -> None:
    later = replace(PLAN, after=NOW, due=NOW + timedelta(days=4), first=NOW + timedelta(days=1))
    plan = later if known else PLAN
    with world.database.write() as connection:
        if known:
            schedules.carry_out(connection, [PLAN], now=NOW)
        made = [schedules.carry_out(connection, [plan], now=NOW) for _ in range(2)]
        due = slot_history.at(connection, "consolidate", plan.due)
        skipped = slot_history.at(connection, "consolidate", plan.first)

    assert made == [1, 0]
    assert [(one.state, one.covers) for one in due] == [("waiting", 1)]
    assert [(one.state, one.covers) for one in skipped] == [("skipped", 3)]


OLD: dict[str, list[dict[str, object]]] = {
    "slots": [
        {
            "job": "consolidate",
            "user": user,
            "due": f"2026-01-0{day}T03:00:00.000000Z",
            "started": f"2026-01-0{day}T03:00:01.000000Z",
            "ended": ended,
            "outcome": outcome,
        }
        for day, user, ended, outcome in (
            (1, "alice\nmain", "2026-01-01T03:00:02.000000Z", "4 changes, run run_1"),
            (2, "alice\nmain", "2026-01-02T03:00:02.000000Z", "failed: no luck"),
            (3, "alice\nmain", None, ""),
            (1, "bob", "2026-01-01T03:00:02.000000Z", "0 changes, run run_2"),
        )
    ]
}


def test_old_slots_are_history_and_planning_goes_on_behind_them(tmp_path: Path) -> None:
    of_first_schema(tmp_path, OLD)

    with Database.open(tmp_path) as database, database.read() as connection:
        found = slot_history.past(connection, empty=True)
        planned = schedules.planned(connection, "consolidate")
        timer = schedules.timer(connection, "consolidate")
        work = slots.is_work(connection, WANTED, now=NOW)

    third = datetime(2026, 1, 3, 3, tzinfo=UTC)
    assert [(one.user, one.agent, one.state, one.changes, one.outcome) for one in found] == [
        ("alice", "main", "failed", 0, "cut off by a crash"),
        ("alice", "main", "failed", 0, "failed: no luck"),
        ("alice", "main", "done", 4, "4 changes, run run_1"),
        ("bob", "main", "done", 0, "0 changes, run run_2"),
    ]
    assert [one.run for one in found] == ["", "", "run_1", "run_2"]
    assert planned[("alice", "main")] == third
    assert timer is not None
    assert timer.swept == third
    assert not work
