"""Measures consolidation: nights that are killed and taken up again, and what a night costs.

    PYTHONPATH=. .venv/bin/python scripts/bench_consolidation.py [--kills N] [--memories N] [--json]

Half of the kills come at named points, at any of the times a night comes there; the others at
random moments of the night, from outside. Each is followed by one more call, and the state is
compared with that of a night nobody disturbed. The costs are those of a night without a model;
processor seconds are worth more than wall seconds on a busy machine. The exit code is 1 when a
killed night ended otherwise.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench import show
from sqlalchemy import Connection, event

from stratal_memory.consolidation.pipeline import Moment, consolidate
from stratal_memory.consolidation.report import Report, State
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.records import (
    Evidence,
    Form,
    Kind,
    Memory,
    Scope,
    ScopeKind,
    Status,
    Trust,
    new_id,
)
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth.database import Database
from tests.memory.consolidation.killing import MOMENTS, build, killed, settle, state
from tests.memory.worlds import begin, say

KILLS = 200
MEMORIES = 10_000
BAR = 30.0  # seconds of a night over 10,000 memories, on two quiet cores
UNCHANGED = 20  # calls with nothing new
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
LEADS = ("likes", "owns", "visited", "avoids", "studies", "repairs", "paints", "sells", "grows")
THINGS = (
    *("jazz", "tea", "maps", "boats", "rye bread", "chess", "bicycles", "herons", "tomatoes"),
    *("violins", "stamps", "kites", "old radios", "lamps", "mountains", "clocks", "bees"),
)
WHERE = (
    *("Lisbon", "Porto", "Braga", "Faro", "Sintra", "Evora", "Coimbra", "Aveiro", "Lagos"),
    *("Tavira", "Beja", "Viseu", "Guarda", "Elvas", "Tomar", "Setubal"),
)
EXTRA = ("on Sundays", "in the rain", "with friends", "before work", "at night", "in spring", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kills:
    """What came of killed nights: how many there were, and which ended otherwise."""

    named: int
    anywhere: int
    too_late: int  # the night was over before the kill came
    different: tuple[str, ...]
    points: dict[str, int]  # how often a night comes to each


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one call took."""

    name: str
    processor: float  # seconds
    wall: float
    held: float  # the longest that the write lock was held, seconds
    changes: int


@dataclass(slots=True)
class Lock:
    """How long the write lock was held: from the begin until the connection is given back."""

    since: list[float] = field(default_factory=list[float])
    longest: float = 0.0

    def watch(self, database: Database) -> None:
        """Take the times of a database from now on; one thread writes to it."""
        event.listen(database.engine, "begin", self._taken)
        event.listen(database.engine.pool, "checkin", lambda *_: self._free())

    def _taken(self, connection: Connection) -> None:
        if connection.get_execution_options().get("write", False):
            self.since.append(time.perf_counter())

    def _free(self) -> None:
        while self.since:
            self.longest = max(self.longest, time.perf_counter() - self.since.pop())


def kill_nights(folder: Path, *, kills: int, draw: random.Random) -> Kills:
    """Kill and take up `kills` nights, and compare each with one that was left alone."""
    start = folder / "start"
    night = build(start)
    seen: Counter[str] = Counter()

    def count(moment: Moment) -> None:
        seen[f"{moment.step}:{moment.moment}"] += 1

    whole = Path(shutil.copytree(start, folder / "whole"))
    began = time.perf_counter()
    settle(whole, night, on_moment=count)
    takes = time.perf_counter() - began
    expected = state(whole)
    points = {name: times for name, times in seen.items() if name.split(":")[1] in MOMENTS}
    done: Counter[str] = Counter()
    different: list[str] = []
    while done["named"] + done["anywhere"] < kills:
        here = Path(shutil.copytree(start, folder / "trial"))
        if done["named"] <= done["anywhere"]:
            place = draw.choice(sorted(points))
            times = draw.randint(1, points[place])
            told, died = f"{place} {times}", killed(here, night, place, times=times)
            done["named"] += died
        else:
            after = draw.uniform(0, takes * 1.2)
            told, died = f"after {after:.3f} s", _killed_after(here, night, after)
            done["anywhere"] += died
        done["too late"] += not died
        settle(here, night, on_moment=lambda moment: None)
        if state(here) != expected:
            different.append(told)
        shutil.rmtree(here)
    return Kills(
        named=done["named"],
        anywhere=done["anywhere"],
        too_late=done["too late"],
        different=tuple(different),
        points=points,
    )


def _killed_after(folder: Path, night: datetime, seconds: float) -> bool:
    """Whether a child was killed before its night was over."""
    child = os.fork()
    if child == 0:
        settle(folder, night, on_moment=lambda moment: None)
        os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def facts(count: int, *, at: datetime, draw: random.Random) -> Generator[Memory]:
    """Facts of one user: most differ, one in twenty says what another said, some are doubted."""
    told: list[str] = []
    for number in range(count):
        again = told and draw.random() < 0.05
        text = draw.choice(told) if again else _sentence(draw)
        told.append(text)
        doubted = number % 40 == 0
        said = at - timedelta(days=draw.randint(0, 60))
        quote = Evidence(ref=new_id("msg"), end=len(text), quote=text, at=said)
        made = Memory(
            id=new_id("mem"),
            key=new_id("key"),
            text=text,
            kind=Kind.SEMANTIC,
            form=Form.FACT,
            scope=Scope(ScopeKind.USER, "bench"),
            trust=Trust.USER,
            status=Status.PROVISIONAL if doubted else Status.ACTIVE,
            confidence=0.4 if doubted else 0.9,
            source="a conversation",
            recorded_at=said,
            valid_from=said,
            evidence=(quote,),
        )
        yield replace(made, valid_to=said + timedelta(days=30)) if number % 100 == 1 else made


