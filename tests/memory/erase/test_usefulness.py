"""What is erased leaves no trace in what is known of its use."""

from sqlalchemy import func, select

from stratal_memory.erase.pipeline import erase
from stratal_memory.erase.target import Target, What
from stratal_memory.outcomes import Counts, Decided, Outcome
from stratal_memory.records import Memory
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import recalls, usefulness
from stratal_memory.truth.schema import recalls as log
from stratal_memory.truth.schema_usefulness import usefulness as table
from stratal_memory.truth.usefulness import Turned
from tests.memory.worlds import World, begin, say, turns_of


def used(store: Store, fact: Memory) -> str:
    """The conversation of a turn whose answer used the fact."""
    session = begin(store)
    say(store, session, "Hm", "Well")
    [turn] = turns_of(store, session)
    with store.write() as journal:
        recalls.keep_recalls(journal.connection, turn, [(fact.id, 0.5)])
        decided = [Decided(memory=fact.id, outcome=Outcome.USED)]
        recalls.decide(journal.connection, turn, decided, at=journal.at)
        turned = Turned(key=fact.key, memory=fact.id, before=None, after=Outcome.USED)
        usefulness.count_in(journal.connection, [turned], user=store.user)
    return session.id


def counts(store: Store, fact: Memory) -> Counts | None:
    with store.read() as connection:
        found = usefulness.of_keys(connection, user=store.user, keys=[fact.key])
    return found[fact.key].counts if found else None


def erased(world: World, what: What, name: str) -> None:
    erase(world.database, Target(what=what, name=name, principal=Principal(user="alice")))


def test_a_fact_that_is_erased_takes_its_counts_along(world: World) -> None:
    store = world.store()
    fact = Facts(store).add("I live in Lisbon.").memory
    other = Facts(store).add("My sister is called Eva.").memory
    used(store, fact)
    used(store, other)

    erased(world, What.KEY, fact.key)

    store = world.store()
    assert counts(store, fact) is None
    assert counts(store, other) == Counts(used=1)
    with store.read() as connection:
        assert connection.execute(select(log.c.memory)).scalars().all() == [other.id]


def test_a_conversation_that_is_erased_counts_no_more(world: World) -> None:
    store = world.store()
    fact = Facts(store).add("I live in Lisbon.").memory
    gone = used(store, fact)
    used(store, fact)

    erased(world, What.SOURCE, gone)

    assert counts(world.store(), fact) == Counts(used=1)


def test_a_user_who_is_erased_leaves_no_counts(world: World) -> None:
    store, bob = world.store(), world.store("bob")
    used(store, Facts(store).add("I live in Lisbon.").memory)
    his = Facts(bob).add("I live in Porto.").memory
    used(bob, his)

    erase(world.database, Target.everything_of(Principal(user="alice")))

    with world.database.read() as connection:
        left = connection.execute(select(table.c.user, func.count()).group_by(table.c.user)).all()
    assert [tuple(row) for row in left] == [("bob", 1)]
    assert counts(world.store("bob"), his) == Counts(used=1)
