"""Kills workers at random while they share due slots; `make bench` runs it.

    PYTHONPATH=. .venv/bin/python scripts/bench_slots.py [--slots N] [--workers N] [--kills N]

Each slot's effects are rows written in the items' own transactions: 0 may be missed, 0 doubled.
A worker that is halted for longer than its lease goes on afterwards as if it had never slept.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from stratal_memory.truth import schedules, slot_history
from stratal_memory.truth.database import Database
from stratal_memory.truth.runs import LEASE
from tests.platform.jobs.slot_world import (
    CRASHED,
    JOB,
    NIGHT,
    left,
    missed_and_double,
    settle_in,
)

ROOT = Path(__file__).parents[1]
ITEMS = 6  # of a slot, in slices of two
SPEED = 200.0  # the clock of the workers: a lease of ten minutes is over in three seconds
HALT = 1.5 * LEASE.total_seconds() / SPEED  # seconds a stopped worker sleeps
BETWEEN = (0.05, 0.4)  # seconds from one event to the next
POINTS = ("claiming", "claimed", "item", "worked", "settling", "settled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of a trial: workers crashed at named points, were killed at any, and halted."""

    missed: int
    double: int
    crashes: int
    kills: int
    halts: int
    seconds: float


@dataclass(slots=True)
class Crew:
    """Worker processes; a dead one is replaced."""

    folder: Path
    points: list[str]  # where the next to be hired crash or stop
    begun: float = field(default_factory=time.time)
    crashes: int = 0
    halts: int = 0
    asleep: dict[int, float] = field(default_factory=dict[int, float])  # since when, by process
    alive: list[subprocess.Popen[str]] = field(default_factory=list[subprocess.Popen[str]])

    def hire(self) -> None:
        """One more; it may have to crash or to stop at a point."""
        point = self.points.pop(0) if self.points else ""
        command = [sys.executable, "-m", "tests.platform.jobs.slot_world", str(self.folder)]
        self.alive.append(
            subprocess.Popen(
                [*command, str(ITEMS), str(SPEED), str(self.begun)],
                cwd=ROOT,
                env={**os.environ, "FAILPOINT": point},
                stdout=subprocess.PIPE,
                text=True,
            )
        )

    def await_ready(self) -> None:
        """Return once all have the database open."""
        for one in self.alive:
            assert one.stdout is not None
            one.stdout.readline()

    def replace_dead(self) -> None:
        """Hire as many as crashed by themselves."""
        for one in [one for one in self.alive if one.poll() is not None]:
            assert one.returncode == CRASHED, f"a worker failed with {one.returncode}"
            self.end(one)
            self.crashes += 1
            self.hire()

    def end(self, one: subprocess.Popen[str]) -> None:
        """Kill it as a crash would, if it lives."""
        one.kill()
        one.communicate()
        self.alive.remove(one)
        self.asleep.pop(one.pid, None)

    def awake(self) -> list[subprocess.Popen[str]]:
        """Those that are at work."""
        return [one for one in self.alive if one.pid not in self.asleep]

    def wake(self) -> None:
        """Continue those that stopped for longer than their lease: another took over meanwhile."""
        now = time.perf_counter()
        for one in self.alive:
            if now - self.asleep.get(one.pid, now) > HALT:
                one.send_signal(signal.SIGCONT)
                del self.asleep[one.pid]
                self.halts += 1
            elif _stopped(one.pid):
                self.asleep[one.pid] = now


def _stopped(pid: int) -> bool:
    try:
        return os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOHANG) is not None
    except ChildProcessError:  # it died a moment ago
        return False


@contextmanager
def crew(folder: Path, points: list[str], *, workers: int) -> Generator[Crew]:
    """Workers that are gone afterwards."""
    made = Crew(folder, points)
    try:
        for _ in range(workers):
            made.hire()
        made.await_ready()
        yield made
    finally:
        for one in list(made.alive):
            made.end(one)


def trial(folder: Path, *, slots: int, workers: int, kills: int, seed: int = 7) -> Result:
    """Work off `slots` due slots with `workers` processes.

    Half as many as are killed at random crash at a named point, or stop there for longer than
    their lease, the first workers all.
    """
    rng = random.Random(seed)
    users = [f"user{number}" for number in range(slots)]
    points = [_point(rng, number) for number in range(max(workers, kills // 2))]
    killed = 0
    with Database.open(folder) as database:
        _settle_in(database, users)
        with crew(folder, points, workers=workers) as at_work:
            began = time.perf_counter()
            with database.write() as connection:  # all begin together
                schedules.resume(connection, JOB)
            while _is_work(database, users) or at_work.asleep:
                time.sleep(rng.uniform(*BETWEEN))
                at_work.replace_dead()
                at_work.wake()
                if (
                    killed < kills
                    and at_work.awake()
                    and workers <= at_work.crashes + at_work.halts
                ):
                    at_work.end(rng.choice(at_work.awake()))
                    at_work.hire()
                    killed += 1
            time.sleep(BETWEEN[1])  # who was woken last writes what it still may
        missed, double = missed_and_double(database, users, [NIGHT], items=ITEMS)
    return Result(
        missed=missed,
        double=double,
        crashes=at_work.crashes,
        kills=killed,
        halts=at_work.halts,
        seconds=time.perf_counter() - began,
    )


def _point(rng: random.Random, number: int) -> str:
    times = rng.randint(1, 4)
    return f"~between:{times}" if number % 2 else f"{rng.choice(POINTS)}:{times}"


def _settle_in(database: Database, users: list[str]) -> None:
    settle_in(database, users, since=NIGHT - timedelta(days=1))
    with database.write() as connection:
        schedules.pause(connection, JOB, now=NIGHT - timedelta(days=1))


def _is_work(database: Database, users: list[str]) -> bool:
    with database.read() as connection:
        made = len(slot_history.at(connection, JOB, NIGHT))
    return made < len(users) or left(database) > 0


def main() -> None:
    """Print what came of it; exit code 1 when anything was missed or doubled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slots", type=int, default=1_000)
    parser.add_argument("--workers", type=int, default=6)
    parser.add_argument("--kills", type=int, default=200)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = trial(Path(folder), slots=wanted.slots, workers=wanted.workers, kills=wanted.kills)
    died = f"{result.kills} kills, {result.crashes} crashes at named points"
    print(
        f"{wanted.slots:,} due slots, {wanted.workers} workers, {died}, {result.halts} halts past "
        f"the lease, {result.seconds:.0f} s: {result.missed} missed, {result.double} double"
    )
    sys.exit(bool(result.missed or result.double))


if __name__ == "__main__":
    main()
