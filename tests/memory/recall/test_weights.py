from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.recall.weights import WEIGHTS, calibrated, counted, similarities, weighed
from tests.memory.recall.making import nothing


def test_the_sum_is_made_of_every_feature_times_its_weight() -> None:
    found = replace(nothing(), meaning=0.5, asks=1)

    assert counted(found)["meaning"] == pytest.approx(0.5 * WEIGHTS.meaning)
    assert weighed(found) == pytest.approx(0.5 * WEIGHTS.meaning + WEIGHTS.asks)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_similarity_lies_between_nothing_and_one_and_keeps_the_order(a: float, b: float) -> None:
    low, high = sorted((a, b))

    assert 0 <= calibrated(low) <= calibrated(high) <= 1


def test_a_line_of_nothing_is_hardly_similar_and_one_of_everything_is() -> None:
    full = replace(
        nothing(), meaning=0.8, window=1, answer=1, words=1, session=0.6, length=2.5, speaker=1
    )

    assert similarities({1: nothing()})[1] < 0.02
    assert similarities({1: full})[1] > 0.6


def test_a_question_about_one_speaker_that_the_other_answers_is_doubted() -> None:
    told = replace(nothing(), meaning=0.7, words=1)
    hers, his = replace(told, speaker=1), replace(told, speaker=-1)
    weak = replace(nothing(), speaker=1)

    by_her = similarities({1: hers, 2: replace(nothing(), speaker=-1)})
    by_him = similarities({1: weak, 2: his})
    by_both = similarities({1: hers, 2: his})

    assert max(by_her.values()) > max(by_both.values()) > max(by_him.values())
    assert by_both[1] > by_both[2]
