from stratal_memory.truth import waiting
from tests.memory.worlds import World


def test_what_waits_and_what_is_settled_are_told_apart_by_message_and_user(world: World) -> None:
    store, other = world.store(), world.store("bob")
    with store.write() as journal:
        for id in ("m1", "m2", "m1"):
            journal.note(waiting.WAITING, reason="r", detail=waiting.detail(id, "s"))
        journal.note(waiting.FAILED, reason="down", detail=waiting.detail("m2", "s"))
        journal.note(waiting.FAILED, reason="down again", detail=waiting.detail("m2", "s"))
        journal.note(waiting.SETTLED, reason="r", detail=waiting.detail("m1", "s"))

    with other.write() as journal:
        journal.note(waiting.SETTLED, reason="r", detail=waiting.detail("m2", "s"))

    with store.read() as connection:
        left = waiting.waiting(connection, user="alice")
        why = waiting.failures(connection, user="alice", places=left)
        assert waiting.waiting(connection, user="bob") == []
        assert waiting.failures(connection, user="bob", places=left) == {}
    assert left == [("m2", "s")]
    assert why == {"m2": "down again"}
