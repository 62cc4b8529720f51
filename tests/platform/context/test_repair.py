from hypothesis import given, settings

from stratal.context.repair import CUT_OFF, repaired
from stratal.context.turns import turns
from stratal.context.validator import validate
from stratal_memory.records import Message, Role
from tests.platform.context.making import assistant, histories, tool, user
from tests.platform.context.test_validator import request


def test_a_call_without_a_result_gets_one_that_says_so() -> None:
    view = repaired([user("go"), assistant("", "1", "2"), tool("found", "2")])

    assert [(one.text, one.tool_call_id) for one in view[2:]] == [
        (CUT_OFF, "1"),
        ("found", "2"),
    ]
    assert view[2].tool_failed


def test_a_result_without_its_call_and_a_second_result_are_left_out() -> None:
    view = repaired(
        [user("go"), tool("?", "9"), assistant("", "1"), tool("a", "1"), tool("b", "1")]
    )

    assert [one.text for one in view] == ["go", "", "a"]


def test_an_assistant_that_said_nothing_is_left_out() -> None:
    assert repaired([user("go"), assistant("  ")]) == (user("go"),)


def test_a_whole_turn_comes_back_as_it_is() -> None:
    turn = (user("go"), assistant("let me see", "1"), tool("", "1"), assistant("done"))

    assert repaired(turn) == turn


@settings(deadline=None)
@given(histories())
def test_whatever_a_crash_leaves_can_be_sent(history: list[Message]) -> None:
    before = list(history)
    view = [one for turn in turns(history) if turn[0].role == Role.USER for one in repaired(turn)]

    validate(request(*view, user("go")), provider="offline")

    assert history == before
