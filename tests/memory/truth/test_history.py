"""History is append-only and takes any text."""

from datetime import timedelta

import pytest

from stratal_memory.records import Message, Role, ToolCall, TurnState
from stratal_memory.text import REPLACEMENT
from stratal_memory.truth import history
from tests.memory.worlds import World, begin, say


def test_messages_come_back_as_they_were_said(world: World) -> None:
    store = world.store()
    session = begin(store)
    call = ToolCall(id="c1", name="search", arguments='{"q": "tea"}')
    items = [
        Message(role=Role.USER, text="Find tea", media=("photo.png",)),
        Message(role=Role.ASSISTANT, text="", tool_calls=(call,), reasoning="hm"),
        Message(role=Role.TOOL, text="no tea", tool_call_id="c1", tool_failed=True),
    ]

    with store.write() as journal:
        turn = history.start_turn(
            journal.connection, session, request_id="r1", model="m", at=journal.at
        )
        kept = history.append(journal.connection, turn, items, at=journal.at)
    with store.read() as connection:
        found = history.of_session(connection, session.id)

    assert found == kept
    assert [(m.role, m.text, m.tool_calls, m.media) for m in found] == [
        (Role.USER, "Find tea", (), ("photo.png",)),
        (Role.ASSISTANT, "", (call,), ()),
        (Role.TOOL, "no tea", (), ()),
    ]
    assert found[1].reasoning == "hm"
    assert found[2].tool_failed


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b", "\udfff", "🦊\x00"])
def test_any_text_is_kept(world: World, text: str) -> None:
    store = world.store()

    kept = say(store, begin(store), text)

    assert REPLACEMENT in kept[0].text
    assert len(kept[0].text) == len(text)


@pytest.mark.parametrize("role", [Role.SYSTEM, Role.CONTEXT])
def test_what_we_put_into_prompts_is_no_history(world: World, role: Role) -> None:
    store = world.store()
    session = begin(store)
    with store.write() as journal:
        turn = history.start_turn(
            journal.connection, session, request_id="r", model="m", at=journal.at
        )

        message = Message(role=role, text="injected")
        with pytest.raises(AssertionError):
            history.append(journal.connection, turn, [message], at=journal.at)


def test_the_last_turn_is_the_last_even_when_the_clock_went_back(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "first")
    world.clock.pass_(hours=-2)
    later = say(store, session, "second")

    with store.read() as connection:
        last = history.last_turn(connection, session.id)
        assert last is not None
        messages = history.of_turn(connection, last.id)

    assert messages == later


def test_a_summary_stands_for_messages_that_stay(world: World) -> None:
    store = world.store()
    session = begin(store)
    old = say(store, session, "first", "one")
    new = say(store, session, "second", "two")

    with store.write() as journal:
        history.summarize(journal.connection, session.id, old, text="they began", at=journal.at)
    with store.read() as connection:
        seen = history.view(connection, session.id)
        everything = history.of_session(connection, session.id)

    assert (seen.summary, list(seen.messages)) == ("they began", new)
    assert everything == [*old, *new]


def test_open_turns_wait_before_they_count_as_cut_off(world: World) -> None:
    store = world.store()
    session = begin(store)
    with store.write() as journal:
        turn = history.start_turn(
            journal.connection, session, request_id="r", model="m", at=journal.at
        )
        asked = Message(role=Role.USER, text="Hello?")
        history.append(journal.connection, turn, [asked], at=journal.at)

    with store.read() as connection:
        now = world.clock()
        fresh = history.unremembered(connection, user="alice", before=now - timedelta(minutes=15))
        stale = history.unremembered(connection, user="alice", before=now)

    assert fresh == []
    assert [item.message.text for item in stale] == ["Hello?"]


def test_a_finished_turn_is_never_marked_cut_off(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "Hello")

    with store.write() as journal:
        turn = history.last_turn(journal.connection, session.id)
        assert turn is not None
        history.abort_turn(journal.connection, turn.id, at=journal.at)
        after = history.find_turn(journal.connection, user="alice", agent="main", id=turn.id)

    assert after is not None
    assert after.state is TurnState.DONE


def test_recalls_are_kept_once_a_turn(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "Hello")

    with store.write() as journal:
        turn = history.last_turn(journal.connection, session.id)
        assert turn is not None
        for scored in ([("mem_a", 0.5), ("mem_a", 0.6)], [("mem_a", 0.7), ("mem_b", 0.1)]):
            history.keep_recalls(journal.connection, turn.id, scored)
        found = history.recalled_in(journal.connection, session.id)

    assert found == ["mem_a", "mem_b"]
