from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.recall.candidates import Factors, Parts
from stratal_memory.recall.ranker import factors_of, parts_of, rank, score
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form, Memory, Scope, ScopeKind, Status
from tests.memory.recall.making import NOON, candidate
from tests.memory.worlds import memory

SHARE = st.floats(0, 1)


def test_the_score_is_the_documents_formula() -> None:
    # covers Z13
    parts = Parts(similarity=0.8, confidence=0.9, scope=0.6)

    assert score(parts, RecallSettings()) == pytest.approx(0.8 * 0.5 + 0.9 * 0.3 + 0.6 * 0.2)
    assert score(parts, RecallSettings()) == pytest.approx(0.79)


def test_the_weights_are_settings() -> None:
    settings = RecallSettings(similarity_weight=1, confidence_weight=0, scope_weight=0)

    assert score(Parts(similarity=0.8, confidence=0.9, scope=0.6), settings) == 0.8


@pytest.mark.parametrize(
    ("kind", "priority"), [("session", 1.0), ("project", 0.8), ("user", 0.6), ("org", 0.4)]
)
def test_narrow_scopes_come_before_wide_ones(kind: str, priority: float) -> None:
    made = memory("x", at=NOON, scope=Scope(ScopeKind(kind), "one"), confidence=0.7)

    parts = parts_of(made, similarity=0.5, settings=RecallSettings())

    assert (parts.similarity, parts.confidence, parts.scope) == (0.5, 0.7, priority)


@given(SHARE, SHARE, SHARE)
def test_a_score_lies_between_nothing_and_one(a: float, b: float, c: float) -> None:
    assert 0 <= score(Parts(similarity=a, confidence=b, scope=c), RecallSettings()) <= 1 + 1e-9


def test_a_tie_goes_to_the_newer_then_to_the_lower_id() -> None:
    old = candidate("old", id="mem_a", hours=-1)
    second, first = candidate("b", id="mem_c"), candidate("a", id="mem_b")
    better = candidate("better", score=0.6, hours=-9)

    assert rank([old, second, better, first]) == [better, first, second, old]


def test_disputed_memories_weigh_less_and_often_confirmed_ones_more() -> None:
    def evidence(made: Memory) -> float:
        return factors_of(made, RecallSettings(), now=NOON).evidence

    alone = memory("x", at=NOON)

    assert evidence(replace(alone, status=Status.CONTESTED)) == 0.95
    assert evidence(alone) == 1
    assert 1 < evidence(replace(alone, support=2)) < evidence(replace(alone, support=50)) <= 1.05


def test_passages_have_no_age_and_plain_cosine_is_not_bent() -> None:
    old = memory("x", at=NOON - timedelta(days=4_000), form=Form.CHUNK)

    assert factors_of(old, RecallSettings(), now=NOON).recency == 1
    plain = RecallSettings(plain_cosine=True)
    assert factors_of(replace(old, form=Form.FACT), plain, now=NOON) == Factors()
