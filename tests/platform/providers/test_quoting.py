import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.providers.quoting import LONGEST, best_passage, is_question, shared_words

FILLER = "Nothing of interest happens in this long sentence about the weather of the coast."


@pytest.mark.parametrize(
    "text",
    [
        "Where do I live",
        "where do I live?",
        "Tell me about the trip",
        "  summarise the handbook",
        "Wo wohne ich?",
        "¿Dónde vivo",
        "住所は？",
        "أين أسكن؟",
    ],
)
def test_questions_are_known_by_their_marks_or_their_first_word(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I live in Graz.",
        "Remember that I like tea",
        "Whatever.",
        "Island life",
        "Ich wohne hier",
    ],
)
def test_everything_else_is_a_statement(text: str) -> None:
    assert not is_question(text)


@pytest.mark.parametrize(
    ("asked", "text", "shared"),
    [
        ("Where did I move?", "I moved to Graz.", 1),
        ("Who is moving?", "Bob moves to Linz.", 1),
        ("Where is the bus?", "The address of the business.", 0),
        ("Which tickets did I book?", "You booked two tickets.", 2),
        ("Where are the keys to the house?", "The house is old.", 1),
        ("東京に住んでいますか", "彼は東京に住んでいます", 8),
        ("anything", "", 0),
    ],
)
def test_shared_words_are_counted_once_each(asked: str, text: str, shared: int) -> None:
    assert shared_words(asked, text) == shared


def test_a_short_item_is_quoted_whole_on_one_line() -> None:
    assert best_passage("# Trips\n\nWe went   to Graz.", "Graz?") == "# Trips We went to Graz."


def test_a_long_item_gives_its_best_sentences_in_their_order() -> None:
    text = (
        f"{FILLER} The ferry leaves at noon. {FILLER} {FILLER} Tickets for the ferry cost 9 euro."
    )

    passage = best_passage(text, "When does the ferry leave, and what do tickets cost?")

    assert passage == "The ferry leaves at noon. … Tickets for the ferry cost 9 euro."


def test_neighbours_are_joined_without_a_gap() -> None:
    text = f"{FILLER} {FILLER} {FILLER} The ferry leaves at noon. The ferry is red."

    assert best_passage(text, "ferry?") == "The ferry leaves at noon. The ferry is red."


def test_a_long_item_that_shares_no_word_gives_its_first_sentences() -> None:
    text = " ".join(f"Sentence number {n} says nothing at all about it, really." for n in range(9))

    passage = best_passage(text, "Graz?")

    assert passage.startswith("Sentence number 0")
    assert "number 2" in passage
    assert "number 3" not in passage


@given(text=st.text(max_size=3_000), asked=st.text(max_size=60))
def test_a_passage_is_never_longer_than_the_limit(text: str, asked: str) -> None:
    assert len(best_passage(text, asked)) <= LONGEST


def test_one_endless_word_is_cut() -> None:
    passage = best_passage("x" * 10_000, "y?")

    assert (len(passage), passage[-1]) == (LONGEST, "…")
