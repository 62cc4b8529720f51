"""Turns are found by who asked, and end once."""

from stratal_memory.records import Message, Role, TurnState
from stratal_memory.truth import messages, turns
from tests.memory.worlds import World, begin, say


def test_the_last_turn_is_the_last_even_when_the_clock_went_back(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "first")
    world.clock.pass_(hours=-2)
    later = say(store, session, "second")

    with store.read() as connection:
        last = turns.last_turn(connection, session.id)
        assert last is not None
        said = messages.of_turn(connection, last.id)

    assert said == later


def test_a_turn_nothing_was_said_in_is_not_the_last(world: World) -> None:
    store = world.store()
    session = begin(store)

    with store.write() as journal:
        turns.start_turn(journal.connection, session, request_id="r", model="m", at=journal.at)

        assert turns.last_turn(journal.connection, session.id) is None


def test_a_finished_turn_is_never_marked_cut_off(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "Hello")

    with store.write() as journal:
        turn = turns.last_turn(journal.connection, session.id)
        assert turn is not None
        turns.abort_turn(journal.connection, turn.id, at=journal.at)
        after = turns.find_turn(journal.connection, user="alice", agent="main", id=turn.id)

    assert after is not None
    assert after.state is TurnState.DONE


def test_a_turn_that_was_cut_off_goes_on_in_other_hands(world: World) -> None:
    store = world.store()
    session = begin(store)

    with store.write() as journal:
        turn = turns.start_turn(
            journal.connection, session, request_id="r", model="m", at=journal.at, owner="dead"
        )
        asked = Message(role=Role.USER, text="Hello?")
        messages.append(journal.connection, turn, [asked], at=journal.at)
        turns.abort_turn(journal.connection, turn.id, at=journal.at)
        aborted = turns.open_turns(journal.connection, session.id)
        turns.reopen_turn(journal.connection, turn.id, owner="alive")
        (open_,) = turns.open_turns(journal.connection, session.id)

    assert aborted == []
    assert (open_.id, open_.owner, open_.state) == (turn.id, "alive", TurnState.OPEN)
