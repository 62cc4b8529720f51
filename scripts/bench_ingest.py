"""Measures ingestion against the embedder alone on the same texts, and memory over many files.

    PYTHONPATH=. .venv/bin/python scripts/bench_ingest.py [--docs DIR] [--files N] [--many N]

Half of the texts are embedded alone before the ingest and half after it, so that a busy machine
slows both alike; the ratio is worth more than the numbers. `--docs` adds real files. The loaders of
LlamaIndex and LangChain take part where they are installed; they read the same text files, and
their pieces are embedded by the same model in the batches they make. Nothing is asserted.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from stratal_ingest.options import Progress
from stratal_ingest.pipeline import ingest
from stratal_memory.embedding.discovery import packaged_model
from stratal_memory.embedding.embedder import Vectors
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.embedding.onnx import MAX_TOKENS, OnnxEmbedder
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.documents import Documents
from stratal_memory.truth import memories
from stratal_memory.truth.database import Database

LIBRARIES = Path(__file__).parents[1] / ".venv-bench"  # what we are compared with
BAR = 0.85  # of the embedder's own rate
FILES = 300
MANY = 10_000
BATCH = 100  # texts an embedding call of LangChain and LlamaIndex takes
WORDS = (
    *("oven", "flour", "invoice", "delivery", "holiday", "shift", "alarm", "recipe", "the", "a"),
    *("of", "and", "to", "in", "is", "for", "with", "on", "that", "morning", "supplier", "bread"),
    *("kitchen", "order", "every", "before", "after", "price", "week", "team", "checks", "cools"),
)
console = Console()


@dataclass(slots=True)
class Rate:
    """Tokens and the seconds they took."""

    tokens: int = 0
    seconds: float = 0.0
    processor: float = 0.0  # seconds of it

    @property
    def each_second(self) -> float:
        """Tokens a second."""
        return self.tokens / self.seconds if self.seconds else 0.0


def write_files(folder: Path, count: int, *, seed: int = 7) -> None:
    """Files of six kinds and many lengths, the same every time."""
    draw = random.Random(seed)
    kinds: dict[str, Callable[[random.Random], str]] = {
        "md": _markdown,
        "txt": lambda d: "\n\n".join(_paragraph(d) for _ in range(d.randint(1, 8))),
        "html": lambda d: f"<html><body>{''.join(_tag(d) for _ in range(6))}</body></html>",
        "csv": _csv,
        "json": lambda d: json.dumps([{"id": n, "note": _paragraph(d)} for n in range(4)]),
        "py": lambda d: "\n\n".join(_function(d, n) for n in range(d.randint(2, 8))),
    }
    for number in range(count):
        kind = list(kinds)[number % len(kinds)]
        (folder / f"{number:05}.{kind}").write_text(kinds[kind](draw))


def _paragraph(draw: random.Random) -> str:
    sentences = (
        " ".join(draw.choices(WORDS, k=draw.randint(6, 22))).capitalize() + f" {draw.random():.6f}."
        for _ in range(draw.randint(1, 7))
    )
    return " ".join(sentences)


def _tag(draw: random.Random) -> str:
    return f"<h2>{' '.join(draw.choices(WORDS, k=3))}</h2><p>{_paragraph(draw)}</p>"


def _markdown(draw: random.Random) -> str:
    parts = [f"# {' '.join(draw.choices(WORDS, k=3))}"]
    for _ in range(draw.randint(1, 6)):
        parts += [f"## {' '.join(draw.choices(WORDS, k=2))}", _paragraph(draw), _paragraph(draw)]
    return "\n\n".join(parts)


def _csv(draw: random.Random) -> str:
    rows = (f"{n},{' '.join(draw.choices(WORDS, k=4))},{draw.random():.4f}" for n in range(30))
    return "\n".join(["id,what,price", *rows])


def _function(draw: random.Random, number: int) -> str:
    name = "_".join(draw.choices(WORDS, k=2))
    body = "\n".join(f"    {draw.choice(WORDS)} = {draw.random():.4f}" for _ in range(8))
    return f'def {name}_{number}():\n    """{_paragraph(draw)}"""\n{body}'


@contextmanager
def store_in(folder: Path, embedder: OnnxEmbedder | HashEmbedder) -> Generator[Store]:
    """A store of its own."""
    with Database.open(folder) as database:
        store = Store.open(database, Principal(user="bench"), embedder=embedder)
        yield store
        store.close()


def count_tokens(embedder: OnnxEmbedder, texts: Sequence[str]) -> int:
    """What the model reads of the texts: two more each for begin and end, 256 at most."""
    return sum(min(embedder.count(text) + 2, MAX_TOKENS) for text in texts)


def throughput(folder: Path, extra: Path | None, files: int, embedder: OnnxEmbedder) -> None:
    """Print ingestion's rate and the embedder's own on the same texts, before and after it."""
    docs = folder / "docs"
    docs.mkdir()
    write_files(docs, files)
    if extra is not None:
        for path in sorted(extra.rglob("*")):
            if path.is_file():
                shutil.copy(path, docs / f"real-{path.name}")
    texts = _texts(docs, folder / "first", embedder)
    half = len(texts) // 2
    ours, alone = Rate(), Rate()
    with timed(alone):
        embedder.embed(texts[:half])
    with store_in(folder / "data", embedder) as store, timed(ours):
        ingest([str(docs)], into=store)
    with timed(alone):
        embedder.embed(texts[half:])
    ours.tokens = alone.tokens = count_tokens(embedder, texts)
    ratio = ours.each_second / alone.each_second
    console.print(f"\nIngestion, {len(list(docs.iterdir()))} files, {ours.tokens:,} tokens")
    _line("the embedder alone, sorted by length", alone)
    _line("stratal ingest", ours, f"{ratio:.0%} of it; the bar is {BAR:.0%}")
    share = alone.processor / ours.processor
    console.print(f"  {share:.0%} of the processor time went into embedding")
    rivals(docs, embedder, alone)


def _texts(docs: Path, data: Path, embedder: OnnxEmbedder) -> list[str]:
    """What will be embedded of the files: ingested once with vectors that cost nothing."""
    with store_in(data, Thrifty(64)) as store:
        ingest([str(docs)], into=store, count=embedder.count)
        documents = Documents(store)
        passages = (one for held in documents.live() for one in documents.passages(held))
        return list(dict.fromkeys(memories.embeddable(one) for one in passages))


@contextmanager
def timed(rate: Rate) -> Generator[None]:
    """Adds what the block took: on the clock, and of processors, children included."""
    began, worked = time.perf_counter(), os.times()
    yield
    rate.seconds += time.perf_counter() - began
    rate.processor += sum(os.times()[:4]) - sum(worked[:4])


def _line(name: str, rate: Rate, note: str = "") -> None:
    console.print(f"  {name:<38}{rate.each_second:>10,.0f} tokens/s {rate.seconds:>8.1f} s  {note}")


def rivals(docs: Path, embedder: OnnxEmbedder, alone: Rate) -> None:
    """The others on the files all of them read as plain text."""
    sys.path.append(str(LIBRARIES))  # last: nothing of .venv is replaced
    readers: dict[str, tuple[str, Callable[[Path], list[str]]]] = {
        "LlamaIndex": ("llama_index.core", _llama_index),
        "LangChain": ("langchain_text_splitters", _langchain),
    }
    plain = docs.parent / "plain"
    plain.mkdir()
    for path in docs.glob("[0-9]*.txt"):
        shutil.copy(path, plain / path.name)
    for name, (package, read) in readers.items():
        if not _installed(package):
            console.print(f"  {name:<38}left out: {package} is not installed", style="dim")
            continue
        rate = Rate()
        began = time.perf_counter()
        texts = read(plain)
        for start in range(0, len(texts), BATCH):
            embedder.embed(texts[start : start + BATCH])
        rate.seconds = time.perf_counter() - began
        rate.tokens = count_tokens(embedder, texts)
        share = rate.each_second / alone.each_second
        _line(f"{name}, text files, kept nowhere", rate, f"{share:.0%} of it")


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def _llama_index(folder: Path) -> list[str]:
    from llama_index.core import SimpleDirectoryReader
    from llama_index.core.node_parser import SentenceSplitter

    nodes = SentenceSplitter(chunk_size=200, chunk_overlap=45).get_nodes_from_documents(
        SimpleDirectoryReader(str(folder)).load_data()
    )
    return [node.get_content() for node in nodes]


def _langchain(folder: Path) -> list[str]:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(chunk_size=900, chunk_overlap=180)
    return [
        piece
        for path in sorted(folder.iterdir())
        for piece in splitter.split_text(path.read_text())
    ]


class Thrifty(HashEmbedder):
    """Costs next to nothing, so that all else is seen."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of hashed words."""
        return super().embed([text[:40] for text in texts])


