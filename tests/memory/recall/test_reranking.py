"""A second reading of the best: off by default, behind the gate, told as a part of the score."""

import sys
from collections.abc import Sequence

import pytest

from stratal_memory.errors import ConfigError, EmbeddingError
from stratal_memory.recall.cross_encoder import CrossEncoderReranker, reranker_of
from stratal_memory.recall.recall import search
from stratal_memory.recall.reranking import READ, reranked
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.tiers.semantic import Facts
from tests.memory.recall.making import candidate
from tests.memory.worlds import World, texts


class Fond:
    """Likes one word, and keeps what it was given."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.read: list[str] = []

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        self.read += texts
        return [1.5 if self.word in text else -0.5 for text in texts]


def test_the_best_are_in_the_order_of_the_reranker(world: World) -> None:
    store = world.store()
    for text in ("The oboe is old.", "The oboe is new."):
        Facts(store).add(text)
    Facts(store).add("The user has two cats.")
    fond = Fond("old")

    usual = search(store, "oboe", settings=RecallSettings())
    found = search(store, "oboe", settings=RecallSettings(reranker=fond))

    assert texts([one.memory for one in usual]) == ["The oboe is new.", "The oboe is old."]
    assert texts([one.memory for one in found]) == ["The oboe is old.", "The oboe is new."]
    assert [one.parts.similarity for one in found] == [1.0, 0.0]  # never beyond 0..1
    assert [one.signals[-1].name for one in found] == ["reranker"] * 2
    weighed = found[0].parts.similarity * 0.5 + found[0].parts.confidence * 0.3 + 0.6 * 0.2
    assert found[0].score == pytest.approx(weighed * found[0].factors.product)
    assert sorted(fond.read) == ["The oboe is new.", "The oboe is old."]


def test_what_the_gate_cut_is_not_read_and_stays_cut(world: World) -> None:
    store = world.store()
    Facts(store).add("The user has two cats.")
    fond = Fond("cats")

    found = search(store, "oboe", settings=RecallSettings(reranker=fond), gate=False)

    assert [one.is_in for one in found] == [False] * len(found)
    assert fond.read == []


def test_no_more_than_the_best_are_read() -> None:
    fond = Fond("nothing")
    ranked = [candidate(f"text {number}") for number in range(READ + 5)]

    found = reranked("?", ranked, RecallSettings(reranker=fond))

    assert len(fond.read) == READ
    assert found[READ:] == ranked[READ:]


def test_a_setting_is_empty_or_names_a_model() -> None:
    assert reranker_of("") is None
    assert reranker_of("st:somewhere") is reranker_of("st:somewhere")
    for wrong in ("st:", "onnx:model", "ms-marco"):
        with pytest.raises(ConfigError, match="is no reranker"):
            reranker_of(wrong)


def test_a_missing_library_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    # None is how Python itself marks a module that can't be imported.
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)

    with pytest.raises(EmbeddingError, match="needs sentence-transformers and torch") as raised:
        CrossEncoderReranker("cross-encoder/ms-marco-MiniLM-L6-v2").scores("?", ["a"])

    assert "pip install" in raised.value.hint


class Offline:
    """The library where the model is not on the machine."""

    def CrossEncoder(self, model: str, **named: object) -> object:
        assert named == {"trust_remote_code": False, "local_files_only": True}
        raise OSError(f"{model} is not in the cache")


def test_a_model_that_is_not_here_is_said_and_not_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", Offline())

    with pytest.raises(EmbeddingError, match="can't be loaded from this machine") as raised:
        CrossEncoderReranker("some/model").scores("?", ["a"])

    assert "Nothing is downloaded" in raised.value.hint
