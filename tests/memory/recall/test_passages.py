from dataclasses import replace

import pytest

from stratal_memory.recall.lines import Lines
from stratal_memory.recall.passages import COVERED, DENSE, MOST, fitting, saturated
from stratal_memory.recall.question import Question
from stratal_memory.records import Form
from tests.memory.recall.making import asking, talked


def passages(asked: Question, *texts: str) -> Lines:
    near = talked(asked, *texts)
    return replace(near, lines=tuple(replace(line, form=Form.CHUNK) for line in near.lines))


def test_a_passage_that_speaks_of_it_often_holds_more_than_one_that_names_it_once() -> None:
    asked = asking("annual leave")
    near = passages(
        asked,
        "annual leave: annual leave is granted; annual leave ends in March",
        "annual leave stands beside ovens bread flour and salt",
        "ovens bread flour salt water and yeast",
    )

    often, once, never, nobody = saturated(asked, near).tolist()

    assert 1 > often > once > 0
    assert never == nobody == 0


def test_a_long_passage_counts_less_than_a_short_one_with_the_same_words() -> None:
    asked = asking("annual leave")
    near = passages(asked, "annual leave", "annual leave" + " ovens and bread and flour" * 9)

    short, long, _ = saturated(asked, near).tolist()

    assert short > long > 0


def test_lines_of_a_conversation_are_no_measure_for_passages() -> None:
    asked = asking("annual leave")

    assert not saturated(asked, talked(asked, "annual leave")).any()


def test_without_rare_words_nothing_is_held() -> None:
    asked = asking("")

    assert not saturated(asked, passages(asked, "annual leave")).any()


@pytest.mark.parametrize(
    ("dense", "coverage", "words", "similarity"),
    [
        (0.0, 0.0, 0.0, 0.0),
        (1.0, 0.0, 0.0, DENSE),
        (0.0, 1.0, 0.0, COVERED),
        (0.0, 1.0, 1.0, MOST),
        (0.7, 0.8, 0.4, 1 - (1 - 0.6 * 0.7) * (1 - (0.4 + 0.4 * 0.8))),
    ],
)
def test_meaning_and_words_of_a_passage_are_independent_evidence(
    dense: float, coverage: float, words: float, similarity: float
) -> None:
    assert fitting(dense=dense, coverage=coverage, words=words) == pytest.approx(similarity)
