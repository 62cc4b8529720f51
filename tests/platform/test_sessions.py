"""Ledgers on the disk: packed, found by their owner only, whole again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import delete, func, select

from stratal.context.assembler import Rendering, assemble
from stratal.context.budget import Budget
from stratal.context.history import Past, newest_turns
from stratal.context.ledger import Ledger
from stratal.context.packing import pack
from stratal.context.sections import Parts
from stratal.errors import InputError, NotFound
from stratal.providers.provider import Usage
from stratal.reply import USAGE
from stratal.sessions import Sessions
from stratal_memory.records import Message, Role, Session, ToolCall, TurnState
from stratal_memory.store import Store
from stratal_memory.truth import ledgers, messages, turns
from stratal_memory.truth.schema import ledger_texts
from stratal_memory.truth.schema import turns as turn_table
from tests.memory.worlds import World, begin, opened, say
from tests.platform.context.making import Words, everything


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = opened(tmp_path / "data")
    yield made
    made.close()


def sent(store: Store, session: Session, *, parts: Parts | None = None) -> Ledger:
    """The ledger of a request whose message is the last that was said."""
    with store.read() as connection:
        *history, message = messages.of_session(connection, session.id)
    return assemble(
        parts or everything(),
        Past(turns=newest_turns(history)),
        message,
        budget=Budget(),
        counter=Words(),
        rendering=Rendering(model="m", cache_key=session.id),
    ).ledger


def keep(store: Store, session: Session, ledger: Ledger, usage: Usage | None = None) -> str:
    packed = pack(ledger)
    with store.write() as journal:
        turn = turns.last_turn(journal.connection, session.id)
        assert turn is not None
        ledgers.keep_ledger(journal.connection, turn.id, packed.json, packed.texts)
        if usage:
            turns.close_turn(
                journal.connection,
                turn.id,
                state=TurnState.DONE,
                at=journal.at,
                usage=USAGE.dump_json(usage).decode(),
            )
    return turn.id


def test_a_stored_ledger_comes_back_and_replays(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "What is new? " * 20, "Nothing. " * 20)
    say(store, session, "And now? " * 20)
    ledger = sent(store, session)

    turn = keep(store, session, ledger)

    found = Sessions(store).ledger(turn)
    assert found == ledger
    assert found.replay() == ledger.request()


def test_what_messages_say_is_not_stored_again(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "What is new? " * 20, "Nothing. " * 20)
    say(store, session, "And now? " * 20)

    keep(store, session, sent(store, session))

    with store.read() as connection:
        kept = [bytes(text).decode() for text in connection.scalars(select(ledger_texts.c.text))]
    assert kept
    assert not any("What is new?" in text or "And now?" in text for text in kept)


def test_a_long_conversation_costs_the_same_for_every_turn(world: World) -> None:
    store = world.store()
    session = begin(store)
    sizes: list[int] = []
    for number in range(120):
        say(store, session, f"question {number} " * 30, f"answer {number} " * 60)
        keep(store, session, sent(store, session))
        with store.read() as connection:
            texts = connection.scalar(select(func.sum(func.length(ledger_texts.c.text))))
            jsons = connection.scalar(select(func.sum(func.length(turn_table.c.ledger))))
        assert texts is not None
        assert jsons is not None
        sizes.append(int(texts) + int(jsons))

    assert Sessions(store).ledger(turn_of(store, session)) == sent(store, session)
    assert sizes[-1] / 120 < 4_000
    # Where a run of turns ends is chance; growing with the history it would be 3.7 times.
    assert sizes[119] - sizes[99] < 2 * (sizes[39] - sizes[19])


def turn_of(store: Store, session: Session) -> str:
    with store.read() as connection:
        found = turns.last_turn(connection, session.id)
    assert found is not None
    return found.id


def test_an_erased_text_is_an_error_that_names_its_part(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "What is new? " * 20)
    turn = keep(store, session, sent(store, session))
    with store.write() as journal:
        journal.connection.execute(delete(ledger_texts))

    with pytest.raises(InputError, match="is gone, it was erased"):
        Sessions(store).ledger(turn)


def test_what_the_provider_counted_stands_beside_the_ledger(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "Hello")
    turn = keep(store, session, sent(store, session))
    assert Sessions(store).usage(turn) is None

    keep(store, session, sent(store, session), Usage(input=100, cache_read=80))

    assert Sessions(store).usage(turn) == Usage(input=100, cache_read=80)


def test_somebody_elses_ledger_and_usage_are_not_found(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "Hello")
    turn = keep(store, session, sent(store, session))
    bob = Sessions(world.store("bob"))

    with pytest.raises(NotFound):
        bob.ledger(turn)
    with pytest.raises(NotFound):
        bob.usage(turn)


def left_open(store: Store, session: Session, request_id: str, *, owner: str = "gone") -> str:
    """A turn whose process made one call that failed, one that nobody knows, and is not there."""
    calls = tuple(ToolCall(id=id * 20, name="pay", arguments="{}") for id in "ab")
    result = Message(role=Role.TOOL, text="no money", tool_call_id="a" * 20, tool_failed=True)
    said = [
        Message(role=Role.USER, text=f"Do {request_id}"),
        Message(role=Role.ASSISTANT, text="", tool_calls=calls),
        result,
    ]
    with store.write() as journal:
        turn = turns.start_turn(
            journal.connection,
            session,
            request_id=request_id,
            model="m",
            at=journal.at,
            owner=owner,
        )
        messages.append(journal.connection, turn, said, at=journal.at)
    return turn.id


def test_a_message_that_a_crash_left_is_found_with_what_its_calls_came_to(world: World) -> None:
    store = world.store()
    session = begin(store)
    assert Sessions(store).unfinished(session) is None
    left_open(store, session, "r1")

    found = Sessions(store).unfinished(session)

    assert found is not None
    assert (found.request_id, found.text, found.done) == ("r1", "Do r1", ())
    assert [call.id[0] for call in found.failed] == ["a"]
    assert [call.id[0] for call in found.unknown] == ["b"]


def test_a_turn_that_is_worked_on_is_not_left(world: World) -> None:
    store = world.store()
    session = begin(store)
    database = store.database
    turn = left_open(store, session, "r1", owner=database.owner)
    assert Sessions(store).unfinished(session) is not None

    database.working.add(turn)

    assert Sessions(store).unfinished(session) is None


def test_what_was_given_up_counts_until_something_else_is_said(world: World) -> None:
    store = world.store()
    session = begin(store)
    crashed = left_open(store, session, "r1")
    given_up = left_open(store, session, "r2")
    with store.write() as journal:
        turns.abort_turn(journal.connection, given_up, at=journal.at)
    last = Sessions(store).unfinished(session)
    answered = left_open(store, session, "r3")
    with store.write() as journal:
        turns.close_turn(
            journal.connection, answered, state=TurnState.DONE, at=journal.at, usage=""
        )

    found = Sessions(store).unfinished(session)

    assert last is not None
    assert found is not None
    assert (last.request_id, found.request_id) == ("r2", "r1")
    with store.write() as journal:
        turns.close_turn(journal.connection, crashed, state=TurnState.DONE, at=journal.at, usage="")
    assert Sessions(store).unfinished(session) is None


def test_nobody_is_told_what_somebody_else_left(world: World) -> None:
    store = world.store()
    session = begin(store)
    left_open(store, session, "r1")

    with pytest.raises(NotFound):
        Sessions(world.store("bob")).unfinished(session)
