"""What was recalled in a conversation is known, and what came of it."""

from stratal_memory.outcomes import Decided, Outcome
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import recalls, turns
from tests.memory.worlds import World, begin, say, turns_of


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


def test_a_turn_is_looked_at_with_the_one_before_it(world: World) -> None:
    store = world.store()
    session, other = begin(store), begin(store)
    for one in (session, other, session, session):
        say(store, one, "Hello")
    first, second, third = turns_of(store, session)
    with store.write() as journal:
        connection = journal.connection
        for turn, memory in ((first, "mem_a"), (second, "mem_b"), (third, "mem_c")):
            recalls.keep_recalls(connection, turn, [(memory, 0.5)])
        used = Decided(memory="mem_b", outcome=Outcome.USED, overlap=0.75)
        recalls.decide(connection, second, [used], at=journal.at)
        recalls.decide(connection, second, [], at=journal.at)

        here, there = recalls.lately(connection, session.id, third)
        begun, nothing = recalls.lately(connection, session.id, first)

    assert (here.turn, here.outcomes) == (third, {"mem_c": None})
    assert there is not None
    assert (there.turn, there.outcomes) == (second, {"mem_b": Outcome.USED})
    assert (begun.outcomes, nothing) == ({"mem_a": None}, None)


def test_only_what_is_within_reach_is_told(world: World) -> None:
    fact = Facts(world.store("alice")).add("I live in Lisbon.").memory
    alice, bob = world.store("alice"), world.store("bob")

    with alice.read() as connection:
        [mine] = recalls.told(connection, alice.reach, [fact.id, "mem_gone"]).values()
        theirs = recalls.told(connection, bob.reach, [fact.id])

    assert (mine.id, mine.key, mine.text, mine.value) == (fact.id, fact.key, fact.text, fact.value)
    assert theirs == {}
