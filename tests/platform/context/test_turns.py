from hypothesis import given, settings

from stratal.context.turns import safe_boundary, turn_starts, turns
from stratal_memory.records import Message
from tests.platform.context.making import assistant, histories, tool, user

TWO_TURNS = [user("a"), assistant("", "1"), tool("r", "1"), assistant("b"), user("c")]


def test_a_turn_begins_at_each_user_message() -> None:  # covers P9, P11, P13
    assert turn_starts(TWO_TURNS) == [0, 4]


def test_a_turn_holds_its_tool_calls_and_its_answer() -> None:  # covers P10, P12
    assert [len(turn) for turn in turns(TWO_TURNS)] == [4, 1]


def test_what_stands_before_the_first_user_message_is_a_piece_of_its_own() -> None:
    assert turns(TWO_TURNS[2:]) == [tuple(TWO_TURNS[2:4]), (TWO_TURNS[4],)]


@settings(deadline=None)
@given(histories())
def test_turns_joined_are_the_history_again(history: list[Message]) -> None:
    assert [message for turn in turns(history) for message in turn] == history


def test_a_cut_snaps_back_to_the_boundary_before_it() -> None:  # covers P14, P19, Ps2
    three = [user("a"), assistant("b"), user("c"), assistant("d"), user("e")]

    assert safe_boundary(three, 3) == 2
    assert safe_boundary(three, 2) == 2


def test_a_cut_inside_the_first_turn_snaps_forward() -> None:  # covers Ps2
    assert safe_boundary(TWO_TURNS, 2) == 4


def test_one_turn_has_no_safe_cut() -> None:  # covers Ps2
    assert safe_boundary(TWO_TURNS[:4], 2) == 0


def test_a_cut_outside_the_history_is_nothing_or_everything() -> None:  # covers Ps2
    assert safe_boundary(TWO_TURNS, 0) == 0
    assert safe_boundary(TWO_TURNS, -3) == 0
    assert safe_boundary(TWO_TURNS, 5) == 5
    assert safe_boundary([], 2) == 0


def test_without_user_messages_the_cut_stays_where_it_was() -> None:  # covers Ps2
    assert safe_boundary([assistant("a"), assistant("b"), assistant("c")], 2) == 2
