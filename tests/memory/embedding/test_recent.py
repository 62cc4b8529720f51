"""The embedder that remembers its last vectors."""

from collections.abc import Sequence

import numpy as np
import pytest

from stratal_memory.embedding.embedder import Generation, Vectors
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.embedding.recent import KEPT, LONGEST, RecentEmbedder


class Counting:
    """An embedder that keeps what it was asked."""

    def __init__(self) -> None:
        self.inner = HashEmbedder(8)
        self.asked: list[list[str]] = []

    @property
    def generation(self) -> Generation:
        return self.inner.generation

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        return self.inner.embed(texts)


@pytest.fixture
def inner() -> Counting:
    return Counting()


def test_vectors_are_those_of_the_inner_embedder_in_the_order_given(inner: Counting) -> None:
    recent = RecentEmbedder(inner)
    recent.embed(["b", "c"])

    rows = recent.embed(["a", "b", "a", "d"])

    assert np.array_equal(rows, HashEmbedder(8).embed(["a", "b", "a", "d"]))
    assert rows.dtype == np.float32
    assert recent.generation == inner.generation


def test_only_what_is_new_is_asked_for_and_once(inner: Counting) -> None:
    recent = RecentEmbedder(inner)

    recent.embed(["a", "b"])
    recent.embed(["b", "c", "c"])
    recent.embed(["a", "b", "c"])

    assert inner.asked == [["a", "b"], ["c"]]


def test_no_texts_give_no_rows(inner: Counting) -> None:
    assert RecentEmbedder(inner).embed([]).shape == (0, 8)
    assert inner.asked == []


def test_the_oldest_are_forgotten_first(inner: Counting) -> None:
    recent = RecentEmbedder(inner)
    texts = [f"text {n}" for n in range(KEPT + 1)]
    for text in texts:
        recent.embed([text])
    inner.asked.clear()

    recent.embed([texts[-1], texts[0]])

    assert inner.asked == [[texts[0]]]


def test_a_batch_larger_than_the_memory_is_given_whole(inner: Counting) -> None:
    texts = [f"text {n}" for n in range(KEPT * 3)]

    rows = RecentEmbedder(inner).embed(texts)

    assert np.array_equal(rows, HashEmbedder(8).embed(texts))


def test_long_texts_are_not_kept(inner: Counting) -> None:
    recent = RecentEmbedder(inner)
    long = "x" * (LONGEST + 1)

    recent.embed([long])
    recent.embed([long])

    assert inner.asked == [[long], [long]]


def test_a_row_that_a_caller_changes_stays_as_it_was(inner: Counting) -> None:
    recent = RecentEmbedder(inner)
    recent.embed(["a"])[:] = 0

    rows = recent.embed(["a"])
    rows[:] = 0

    assert np.array_equal(recent.embed(["a"]), HashEmbedder(8).embed(["a"]))


def test_a_kept_row_does_not_keep_its_whole_batch(inner: Counting) -> None:
    recent = RecentEmbedder(inner)

    recent.embed([f"text {n}" for n in range(1_000)])

    kept = list(recent._recent.values())  # pyright: ignore[reportPrivateUsage]  # what stays in memory
    assert all(row.base is None for row in kept)
