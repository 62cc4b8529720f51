"""What is read of one scope to be kept, and what the events tell of the changes since."""

from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.records import Scope, ScopeKind
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.tiers.versions import Versions
from stratal_memory.truth import sqlite, views
from stratal_memory.truth.access import visible
from stratal_memory.truth.compacting import rewrite
from stratal_memory.truth.sqlite import Stamp
from tests.memory.worlds import World

ALICE = Scope(ScopeKind.USER, "alice")


def stamp(store: Store) -> Stamp:
    with store.read() as connection:
        return sqlite.stamp(connection)


def touched(store: Store, before: Stamp, *, most: int = 100) -> list[str] | None:
    with store.read() as connection:
        return views.touched(connection, before, sqlite.stamp(connection), most=most)


def test_rows_come_with_their_words_and_vector_and_of_one_scope_only(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    Facts(store).add("The user plays the oboe.")
    Facts(world.store("bob", embedder=HashEmbedder())).add("Bob has a canoe.")

    with store.read() as connection:
        [page] = list(views.rows(connection, ALICE, "main", generation=store.generation))
        [bare] = list(views.rows(connection, ALICE, "main", generation=0))

    both = list(zip(page.rows, page.vectors, strict=True))
    assert "obo" in (page.rows[-1].words or "").split()  # a stem
    assert all(vector is not None or row.form == "slot" for row, vector in both)
    assert all("Bob" not in row.text for row in page.rows)
    assert bare.vectors[-1] is None


def test_a_change_is_told_by_its_event(world: World) -> None:
    store = world.store()
    before = stamp(store)

    added = Facts(store).add("The user plays the oboe.").memory

    assert added.id in (touched(store, before) or [])
    assert touched(store, stamp(store)) == []


def test_what_was_undone_or_is_too_much_must_be_read_anew(world: World) -> None:
    store = world.store()
    added = Facts(store).add("The user plays the oboe.").memory
    before = stamp(store)
    Versions(store).undo(Versions(store).history(added.id).events[-1].id)

    assert touched(store, before) is None
    assert touched(store, Stamp(0, 0, 0, before.schema), most=1) is None


def test_a_vacuum_makes_everything_be_read_anew(world: World) -> None:
    store = world.store()
    before = stamp(store)

    rewrite(world.database)  # as every erase does

    assert touched(store, before) is None


def test_a_prepared_query_is_asked_about_some_rows_of_one_scope(world: World) -> None:
    alice, bob = world.store("alice"), world.store("bob")
    for store in (alice, bob):
        for i in range(3):
            Facts(store).add(f"The user has boat {i}.")
    with alice.read() as connection:
        where = visible(alice.reach)
        mine = views.allowed(connection, where, ALICE)
        asked = views.confirming(where)
        found = [seq for (seq,) in asked.run(connection, list(range(1, 50)))]

    assert sorted(found) == sorted(mine)
    assert len(mine) >= 3
