"""Summaries and cuts are rows that are added, never changed; the newest counts."""

from stratal_memory.records import Message
from stratal_memory.store import Store
from stratal_memory.text import REPLACEMENT
from stratal_memory.truth import summaries
from stratal_memory.truth.schema import cuts
from stratal_memory.truth.summaries import Cut
from tests.memory.worlds import World, begin, say


def keep(store: Store, session: str, said: list[Message], *, text: str, method: str) -> None:
    with store.write() as journal:
        summaries.keep_summary(
            journal.connection,
            session,
            first=said[0].seq,
            last=said[-1].seq,
            text=text,
            method=method,
            at=journal.at,
        )


def test_the_newest_summary_is_the_one_kept_last(world: World) -> None:
    store = world.store()
    session, other = begin(store), begin(store)
    said = say(store, session, "first", "one")
    with store.read() as connection:
        assert summaries.newest_summary(connection, session.id) is None

    keep(store, session.id, said, text="quick", method="extractive")
    world.clock.pass_(hours=-2)  # a clock may go back
    keep(store, session.id, said, text="good\ud800", method="gpt")
    keep(store, other.id, said, text="elsewhere", method="note")

    with store.read() as connection:
        newest = summaries.newest_summary(connection, session.id)
    assert newest is not None
    assert (newest.text, newest.method) == (f"good{REPLACEMENT}", "gpt")
    assert (newest.first, newest.last) == (said[0].seq, said[1].seq)


def test_keeping_a_summary_moves_no_cut(world: World) -> None:
    store = world.store()
    session = begin(store)
    said = say(store, session, "first", "one")

    keep(store, session.id, said, text="quick", method="extractive")

    with store.read() as connection:
        assert summaries.current_cut(connection, session.id) == Cut()


def test_a_cut_stands_where_it_was_moved_last(world: World) -> None:
    store = world.store()
    session, other = begin(store), begin(store)

    with store.write() as journal:
        for cut in (Cut(after=7, aged=9), Cut(after=3, summary="back\x00", reason="undone")):
            kept = summaries.move_cut(journal.connection, session.id, cut, at=journal.at)

    with store.read() as connection:
        found = summaries.current_cut(connection, session.id)
        rows = connection.execute(cuts.select()).all()
        assert summaries.current_cut(connection, other.id) == Cut()
    assert found == kept
    assert found == Cut(after=3, summary=f"back{REPLACEMENT}", reason="undone", at=journal.at)
    assert [row.after for row in rows] == [7, 3]
