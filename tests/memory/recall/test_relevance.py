from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.recall.arms import Hit
from stratal_memory.recall.calibration import SAME, Null
from stratal_memory.recall.features import Features
from stratal_memory.recall.relevance import (
    CONFIRMED,
    LEXICAL_GATE,
    QUESTION_GATE,
    relevance,
    signals_of,
)
from stratal_memory.recall.settings import RecallSettings
from tests.memory.recall.making import NOON, nothing
from tests.memory.worlds import memory

NULL = Null(mean=0.1, threshold=0.4)
DEFAULT = RecallSettings()


def hit(cosine: float | None, coverage: float = 0.0, matched: int = 2) -> Hit:
    return Hit(memory("x", at=NOON), cosine, coverage, matched)


def line(*, similarity: float, words: float, meaning: float = 1.0, best: float = 1.0) -> Hit:
    measured = replace(nothing(), words=words, meaning=meaning)
    return Hit(
        memory("x", at=NOON),
        0.1,
        features=measured,
        coverage=0.0,
        similarity=similarity,
        best=best,
    )


def test_a_cosine_passes_from_the_threshold_of_its_embedder_on() -> None:
    assert relevance(hit(0.4), NULL, DEFAULT).passed
    below = relevance(hit(0.39), NULL, DEFAULT)
    assert (below.passed, below.reason) == (False, "just below the gate (cosine 0.39 < 0.40)")


def test_shared_rare_words_pass_beside_a_low_cosine_and_without_one() -> None:
    for cosine, null in ((0.0, NULL), (None, NULL), (None, None)):
        assert relevance(hit(cosine, LEXICAL_GATE), null, DEFAULT).passed
        assert not relevance(hit(cosine, LEXICAL_GATE - 0.01), null, DEFAULT).passed


def test_one_shared_word_needs_vectors_that_do_not_deny_it() -> None:
    middling = (NULL.mean + NULL.threshold) / 2
    confirmed = NULL.mean + CONFIRMED * (NULL.threshold - NULL.mean) + 1e-9

    assert relevance(hit(middling, 1.0, matched=1), NULL, DEFAULT).passed  # it is all that is asked
    assert not relevance(hit(middling - 0.01, 1.0, matched=1), NULL, DEFAULT).passed
    assert relevance(hit(confirmed, 0.6, matched=1), NULL, DEFAULT).passed
    assert not relevance(hit(middling, 0.6, matched=1), NULL, DEFAULT).passed
    assert relevance(hit(None, 1.0, matched=1), None, DEFAULT).passed


def test_the_reason_without_a_vector_speaks_of_words() -> None:
    assert "word match 0.10 <" in relevance(hit(None, 0.1), None, DEFAULT).reason


def test_similarity_is_nothing_at_the_mean_and_one_where_texts_say_the_same() -> None:
    assert relevance(hit(NULL.mean), NULL, DEFAULT).similarity == 0
    assert relevance(hit(SAME), NULL, DEFAULT).similarity == 1


def test_a_minimum_replaces_the_calibrated_gate() -> None:
    settings = RecallSettings(minimum_similarity=0.75, plain_cosine=True)  # preset zeus

    assert relevance(hit(0.75), NULL, settings).passed
    assert not relevance(hit(0.74, coverage=1.0), NULL, settings).passed
    assert relevance(hit(0.8), NULL, settings).similarity == 0.8
    assert relevance(hit(-0.2), NULL, settings).similarity == 0


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1))
def test_more_words_never_make_a_hit_less_similar(cosine: float, one: float, other: float) -> None:
    less, more = sorted((one, other))

    weak = relevance(hit(cosine, less), NULL, DEFAULT)
    strong = relevance(hit(cosine, more), NULL, DEFAULT)

    assert 0 <= weak.similarity <= strong.similarity <= 1
    assert strong.passed or not weak.passed


def test_the_reason_says_when_it_was_a_near_miss() -> None:
    assert relevance(hit(0.35), NULL, DEFAULT).reason.startswith("just below the gate")
    assert relevance(hit(0.30), NULL, DEFAULT).reason.startswith("below the gate")


def test_a_line_passes_by_the_ranker_only_where_its_surroundings_share_words() -> None:
    assert relevance(line(similarity=0.6, words=0.5), NULL, DEFAULT).passed
    assert not relevance(line(similarity=0.6, words=0.4), NULL, DEFAULT).passed
    assert not relevance(line(similarity=0.5, words=0.5), NULL, DEFAULT).passed


def test_the_similarity_of_a_line_is_the_rankers_and_every_part_is_named() -> None:
    spoken = line(similarity=0.6, words=0.5)
    signals = signals_of(spoken, NULL)

    assert relevance(spoken, NULL, DEFAULT).similarity == 0.6
    assert [one.name for one in signals] == list(Features.__slots__)
    assert {one.name: one.value for one in signals}["words"] == 0.5


def test_no_line_passes_where_even_the_best_one_is_no_answer() -> None:
    sure = line(similarity=0.9, words=0.9)
    doubted = replace(sure, best=QUESTION_GATE - 0.001)

    assert relevance(sure, NULL, DEFAULT).passed
    judged = relevance(doubted, NULL, DEFAULT)
    assert (judged.passed, judged.reason[:4]) == (False, "just")
    assert "answer there" in judged.reason


def test_a_line_that_is_little_by_itself_does_not_pass_beside_a_good_one() -> None:
    poor = line(similarity=0.9, words=0.9, meaning=0.0)

    judged = relevance(poor, NULL, DEFAULT)

    assert (judged.passed, "line by itself" in judged.reason) == (False, True)
    assert relevance(replace(poor, cosine=None, coverage=0.9), NULL, DEFAULT).passed
