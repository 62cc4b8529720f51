"""A ledger's texts come back exactly, and no text is stored twice in a conversation."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from stratal_memory.records import Session
from stratal_memory.store import Store
from stratal_memory.text import content_hash
from stratal_memory.truth import ledgers, turns
from stratal_memory.truth.schema import ledger_texts
from tests.memory.worlds import World, begin, say


def by_digest(*texts: str) -> dict[str, str]:
    return {content_hash(text): text for text in texts}


def keep(store: Store, session: Session, texts: Mapping[str, str], ledger: str = "{}") -> str:
    with store.write() as journal:
        turn = turns.last_turn(journal.connection, session.id)
        assert turn is not None
        ledgers.keep_ledger(journal.connection, turn.id, ledger, texts)
    return turn.id


def test_the_latest_ledger_of_a_turn_is_kept(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "Hello")

    for ledger in ('{"n": 1}', '{"n": 2}'):
        id = keep(store, session, {}, ledger)

    with store.read() as connection:
        turn = turns.find_turn(connection, user="alice", agent="main", id=id)
    assert turn is not None
    assert turn.ledger == '{"n": 2}'


def test_a_text_of_the_conversation_or_of_an_earlier_ledger_is_not_stored_again(
    world: World,
) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "Hello", "Hi there")

    keep(store, session, by_digest("be brief", "Hello"))
    keep(store, session, by_digest("be brief", "Hi there", "today is Monday"))

    with store.read() as connection:
        stored = connection.execute(select(ledger_texts.c.text)).scalars().all()
        found = ledgers.texts_of(
            connection, session.id, by_digest("be brief", "Hello", "Hi there", "never")
        )
    assert sorted(stored) == [b"be brief", b"today is Monday"]
    assert found == by_digest("be brief", "Hello", "Hi there")


def test_another_conversation_has_its_own_texts(world: World) -> None:
    store = world.store()
    session, other = begin(store), begin(store)
    for one in (session, other):
        say(store, one, f"Hello from {one.id}")
        keep(store, one, by_digest("be brief", f"for {one.id}"))
    foreign = by_digest(f"for {other.id}", f"Hello from {other.id}")

    with store.read() as connection:
        assert ledgers.texts_of(connection, session.id, foreign) == {}
        assert ledgers.texts_of(connection, other.id, foreign) == foreign
        assert ledgers.texts_of(connection, other.id, by_digest("be brief")) != {}


def test_more_texts_than_one_statement_takes_are_kept(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "Hello")
    many = by_digest(*(f"text {number}" for number in range(2 * ledgers.PAGE + 1)))

    keep(store, session, many)

    with store.read() as connection:
        assert ledgers.texts_of(connection, session.id, many) == many


ANY_TEXT = st.text(st.characters(codec=None, categories=None))  # surrogates and NUL too


def test_any_text_comes_back_exactly(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "a\ud800b")

    @given(st.lists(ANY_TEXT, max_size=5))
    def held(texts: list[str]) -> None:
        named = by_digest(*texts, "a\ud800b", "a\x00b", "\udfff", "")
        keep(store, session, named)
        with store.read() as connection:
            assert ledgers.texts_of(connection, session.id, named) == named

    held()
