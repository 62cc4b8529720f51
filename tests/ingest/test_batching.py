from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_ingest.batching import LEAST, MOST, SLICE, TOGETHER, Batching, Embedded
from stratal_memory.embedding.embedder import Vectors


class Engine:
    """A vector is the length of its text; keeps what it was asked."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def __call__(self, texts: Sequence[str]) -> list[Vectors | None]:
        self.calls.append(list(texts))
        return [np.array([len(text)], np.float32) for text in texts]


def lengths(found: dict[str, Vectors | None]) -> dict[str, float]:
    return {text: float(row[0]) for text, row in found.items() if row is not None}


def items(found: Iterator[list[Embedded[str]]]) -> list[list[str]]:
    return [[one.item for one in several] for several in found]


def run(items: Sequence[Sequence[str]], engine: Engine) -> list[tuple[int, dict[str, float]]]:
    batching: Batching[int] = Batching(engine, tick=lambda: None)
    done = [
        (one.item, lengths(one.found))
        for number, texts in enumerate(items)
        for several in batching.add(number, texts)
        for one in several
    ]
    done += [(one.item, lengths(one.found)) for several in batching.rest() for one in several]
    batching.close()
    return done


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=5), max_size=20))
def test_every_item_comes_back_in_order_with_all_its_vectors(items: list[list[str]]) -> None:
    done = run(items, Engine())

    assert done == [
        (number, {text: float(len(text)) for text in texts}) for number, texts in enumerate(items)
    ]


def test_texts_of_many_items_are_embedded_together_longest_first() -> None:
    engine = Engine()

    run([["aa"], ["a"], ["aaa"]], engine)

    assert engine.calls == [["aaa", "aa", "a"]]


def test_the_same_text_is_embedded_once() -> None:
    engine = Engine()

    run([["same"], ["same", "other"]], engine)

    assert sorted(text for call in engine.calls for text in call) == ["other", "same"]


def test_no_more_than_the_buffer_waits() -> None:
    engine = Engine()
    texts = [[f"{number:06}"] for number in range(3 * MOST)]

    done = run(texts, engine)

    assert len(done) == 3 * MOST
    assert max(map(len, engine.calls)) <= SLICE
    assert LEAST <= SLICE


def test_an_error_of_the_embedder_is_raised() -> None:
    def broken(texts: Sequence[str]) -> list[Vectors | None]:
        raise RuntimeError("no memory left")

    batching: Batching[int] = Batching(broken, tick=lambda: None)
    list(batching.add(0, ["a"]))

    with pytest.raises(RuntimeError, match="no memory left"):
        list(batching.rest())
    batching.close()


def test_an_item_without_texts_waits_for_those_before_it_only() -> None:
    batching: Batching[str] = Batching(Engine(), tick=lambda: None)

    assert items(batching.add("first", [])) == [["first"]]
    assert items(batching.add("second", ["a"])) == []
    assert items(batching.add("third", [])) == []
    assert items(batching.rest()) == [["second", "third"]]
    batching.close()


def test_no_more_items_come_back_at_once_than_are_stored_at_once() -> None:
    batching: Batching[str] = Batching(Engine(), tick=lambda: None)
    for number in range(TOGETHER + 1):
        assert items(batching.add(str(number), ["the same"])) == []

    assert [len(some) for some in items(batching.rest())] == [TOGETHER, 1]
    batching.close()
