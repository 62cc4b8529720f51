"""Measures the whole recall, from message to capped text, beside what one would use instead.

    .venv/bin/python scripts/bench_recall.py [--million]

`make bench` runs it; about five minutes on two cores, nearly all of it to fill Chroma. The gate is
scored and cuts nothing, so that there are always ten results; the embedder's time is not in it.
The tools beside it look for the ten nearest and nothing else: what that takes here is a row too.
Rows take turns, so that a busy machine slows all of them alike. Nothing is asserted.

`--million` makes a million memories of a thousand users first and opens them in a new process.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from bench import console, show
from recall_world import DIMENSION, NOW, Person, WordEmbedder, fill
from rivals import Rival, rivals

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.index.holdings import Holdings
from stratal_memory.recall.question import question
from stratal_memory.recall.recall import recall
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import views
from stratal_memory.truth.access import Reach, visible
from stratal_memory.truth.database import Database
from stratal_memory.truth.sqlite import Prepared

SIZES, USERS, RESULTS = (1_000, 10_000, 100_000), 100, 10
ASKED, WARM = 60, 10  # questions timed, and asked before
SETTINGS = RecallSettings(minimum_similarity=0.0, episode_items=RESULTS // 2)
FORMS = (Form.FACT, Form.MESSAGE)
MINE, ALONE = "Stratal, whole recall", "Stratal, the nearest ten alone"


@dataclass(slots=True)
class Times:
    """How long each question took, in milliseconds, by the clock and of the processor."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def time(self, work: Callable[[], object]) -> None:
        """Run `work` once."""
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        self.cpu.append((time.process_time() - cpu) * 1e3)
        self.wall.append((time.perf_counter() - wall) * 1e3)

    @property
    def p50(self) -> float:
        """The median by the clock."""
        return float(np.percentile(self.wall, 50))

    def told(self) -> tuple[str, str, str]:
        """Median and 95th percentile by the clock, and the processor's median."""
        p95 = np.percentile(self.wall, 95)
        return f"{self.p50:.2f}", f"{p95:.2f}", f"{np.percentile(self.cpu, 50):.2f}"


def open_store(database: Database, user: str, embedder: WordEmbedder) -> Store:
    """The store of one user at the time of the bench."""
    return Store.open(database, Principal(user=user), embedder=embedder, clock=lambda: NOW)


