"""A worker that dies at any point is followed by another, and every due time has one effect."""

import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from scripts.bench_slots import trial
from stratal.jobs.planning import Planner
from stratal_memory.truth.database import Database
from tests.fakes.clock import FakeClock
from tests.platform.jobs.slot_world import (
    CRASHED,
    NIGHT,
    counting,
    left,
    missed_and_double,
    settle_in,
    table_of,
    worked_off,
    worker_of,
)

ROOT = Path(__file__).parents[3]
USERS = ("alice", "bob", "cleo")
ITEMS = 3  # more than a slice, so that slots are put back
POINTS = (
    *("planning:1", "planned:1", "claiming:1", "claimed:4", "item:2", "worked:1"),
    *("settling:1", "settled:4"),
)


@pytest.mark.parametrize("point", POINTS)
def test_one_effect_a_due_time_whatever_the_point_of_the_crash(tmp_path: Path, point: str) -> None:
    # promise 6 and S1: one effect per due slot
    with Database.open(tmp_path) as database:
        settle_in(database, USERS, since=NIGHT - timedelta(days=1))
        child = [sys.executable, "-m", "tests.platform.jobs.slot_world"]
        died = subprocess.run(
            [*child, str(tmp_path), str(ITEMS), "0", str(time.time())],
            cwd=ROOT,
            env={**os.environ, "FAILPOINT": point},
            stdout=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )

        clock = FakeClock(NIGHT)
        table = table_of(counting(database, ITEMS))
        Planner(database=database, table=table, clock=clock).plan()
        worked_off(worker_of(database, table, clock))

        assert died.returncode == CRASHED
        assert left(database) == 0
        assert missed_and_double(database, USERS, [NIGHT], items=ITEMS) == (0, 0)


def test_workers_killed_and_halted_at_random_miss_and_double_nothing(tmp_path: Path) -> None:
    result = trial(tmp_path, slots=60, workers=3, kills=4, seed=1)

    assert (result.missed, result.double) == (0, 0)
    assert result.crashes >= 2  # of the first three workers two are sure to
    assert result.halts >= 1  # and one is sure to sleep until another has its slot
