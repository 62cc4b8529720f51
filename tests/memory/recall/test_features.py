import pytest

from stratal_memory.recall.features import Features, features
from tests.memory.recall.making import asking, talked


def measured(question: str, *texts: str) -> list[Features]:
    """The features of each line, without vectors."""
    asked = asking(question)
    found = features(asked, talked(asked, *texts), range(1, len(texts) + 1), null=None)
    return [found[seq] for seq in sorted(found)]


def test_a_word_counts_less_with_each_line_between() -> None:
    words = [
        one.words for one in measured("red kiln", "The red kiln.", "Oh.", "Ah.", "Yes.", "No.")
    ]

    assert words == pytest.approx([1, 0.7, 0.49, 0.343, 0])


def test_the_nearest_line_that_holds_a_word_is_the_one_that_counts() -> None:
    (_, middle, _) = measured("red kiln", "The red door.", "Oh.", "The red kiln.")

    assert middle.words == pytest.approx(0.7)


def test_words_in_the_order_of_the_question_are_pairs() -> None:
    question = "Who bought the blue garden gate?"  # bought blue garden gate

    found = measured(question, "A blue garden gate.", "A gate of the blue garden.", "Gate, blue.")

    assert [one.pairs for one in found] == [2, 1, 0]


def test_a_standing_order_counts_for_every_question_and_a_preference_for_advice() -> None:
    said = ("Always give two options when I ask for a recipe.", "I prefer rye bread.", "Rain.")

    def wishes(question: str) -> list[float]:
        return [one.wish for one in measured(question, *said)]

    assert wishes("Which bread should I bake?") == [1, 1, 0]
    assert wishes("Which bread did I bake?") == [1, 0, 0]


def test_wishes_are_no_matter_between_two_named_people() -> None:
    (one, _) = measured("What should Ida bake?", "Ida: I prefer rye bread.", "Sam: Fine.")

    assert (one.wish, one.speaker) == (0, 1)


def test_a_line_that_says_something_changed_counts_where_a_number_is_asked_for() -> None:
    said = ("The budget went up to 55 euros.", "The budget is 40 euros.")

    assert [one.changed for one in measured("What is my budget?", *said)] == [1, 0]
    assert [one.changed for one in measured("Who made the budget?", *said)] == [0, 0]
