"""What rules make of a conversation: telling sentences, how it ended, what it taught."""

from collections.abc import Sequence

import pytest

from stratal_memory.consolidation.telling import SENTENCES, TITLE, outcome, tell


def by_length(sentences: Sequence[str]) -> list[float]:
    return [float(len(sentence)) for sentence in sentences]


def test_statements_come_before_the_outcome_and_questions_last() -> None:
    told = tell(
        ["The printer in the attic jams on thick paper. Why?", "It works now, thanks."],
        rarity=by_length,
    )

    assert told is not None
    assert told.text == (
        "The user said: The printer in the attic jams on thick paper. It works now, thanks. "
        "Outcome: it worked. The user asked: Why?"
    )
    assert (told.title, told.how) == ("The printer in the attic jams on thick paper", "rules")


def test_what_was_learned_is_told_as_a_lesson() -> None:
    told = tell(["We drove all night.", "Next time I book the ferry first."], rarity=by_length)

    assert told is not None
    assert "Lesson: Next time I book the ferry first." in told.text


def test_a_sentence_that_a_fact_was_learned_from_is_told_before_rarer_ones() -> None:
    noise = [f"Sentence about something {place}." for place in range(20)]

    told = tell([*noise, "I play the oboe."], rarity=lambda all_: [1.0] * len(all_), facts=["oboe"])

    assert told is not None
    assert "I play the oboe." in told.text
    assert told.text.count(".") <= SENTENCES + 1


def test_silence_has_no_episode() -> None:
    assert tell(["  ", ""], rarity=by_length) is None


@pytest.mark.parametrize(
    ("last", "how"),
    [
        ("That worked!", "solved"),
        ("Perfect, exactly what I needed.", "solved"),
        ("It still doesn't start.", "open"),
        ("No luck, same error.", "open"),
        ("See you tomorrow.", ""),
        ("The weather was perfect in Ohio, but the roof is not fixed.", "open"),
        ("The weather was perfect in Ohio.", ""),
        ("Thanks, I fixed dinner.", ""),
        ("Is it fixed?", ""),
    ],
)
def test_the_last_words_tell_how_it_ended(last: str, how: str) -> None:
    assert outcome(["How do I do it?", last]) == how
    assert outcome([]) == ""


def test_a_title_is_cut_between_words() -> None:
    told = tell(["The heron " * 20], rarity=by_length)

    assert told is not None
    assert len(told.title) <= TITLE + 2
    assert told.title.endswith("heron …") or told.title.endswith("The …")


def test_numbers_and_titles_of_people_are_not_cut_at_their_full_stop() -> None:
    told = tell(["I take 2.5 mg of it daily. Dr. Smith told me so"], rarity=by_length)

    assert told is not None
    assert told.text == "The user said: I take 2.5 mg of it daily. Dr. Smith told me so."