def memory_of(folder: Path, files: int) -> None:
    """Print how much memory a run holds after each tenth of many tiny files."""
    docs = folder / "many"
    docs.mkdir()
    for number in range(files):
        (docs / f"{number:06}.txt").write_text(f"Delivery {number} arrived before noon.")
    marks: list[tuple[int, int]] = []

    def tell(progress: Progress) -> None:
        if progress.done >= (len(marks) + 1) * files // 10 or (not marks and progress.done >= 100):
            marks.append((progress.done, _resident()))

    began = time.perf_counter()
    with store_in(folder / "many-data", Thrifty(64)) as store:
        report = ingest([str(docs)], into=store, on_progress=tell)
        first = time.perf_counter() - began
        began = time.perf_counter()
        ingest([str(docs)], into=store)
        second = time.perf_counter() - began
    console.print(f"\nMemory, {report.totals.added:,} tiny files, words hashed", style="bold")
    for done, size in marks:
        console.print(f"  after {done:>7,} files {size / 2**20:>8.1f} MiB")
    (start, low), (end, high) = marks[0], marks[-1]
    slope = (high - low) / max(1, end - start)
    console.print(f"  {slope:,.0f} bytes a file: its row, its path, caches of the database")
    console.print(f"  {files / first:,.0f} files/s at first, {files / second:,.0f} when unchanged")


def _resident() -> int:
    """Bytes of memory of our own: pages of the database file that lie in memory are not counted."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("this system does not tell how much memory a process holds")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--docs", type=Path, help="a folder of real files to add")
    parser.add_argument("--files", type=int, default=FILES, help="generated (%(default)s)")
    parser.add_argument("--many", type=int, default=MANY, help="tiny ones (%(default)s)")
    chosen = parser.parse_args()
    model = packaged_model()
    with tempfile.TemporaryDirectory() as folder:
        if model is not None:
            embedder = OnnxEmbedder(model, pinned=True)
            embedder.embed(["warm"])
            throughput(Path(folder), chosen.docs, chosen.files, embedder)
        memory_of(Path(folder), chosen.many)


if __name__ == "__main__":
    main()