def _sentence(draw: random.Random) -> str:
    lead, thing, extra = draw.choice(LEADS), draw.choice(THINGS), draw.choice(EXTRA)
    place = f"{draw.choice(WHERE)} {draw.choice(('market', 'harbour', 'school', 'park'))}"
    return f"The user {lead} {thing} near {place} {draw.randint(1, 60)} {extra}".strip() + "."


def fill(store: Store, count: int, *, draw: random.Random) -> None:
    """So many facts with their vectors, and thirty conversations, all before the night."""
    made = list(facts(count, at=store.clock(), draw=draw))
    for begin_at in range(0, count, 1_000):
        page = made[begin_at : begin_at + 1_000]
        rows = store.embed([one.text for one in page])
        with store.write() as journal:
            journal.add_all(list(zip(page, rows, strict=True)), reason="a bench")
    for number in range(30):
        session = begin(store)
        for turn in range(4):
            say(store, session, f"{_sentence(draw)} That was {number} times {turn}.", "I see.")


@contextmanager
def opened(folder: Path, *, lock: Lock) -> Generator[Store]:
    """A store whose write lock is watched, at a moment of its own."""
    now = [NOON]

    def clock() -> datetime:
        now[0] += timedelta(milliseconds=1)
        return now[0]

    with Database.open(folder) as database:
        lock.watch(database)
        principal = Principal(user="bench", agent="main")
        store = Store.open(database, principal, embedder=HashEmbedder(), clock=clock)
        yield store
        store.close()


def nights(folder: Path, *, count: int, draw: random.Random) -> list[Cost]:
    """A night over everything, one with nothing new, one with one new fact, and a preview."""
    lock = Lock()
    with opened(folder, lock=lock) as store:
        fill(store, count, draw=draw)
        every = [_cost(f"a first night over {count:,} memories", lock, lambda: consolidate(store))]
        same = [_cost("nothing new", lock, lambda: consolidate(store)) for _ in range(UNCHANGED)]
        every.append(sorted(same, key=lambda one: one.processor)[len(same) // 2])
        assert all(one.changes == 0 for one in same)
        Facts(store).add("The user plays the oboe at the lighthouse.")
        every.append(_cost("one new fact", lock, lambda: consolidate(store)))
        Facts(store).add("The user owns a red kayak.")
        every.append(_cost("a preview", lock, lambda: consolidate(store, dry_run=True)))
    return every


def _cost(name: str, lock: Lock, call: Callable[[], Report]) -> Cost:
    lock.longest = 0.0
    wall, processor = time.perf_counter(), time.process_time()
    report = call()
    assert report.state in (State.DONE, State.UNCHANGED, State.PREVIEW)
    return Cost(
        name=name,
        processor=time.process_time() - processor,
        wall=time.perf_counter() - wall,
        held=lock.longest,
        changes=len(report.changes),
    )


def tell(kills: Kills | None, costs: list[Cost]) -> None:
    """Both as tables."""
    if kills is not None:
        total = kills.named + kills.anywhere
        show(
            "Nights that were killed and taken up again",
            f"{kills.too_late} more were over before the kill came",
            "where",
            "kills",
            rows=[
                ("at a named point", f"{kills.named}"),
                ("at any moment", f"{kills.anywhere}"),
                ("ended as an undisturbed one", f"{total - len(kills.different)} of {total}"),
            ],
        )
    show(
        "What a night costs without a model",
        f"bar: {BAR:.0f} s of wall on two quiet cores",
        *("", "processor ms", "wall ms", "longest write ms", "changes"),
        rows=[
            (
                one.name,
                f"{one.processor * 1e3:,.1f}",
                f"{one.wall * 1e3:,.1f}",
                f"{one.held * 1e3:,.1f}",
                f"{one.changes:,}",
            )
            for one in costs
        ],
    )


def main() -> None:
    """Both parts; exit code 1 when a killed night ended otherwise."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=KILLS, metavar="N")
    parser.add_argument("--memories", type=int, default=MEMORIES, metavar="N")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    draw = random.Random(wanted.seed)
    with tempfile.TemporaryDirectory(prefix="stratal-bench-") as name:
        costs = nights(Path(name) / "nights", count=wanted.memories, draw=draw)
        made = wanted.kills
        kills = kill_nights(Path(name) / "kills", kills=made, draw=draw) if made else None
    if wanted.json:
        told = {"kills": asdict(kills) if kills else None, "costs": [asdict(one) for one in costs]}
        sys.stdout.write(f"{json.dumps(told)}\n")
    else:
        tell(kills, costs)
    sys.exit(bool(kills and kills.different))


if __name__ == "__main__":
    main()
