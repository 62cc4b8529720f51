"""Sessions count what was said in them and remember the least trusted thing read."""

import pytest

from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.learning.gate import catch_up, take_in
from stratal_memory.records import Form, Status, Trust
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import messages, sessions
from tests.memory.worlds import World, begin, say


def test_each_conversation_counts_its_own_messages(world: World) -> None:
    store = world.store()
    empty = begin(store)
    world.clock.pass_(minutes=1)
    long = begin(store)
    say(store, long, "first", "one")
    say(store, long, "second")

    with store.read() as connection:
        found = sessions.find_sessions(connection, user="alice", agent="main")

    assert [(one.id, one.messages) for one in found] == [(long.id, 3), (empty.id, 0)]


def test_before_anything_was_read_the_conversation_is_trusted(world: World) -> None:
    store = world.store()
    session = begin(store)

    with store.read() as connection:
        assert sessions.lowest_read(connection, session.id) is Trust.SYSTEM


@pytest.mark.parametrize(
    ("read", "lowest"),
    [
        ([Trust.SYSTEM], Trust.SYSTEM),
        ([Trust.TOOL, Trust.USER], Trust.TOOL),
        ([Trust.TOOL, Trust.DOCUMENT], Trust.DOCUMENT),
        ([Trust.USER, Trust.WEB, Trust.DOCUMENT, Trust.SYSTEM], Trust.WEB),
    ],
)
def test_trust_goes_down_and_never_up(world: World, read: list[Trust], lowest: Trust) -> None:
    store = world.store()
    session, other = begin(store), begin(store)

    with store.write() as journal:
        for trust in read:
            sessions.lower_trust(journal.connection, session.id, trust)

    with store.read() as connection:
        assert sessions.lowest_read(connection, session.id) is lowest
        assert sessions.lowest_read(connection, other.id) is Trust.SYSTEM


def test_the_conversation_of_a_sub_agent_is_found_by_its_id_alone(world: World) -> None:
    store = world.store()
    own = begin(store)
    with store.write() as journal:
        inside = sessions.start_session(
            journal.connection, user="alice", agent="main", at=journal.at, parent=own.id
        )

    with store.read() as connection:
        listed = sessions.find_sessions(connection, user="alice")
        named = sessions.find_sessions(connection, user="alice", id=inside.id)
        asked_by_bob = sessions.find_sessions(connection, user="bob", id=inside.id)

    assert [one.id for one in listed] == [own.id]
    assert [(one.id, one.parent) for one in named] == [(inside.id, own.id)]
    assert asked_by_bob == []


def test_nothing_said_to_a_sub_agent_is_taken_in_now_or_later(world: World) -> None:
    store = world.store()
    own = begin(store)
    with store.write() as journal:
        inside = sessions.start_session(
            journal.connection, user="alice", agent="main", at=journal.at, parent=own.id
        )
    said = say(store, inside, "I live in Lisbon.", "Noted.")

    assert take_in(store, inside, said) == []
    world.clock.pass_(minutes=600)
    catch_up(store)
    consolidate(store)

    assert Facts(store).known(forms=tuple(Form), statuses=tuple(Status)) == []
    with store.read() as connection:
        assert messages.unremembered(connection, user="alice", before=world.clock()) == []
