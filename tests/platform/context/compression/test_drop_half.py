from hypothesis import given, settings

from stratal.context.compression.drop_half import (
    Dropped,
    Refused,
    drop_half,
    keep_last_user,
    with_note,
)
from stratal_memory.records import Message
from tests.platform.context.making import assistant, histories, tool, user

THREE_TURNS = [user("a"), assistant("b"), user("c"), assistant("", "1"), tool("r", "1"), user("d")]


def test_the_older_half_of_the_turns_goes() -> None:  # covers P24, Ps3
    result = drop_half(THREE_TURNS)

    assert isinstance(result, Dropped)
    assert result.dropped == tuple(THREE_TURNS[:2])
    assert result.kept == tuple(THREE_TURNS[2:])


def test_the_note_counts_messages_and_goes_into_the_summary() -> None:  # covers P26, Ps3
    result = drop_half(THREE_TURNS)

    assert isinstance(result, Dropped)
    note = "[Emergency compression dropped 2 oldest messages due to context limit]"
    assert result.note == note
    assert with_note("they spoke of leave", result) == f"they spoke of leave\n\n{note}"
    assert with_note("", result) == note


def test_two_messages_or_fewer_are_left_alone() -> None:  # covers Ps3
    assert isinstance(drop_half([user("a"), user("b")]), Refused)
    assert isinstance(drop_half([]), Refused)


def test_the_active_turn_is_never_dropped() -> None:  # covers P25, Ps4
    result = drop_half([user("a"), assistant("", "1"), tool("huge", "1")])

    assert result == Refused(reason="refusing to drop active turn messages")


def test_the_last_resort_keeps_only_the_newest_user_message() -> None:  # covers P25
    result = keep_last_user([user("a"), assistant("", "1"), tool("huge", "1")])

    assert isinstance(result, Dropped)
    assert result.kept == (user("a"),)
    assert "dropped 2 oldest" in result.note


def test_the_last_resort_ends() -> None:  # covers P25
    assert isinstance(keep_last_user([user("a")]), Refused)
    assert isinstance(keep_last_user([assistant("a"), assistant("b")]), Refused)


@settings(deadline=None)
@given(histories())
def test_a_cut_loses_nothing_and_always_shrinks(history: list[Message]) -> None:  # covers P35
    before = list(history)
    result = drop_half(history)

    if isinstance(result, Dropped):
        assert result.dropped
        assert [*result.dropped, *result.kept] == history
        assert result.kept[0].role == "user"
    assert history == before
