import pytest

from stratal_memory.recall.updates import asks_for_a_number, latest_first, says_changed
from tests.memory.recall.making import asking, talked


@pytest.mark.parametrize(
    ("question", "now"),
    [
        ("What is the deadline of the first sprint?", True),
        ("How many guests are there at first?", False),
        ("How many days are between the fair and the move?", False),
        ("How many different ovens do we use?", False),
        ("", False),
    ],
)
def test_one_number_as_it_is_now_has_a_latest(question: str, now: bool) -> None:
    assert asks_for_a_number(question) is now


@pytest.mark.parametrize(
    "text", ["It was rescheduled to Monday.", "I have 52 sources now.", "The rent went up to 900."]
)
def test_a_change_is_known_by_its_words(text: str) -> None:
    assert says_changed(text)
    assert not says_changed("The rent is 900 on Monday.")


def test_the_newest_line_about_the_same_number_takes_the_best_place() -> None:
    asked = asking("How much is the book budget?")
    near = talked(asked, "The book budget is 40.", "The kiln is 900 hot.", "Book budget: 55 now.")

    order = latest_first({1: 0.9, 2: 0.8, 3: 0.7}, near, asked)

    assert order == {1: 0.7, 2: 0.8, 3: 0.9}  # the kiln is another thing and keeps its place


def test_a_line_that_only_says_it_changed_is_a_later_word_too() -> None:
    asked = asking("When is the book fair?")
    near = talked(asked, "The book fair is on May 3.", "Was the book fair rescheduled?", "No fair.")

    assert latest_first({1: 0.9, 2: 0.5, 3: 0.4}, near, asked) == {1: 0.5, 2: 0.9, 3: 0.4}


def test_one_shared_word_is_not_the_same_thing() -> None:
    asked = asking("How much is the book budget?")
    near = talked(asked, "The book budget is 40.", "I read a book of 300 pages.")

    assert latest_first({1: 0.9, 2: 0.5}, near, asked) == {1: 0.9, 2: 0.5}


def test_nothing_found_stays_nothing() -> None:
    asked = asking("How much is the book budget?")

    assert latest_first({}, talked(asked, "Hello."), asked) == {}
