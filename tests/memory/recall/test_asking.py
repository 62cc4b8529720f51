import pytest

from stratal_memory.recall.asking import (
    asks,
    asks_for_advice,
    asks_for_detail,
    asks_of_assistant,
    asks_when,
    subject,
)


@pytest.mark.parametrize(
    "text",
    [
        "What is the name of my dentist?",
        "what is the name of my dentist",
        "do you remember where I parked",
        "How much salt goes into it",
        "tell me again what we said about the oven",
        "ok, who painted the ceiling",
        "which train goes to the airport",
        "我的牙医叫什么？",
        "Hi there! How are you?",
    ],
)
def test_what_only_asks_is_known_with_and_without_a_question_mark(text: str) -> None:
    assert asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "When I was ten we moved to Porto.",
        "What a day I had at the bakery.",
        "I baked rye bread on Sunday. Shall I freeze it?",
        "I'm planning a budget tracker with Flask, can you help?",
        "She asked me how much salt goes into it.",
        "",
        "...",
        "\ud800",
    ],
)
def test_what_tells_something_does_not_only_ask(text: str) -> None:
    assert not asks(text)


def test_questions_say_what_sort_of_answer_they_want() -> None:
    assert asks_when("Which year did she move?")
    assert not asks_when("Where did she move?")
    assert asks_of_assistant("Which book did you recommend?")
    assert not asks_of_assistant("Which book did I finish?")


@pytest.mark.parametrize(
    "text",
    ["Can you list my plans in order?", "What would you suggest?", "Would you show me the way?"],
)
def test_a_request_to_the_assistant_is_not_about_what_it_said(text: str) -> None:
    assert not asks_of_assistant(text)


@pytest.mark.parametrize(
    ("text", "advice", "detail"),
    [
        ("What should I bake?", True, False),
        ("How do I clean the kiln?", True, False),
        ("What was the fair like?", False, True),
        ("Why did she sell it?", False, True),
        ("When did she sell it?", False, False),
        ("How many came?", False, False),
        ("Can you give me a summary of my plans?", False, False),
        ("", False, False),
    ],
)
def test_questions_say_whether_they_want_advice_or_one_thing_that_was_told(
    text: str, advice: bool, detail: bool
) -> None:
    assert (asks_for_advice(text), asks_for_detail(text)) == (advice, detail)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        (
            "Can you list the order in which I brought up different aspects of my bakery plans"
            " throughout our conversations, in order? Mention ONLY five items.",
            "my bakery plans ?",
        ),
        ("When did I say I was moving to Porto?", "When I was moving to Porto?"),
        ("How many ovens have I mentioned across my messages?", "How many ovens ?"),
        ("Where does Ida live?", "Where does Ida live?"),
        ("Summary?", "Summary?"),
        ("in order", "in order"),  # nothing would be left of it
    ],
)
def test_what_a_request_is_about_is_left_of_it(text: str, about: str) -> None:
    assert subject(text) == about
