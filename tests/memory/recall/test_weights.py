from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.recall.answerable import Evidence
from stratal_memory.recall.features import Features
from stratal_memory.recall.weights import (
    WEIGHTS,
    answerability,
    calibrated,
    counted,
    similarities,
    weighed,
)
from tests.memory.recall.making import asking, nothing, talked


def test_the_sum_is_made_of_every_feature_times_its_weight() -> None:
    found = replace(nothing(), meaning=0.5, assistant=1)

    assert counted(found)["meaning"] == pytest.approx(0.5 * WEIGHTS.meaning)
    assert weighed(found) == pytest.approx(0.5 * WEIGHTS.meaning + WEIGHTS.assistant)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_similarity_lies_between_nothing_and_one_and_keeps_the_order(a: float, b: float) -> None:
    low, high = sorted((a, b))

    assert 0 <= calibrated(low) <= calibrated(high) <= 1


def test_a_line_of_nothing_is_hardly_similar_and_one_of_everything_is() -> None:
    asked = asking("the red kiln")
    near = talked(asked, "The red kiln is hot.")
    full = replace(nothing(), meaning=0.8, words=1, pairs=1, session=0.6, length=2.5, speaker=1)

    assert similarities(asked, near, {1: nothing()})[1] < 0.1
    assert similarities(asked, near, {1: full})[1] > 0.6
    assert similarities(asked, near, {}) == {}


def test_a_question_about_one_speaker_that_the_other_answers_is_doubted() -> None:
    asked = asking("When did Ida sell the violin?")
    near = talked(asked, "Ida: I sold the violin.", "Sam: I sold the violin.")
    told, weak = replace(nothing(), meaning=0.7, words=1), nothing()

    def best(ida: Features, sam: Features) -> float:
        found = {1: replace(ida, speaker=1), 2: replace(sam, speaker=-1)}
        return max(similarities(asked, near, found).values())

    assert best(told, weak) > best(told, told) > best(weak, told)


def test_no_evidence_leaves_the_similarity_as_the_sum_has_it() -> None:
    neutral = Evidence(own=0, told=0, detail=0, missing=0)

    assert answerability(neutral) == 0
    assert answerability(replace(neutral, own=1)) > 0 > answerability(replace(neutral, missing=1))
