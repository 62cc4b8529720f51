from stratal_memory.truth.answers import answer_before
from tests.memory.worlds import World, begin, say


def test_the_answer_before_a_message_is_that_of_its_own_conversation(world: World) -> None:
    store = world.store()
    session, other = begin(store), begin(store)
    [first, _] = say(store, session, "hi", "Where do you live?")
    say(store, other, "hello", "How old are you?")
    [second] = say(store, session, "Porto")

    with store.read() as connection:
        assert answer_before(connection, session.id, seq=first.seq) == ""
        assert answer_before(connection, session.id, seq=second.seq) == "Where do you live?"
