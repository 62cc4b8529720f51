"""What was recalled in a conversation is known."""

from stratal_memory.truth import recalls, turns
from tests.memory.worlds import World, begin, say


def test_recalls_are_kept_once_a_turn(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "Hello")

    with store.write() as journal:
        turn = turns.last_turn(journal.connection, session.id)
        assert turn is not None
        for scored in ([("mem_a", 0.5), ("mem_a", 0.6)], [("mem_a", 0.7), ("mem_b", 0.1)]):
            recalls.keep_recalls(journal.connection, turn.id, scored)
        found = recalls.recalled_in(journal.connection, session.id)

    assert found == ["mem_a", "mem_b"]
