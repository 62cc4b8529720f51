"""Sessions count what was said in them and remember the least trusted thing read."""

import pytest

from stratal_memory.records import Trust
from stratal_memory.truth import sessions
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