def ask(store: Store, text: str) -> int:
    """Recall, and how many memories it put into the prompt."""
    found = recall(store, text, settings=SETTINGS, count=lambda one: len(one) // 4, nonce="bench")
    return sum(len(block.items) for block in found.blocks)


def nearest(store: Store, vector: Vectors) -> int:
    """What the tools beside it do: the ten nearest of one user, read back from the truth."""
    where = visible(store.reach, forms=FORMS)
    with store.read() as connection:
        holdings = Holdings.of(store.database)
        sight = holdings.sight(connection, store.reach, generation=store.generation)
        assert sight is not None
        found = sight.nearest(vector, sight.view(connection, where, "bench"), limit=RESULTS)
        return len(sight.memories(connection, found, where, _confirming(store.reach)))


@lru_cache
def _confirming(reach: Reach) -> Prepared:
    return views.confirming(visible(reach, forms=FORMS))


def exact(store: Store, person: Person, texts: Sequence[str], embedder: WordEmbedder) -> int:
    """For how many questions the dense arm names exactly the nearest, by comparing with all."""
    rows = embedder.embed(person.texts())
    right = 0
    with store.read() as connection:
        for text in texts:
            asked = question(store, connection, text)
            assert asked.sight is not None
            assert asked.vector is not None
            view = asked.sight.view(connection, visible(store.reach, forms=FORMS), "bench")
            found = asked.sight.nearest(asked.vector, view, limit=RESULTS)
            places = [asked.sight.seqs.tolist().index(seq) for seq in found]
            close = rows @ asked.vector
            best = np.sort(close)[::-1][: len(places)]
            right += bool(np.allclose(close[places], best, atol=1e-6))
    return right


def beside(folder: Path, size: int) -> None:
    """One of a hundred users, beside the tools that are installed."""
    console.print(f"recall among {size:,} memories of {USERS} users ...")
    people = [Person(number, size // USERS) for number in range(USERS)]
    embedder, asking = WordEmbedder(), people[USERS // 2]
    with Database.open(folder / str(size)) as database:
        fill(database, people, embedder)
        store = open_store(database, asking.name, embedder)
        others = rivals(folder / f"rivals-{size}", people, embedder, console.print)
        texts = asking.questions(WARM + ASKED)
        embedder.keep(texts)
        times = _timed(store, others, asking, texts, embedder)
        fewest = min(ask(store, text) for text in texts)
        right = exact(store, asking, texts, embedder)
        _after_a_write(store, texts, times)
        store.close()
    for other in others:
        other.close()
    mine = times[MINE].p50
    show(
        f"Recall for one of {USERS} users among {size:,} memories (milliseconds, embedding apart)",
        f"always at least {fewest} results; the dense arm exact for {right} of {len(texts)}",
        *("what", "p50", "p95", "CPU p50", "ratio"),
        rows=[(name, *one.told(), f"{one.p50 / mine:.1f}x") for name, one in times.items()],
    )


def _timed(
    store: Store,
    others: Sequence[Rival],
    person: Person,
    texts: Sequence[str],
    embedder: WordEmbedder,
) -> dict[str, Times]:
    times = {MINE: Times(), ALONE: Times(), **{one.name: Times() for one in others}}
    for number, text in enumerate(texts):
        counted = times if number >= WARM else {name: Times() for name in times}
        vector = embedder.embed([text])[0]
        counted[MINE].time(partial(ask, store, text))
        counted[ALONE].time(partial(nearest, store, vector))
        for one in others:
            if number < one.most:
                counted[one.name].time(partial(one.ask, person, text, vector, RESULTS))
    return times


def _after_a_write(store: Store, texts: Sequence[str], times: dict[str, Times]) -> None:
    """The same when the user has just told something: what is kept in memory must follow."""
    after = times["Stratal, after a new memory"] = Times()
    for number, text in enumerate(texts[:20]):
        Facts(store).add(f"The user's locker has the number {number}.")
        after.time(partial(ask, store, text))


def alone(folder: Path) -> None:
    """One user with 100,000 memories of their own, beside reading the same bytes once."""
    console.print("one user with 100,000 memories ...")
    person, embedder = Person(7, 100_000), WordEmbedder()
    with Database.open(folder / "alone") as database:
        fill(database, [person], embedder)
        store = open_store(database, person.name, embedder)
        texts = person.questions(WARM + ASKED)
        embedder.keep(texts)
        first, warm, dense, reading = Times(), Times(), Times(), Times()
        first.time(partial(ask, store, texts[0]))
        same = np.random.default_rng(3).standard_normal((100_000, DIMENSION)).astype(np.float32)
        with store.read() as connection:
            for text in texts[1:]:
                asked = question(store, connection, text)
                sight, vector = asked.sight, asked.vector
                assert sight is not None
                assert vector is not None
                view = sight.view(connection, visible(store.reach, forms=FORMS), "bench")
                dense.time(partial(sight.nearest, vector, view, limit=RESULTS))
                reading.time(same.sum)
                warm.time(partial(ask, store, text))
        right = exact(store, person, texts[:10], embedder)
        store.close()
    bandwidth = same.nbytes / reading.p50 / 1e6
    named = {"first recall": first, "recall": warm, "dense arm": dense, "sum of as many": reading}
    show(
        "One user with 100,000 memories (milliseconds)",
        f"{same.nbytes / 1e6:.0f} MB of vectors, read at {bandwidth:.1f} GB/s; exact {right}/10",
        *("what", "p50", "p95", "CPU p50", "ratio"),
        rows=[(n, *one.told(), f"{one.p50 / reading.p50:.1f}x") for n, one in named.items()],
    )


def million(folder: Path) -> None:
    """A million memories of a thousand users, opened by a new process."""
    people = [Person(number, 1_000) for number in range(1_000)]
    started = time.perf_counter()
    with Database.open(folder) as database:
        fill(database, people, WordEmbedder(), _tell_every_tenth)
    made = time.perf_counter() - started
    command = [sys.executable, __file__, "--inside", str(folder)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    size = (folder / "stratal.db").stat().st_size / 1e9
    show(
        "A million memories of a thousand users, in a new process",
        f"made in {made:.0f} s, {size:.1f} GB; each recall by another user",
        *("what", "found"),
        rows=[(name, str(value)) for name, value in found.items()],
    )


def _tell_every_tenth(done: int) -> None:
    if done % 100_000 == 0:
        console.print(f"  {done:,} written")


def inside(folder: Path) -> None:
    """What the new process of `million` finds, as JSON."""
    embedder, cold, warm = WordEmbedder(), Times(), Times()
    users = np.random.default_rng(5).permutation(1_000)[:300].tolist()
    texts = {number: Person(number, 1_000).questions(2) for number in users}
    embedder.keep([text for some in texts.values() for text in some])
    opening = Times()
    databases: list[Database] = []
    opening.time(lambda: databases.append(Database.open(folder)))
    for number in users:
        store = open_store(databases[0], f"user-{number}", embedder)
        cold.time(partial(ask, store, texts[number][0]))
        warm.time(partial(ask, store, texts[number][1]))
        store.close()
    status = Path("/proc/self/status").read_text().splitlines()
    memory = {
        line.split(":")[0]: line.split()[1]
        for line in status
        if line.startswith(("VmRSS", "VmHWM"))
    }
    found = {
        "open": f"{opening.p50:.0f} ms",
        "first recall of a user, p50 / p95 / CPU p50 ms": " / ".join(cold.told()),
        "second recall of a user, p50 / p95 / CPU p50 ms": " / ".join(warm.told()),
        "resident memory": f"{int(memory['VmRSS']) // 1024} MB",
        "most resident memory": f"{int(memory['VmHWM']) // 1024} MB",
    }
    sys.stdout.write(json.dumps(found))


def main() -> None:
    """Every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--inside", type=Path)
    chosen = parser.parse_args()
    if chosen.inside:
        inside(chosen.inside)
        return
    with tempfile.TemporaryDirectory(prefix="stratal-bench-") as name:
        if chosen.million:
            million(Path(name) / "million")
        alone(Path(name))
        for size in SIZES:
            beside(Path(name), size)


if __name__ == "__main__":
    main()
