import pytest

from stratal_memory.recall.asking import asks, asks_of_assistant, asks_when


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
