"""Scopes kept in memory: they follow every write, whoever made it, and never show another's."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.index.holdings import Holdings
from stratal_memory.index.sight import Sight
from stratal_memory.recall.question import question
from stratal_memory.recall.recall import recall, search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form, Scope, ScopeKind, Status
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.editing import Editing
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import vectors
from stratal_memory.truth.access import visible
from stratal_memory.truth.database import Database
from tests.memory.worlds import World, memory

SETTINGS = RecallSettings(minimum_similarity=0.0)


def found(store: Store, text: str) -> list[str]:
    return [one.memory.text for one in search(store, text, settings=SETTINGS)]


def sight(store: Store, holdings: Holdings) -> Sight | None:
    with store.read() as connection:
        return holdings.sight(connection, store.reach, generation=store.generation)


def seen(store: Store) -> Sight:
    with store.read() as connection:
        asked = question(store, connection, "What does the user play?")
    assert asked.sight is not None
    return asked.sight


def remember(store: Store, *texts: str) -> None:
    for text in texts:
        Facts(store).add(text)


OTHER_PROCESS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth.database import Database

with Database.open(Path(sys.argv[1])) as database:
    store = Store.open(database, Principal(user="alice"), embedder=HashEmbedder())
    Facts(store).add("The user sold an oboe.")
    store.close()
"""


def test_what_another_process_writes_is_found_by_the_next_question(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    remember(store, "The user plays the oboe.")
    assert found(store, "oboe") == ["The user plays the oboe."]

    command = [sys.executable, "-c", OTHER_PROCESS, str(world.database.folder)]
    subprocess.run(command, check=True)

    assert sorted(found(store, "oboe")) == ["The user plays the oboe.", "The user sold an oboe."]


def test_what_is_taken_back_or_comes_again_is_seen_at_once(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    remember(store, "The user plays the oboe.", "The user has a red canoe.")
    assert "The user plays the oboe." in found(store, "oboe")

    [fact] = [one for one in Facts(store).known() if "oboe" in one.text]
    Editing(store).forget(fact.key)
    without = found(store, "oboe")
    remember(store, "The user plays the oboe again.")

    assert "The user plays the oboe." not in without
    assert "The user plays the oboe again." in found(store, "oboe")


def test_a_row_that_lost_its_place_in_the_truth_is_not_told(world: World) -> None:
    """Whatever is kept, the truth is asked again, with the scope in its WHERE clause."""
    store = world.store(embedder=HashEmbedder())
    remember(store, "The user plays the oboe.")
    assert found(store, "oboe")

    with world.database.write() as connection:  # behind every event's back
        connection.exec_driver_sql("UPDATE memories SET scope_id = 'bob'")

    assert found(store, "oboe") == []
    blocks = recall(store, "oboe", settings=SETTINGS, count=len, nonce="n").blocks
    assert all(not block.items for block in blocks)


def test_others_are_neither_seen_nor_do_they_change_how_rare_a_word_is(world: World) -> None:
    """Promise 3, and more: what bob stores leaves no mark on what alice is told."""
    alice = world.store("alice", embedder=HashEmbedder())
    remember(alice, "The user plays the oboe.", "The user has a red canoe.")
    before = seen(alice).query_terms("the oboe and the canoe").idf

    bob = world.store("bob", embedder=HashEmbedder())
    remember(bob, *(f"Bob's oboe number {i} is in the shop." for i in range(30)))
    after = seen(alice)

    assert after.query_terms("the oboe and the canoe").idf == before
    assert len(after.seqs) == 2
    assert found(alice, "oboe shop number 3")[0] == "The user plays the oboe."


def test_a_shared_project_is_seen_beside_ones_own(world: World) -> None:
    store = world.store(embedder=HashEmbedder(), project="orchestra")
    Facts(store).add("The oboe is kept in locker nine.", scope=ScopeKind.PROJECT)
    remember(store, "The user plays the oboe.")

    both = found(store, "oboe")
    alone = found(world.store(embedder=HashEmbedder()), "oboe")

    assert sorted(both) == ["The oboe is kept in locker nine.", "The user plays the oboe."]
    assert alone == ["The user plays the oboe."]


def test_the_nearest_rows_are_exactly_the_nearest(world: World) -> None:
    store = world.store(embedder=HashEmbedder(32))
    rows = np.random.default_rng(7).normal(size=(300, 32)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    scope = Scope(ScopeKind.USER, store.user)
    with store.write() as journal:
        for i, row in enumerate(rows):
            one = memory(f"number {i}", at=journal.at, scope=scope)
            journal.add(one, reason="a test", vector=row)
    here = seen(store)
    with store.read() as connection:
        where = visible(store.reach, forms=(Form.FACT,), statuses=(Status.ACTIVE,))
        view = here.view(connection, where, "facts")

    for query in rows[:10]:
        nearest = here.nearest(query, view, limit=5)
        expected = np.argsort(-(rows @ query), kind="stable")[:5] + 1

        assert nearest == expected.tolist()


def test_a_scope_too_large_to_keep_is_searched_all_the_same(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    remember(store, *(f"The user has boat {i}." for i in range(5)))

    assert sight(store, Holdings(largest=4)) is None
    assert sight(store, Holdings(largest=5)) is not None


def test_the_scope_not_used_longest_is_let_go_of_first(world: World) -> None:
    stores = [world.store(name, embedder=HashEmbedder()) for name in ("alice", "bob", "carol")]
    for store in stores:
        remember(store, "The user plays the oboe.", "The user has a red canoe.")
    alice, bob, carol = stores
    one = Holdings()
    sight(alice, one)
    holdings = Holdings(most=int(2.5 * one.nbytes))

    for store in (alice, bob, alice, carol):
        sight(store, holdings)

    assert [scope.id for scope in holdings.scopes] == ["alice", "carol"]
    assert holdings.nbytes <= 2.5 * one.nbytes


def test_one_scope_is_kept_whatever_it_takes(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    remember(store, "The user plays the oboe.")
    holdings = Holdings(most=1)

    sight(store, holdings)

    assert [scope.id for scope in holdings.scopes] == ["alice"]


def test_a_vector_that_comes_late_is_found_by(world: World) -> None:
    words_only = world.store()
    remember(words_only, "The user plays the oboe.")
    store = world.store(embedder=HashEmbedder())
    holdings = Holdings()
    before = sight(store, holdings)
    with store.write() as journal:
        rows = HashEmbedder().embed(["The user plays the oboe."])
        vectors.store(journal.connection, [1], rows, generation=store.generation)
    after = sight(store, holdings)

    assert before is not None
    assert after is not None
    assert not before.vectors(np.array([0]), width=384).any()
    assert np.allclose(after.vectors(np.array([0]), width=384)[:1], rows)


def test_many_threads_ask_and_write_at_once(world: World) -> None:
    def work(name: str) -> list[int]:
        with Database.open(world.database.folder) as database:
            store = Store.open(database, Principal(user=name), embedder=HashEmbedder())
            counts: list[int] = []
            for i in range(5):
                Facts(store).add(f"The user {name} has boat {i}.")
                counts.append(len(found(store, f"boat {i}")))
            store.close()
        return counts

    with ThreadPoolExecutor(4) as pool:
        counted = list(pool.map(work, ("alice", "bob", "carol", "dave")))

    assert counted == [[1, 2, 3, 4, 5]] * 4
