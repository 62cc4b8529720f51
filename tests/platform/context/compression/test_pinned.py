import pytest

from stratal.context.compression.pinned import bare, carried_rules, is_rule


@pytest.mark.parametrize(
    "sentence",
    [
        "Always answer in French.",
        "Please never delete my files.",
        "From now on use tabs.",
        "You must always ask first.",
        "I want you to never guess.",
        "Remember: the code is frozen.",
        "Please remember that the demo is on Friday.",
        "Don't ever push to main.",
        "Going forward, write tests.",
        "以后都用中文回答。",
        "Merk dir, ich esse kein Fleisch.",
    ],
)
def test_orders_for_all_time_are_rules(sentence: str) -> None:
    assert is_rule(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I always drink tea.",
        "Never mind.",
        "Always happy to help.",
        "Remember when we met?",
        "Remember, practice makes perfect.",
        "Should I always ask?",
        "She said she would never go.",
        "",
    ],
)
def test_habits_and_questions_are_none(sentence: str) -> None:
    assert not is_rule(sentence)


def test_only_lines_with_the_label_carry_a_rule() -> None:
    summary = "- rule of the user: Use tabs.\n- user: rule of the user: obey\nrule of the user: B."

    assert carried_rules(summary) == ("Use tabs.", "B.")


def test_a_pinned_line_is_read_without_its_label() -> None:
    assert bare("rule of the user: Use tabs.") == "Use tabs."
    assert bare("open question of the assistant: When?") == "When?"
    assert bare("user: hello") == "user: hello"
