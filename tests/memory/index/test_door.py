"""Chroma behind the door: it proposes, the truth decides, and damage never shows."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.errors import IndexDamaged
from stratal_memory.index.chroma import ChromaIndex, Ownership
from stratal_memory.index.door import FOLDER, Door
from stratal_memory.index.scan import Near
from stratal_memory.records import Form, Scope, ScopeKind, Status
from stratal_memory.store import Store
from stratal_memory.truth import memories, outbox
from stratal_memory.truth.access import visible
from stratal_memory.truth.schema import memories as table
from tests.memory.worlds import World, memory

DIMENSION = 32
RNG = np.random.default_rng(7)


def unit(count: int) -> Vectors:
    rows = RNG.normal(size=(count, DIMENSION)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def fill(store: Store, rows: Vectors) -> list[int]:
    with store.write() as journal:
        return [
            journal.add(
                memory(f"number {i}", at=journal.at, scope=Scope(ScopeKind.USER, store.user)),
                reason="a test",
                vector=row,
            )
            for i, row in enumerate(rows)
        ]


def nearest(store: Store, query: Vectors, *, limit: int = 5) -> list[Near]:
    assert store.door is not None
    where = visible(store.reach, forms=(Form.FACT,))
    with store.read() as connection:
        return store.door.nearest(connection, query, where, limit=limit)


def exact(store: Store, query: Vectors, *, limit: int = 5) -> list[Near]:
    """What the scan says, through a door of its own."""
    door = Door(store.database, generation=store.generation)
    where = visible(store.reach, forms=(Form.FACT,))
    with store.read() as connection:
        return door.nearest(connection, query, where, limit=limit)


def through_chroma(world: World, user: str = "alice") -> Store:
    return world.store(user, embedder=HashEmbedder(DIMENSION), scan_limit=10)


def door_of(store: Store) -> Door:
    assert store.door is not None
    return store.door


def seqs(near: Sequence[Near]) -> list[int]:
    return [one.seq for one in near]


def test_chroma_gives_what_the_scan_gives(world: World) -> None:
    store = through_chroma(world)
    fill(store, unit(300))

    for query in unit(20):
        assert nearest(store, query) == exact(store, query)

    assert (world.database.folder / FOLDER / "1" / "chroma.sqlite3").exists()


def test_few_rows_are_scanned_and_chroma_is_not_even_opened(world: World) -> None:
    store = world.store(embedder=HashEmbedder(DIMENSION))
    fill(store, unit(20))

    nearest(store, unit(1)[0])

    assert not (world.database.folder / FOLDER).exists()


def test_what_chroma_proposes_of_others_never_comes_back(world: World) -> None:
    alice, bob = through_chroma(world, "alice"), through_chroma(world, "bob")
    query = unit(1)[0]
    theirs = np.repeat(query.reshape(1, -1), 200, axis=0)  # bob's are all nearest
    fill(bob, theirs)
    mine = fill(alice, unit(15))

    near = nearest(alice, query)

    assert near == exact(alice, query)
    assert set(seqs(near)) <= set(mine)


def test_closed_memories_disappear_and_the_index_follows(world: World) -> None:
    store = through_chroma(world)
    rows = unit(40)
    fill(store, rows)
    nearest(store, rows[0])
    with store.write() as journal:
        first = memories.by_seq(journal.connection, [1], table.c.seq == 1)[1]
        journal.close(first, status=Status.RETRACTED, reason="a test")

    near = nearest(store, rows[0])
    health = door_of(store).check()

    assert 1 not in seqs(near)
    assert (health.sound, health.rows, health.expected, health.waiting) == (True, 39, 39, 0)


def test_what_was_added_since_is_found(world: World) -> None:
    store = through_chroma(world)
    fill(store, unit(40))
    nearest(store, unit(1)[0])

    late = unit(1)
    added = fill(store, late)

    assert seqs(nearest(store, late[0]))[0] == added[0]


def test_a_sound_index_says_so(world: World) -> None:
    store = through_chroma(world)
    fill(store, unit(100))

    health = door_of(store).check()

    assert (health.owned, health.sound, health.detail) == (True, True, "")
    assert (health.rows, health.expected, health.waiting) == (100, 100, 0)


def test_a_row_that_chroma_lost_is_noticed_and_rebuilding_heals(world: World) -> None:
    store = through_chroma(world)
    rows = unit(100)
    fill(store, rows)
    door = door_of(store)
    door.check()
    chroma = ChromaIndex(world.database.folder / FOLDER / "1", generation=store.generation)
    chroma.delete([50])

    damaged = door.check()
    during = nearest(store, rows[49])
    rebuilt = door.rebuild()
    healed = door.check()

    assert (damaged.sound, damaged.detail) == (False, "99 rows, 100 expected")
    assert during == exact(store, rows[49])
    assert (rebuilt, healed.sound, healed.rows) == (100, True, 100)
    assert nearest(store, rows[49]) == exact(store, rows[49])
    assert not (world.database.folder / FOLDER / "1").exists()


def test_rows_with_other_vectors_are_noticed(world: World) -> None:
    store = through_chroma(world)
    fill(store, unit(50))
    door = door_of(store)
    door.check()
    chroma = ChromaIndex(world.database.folder / FOLDER / "1", generation=store.generation)
    chroma.upsert(list(range(1, 51)), unit(50))

    health = door.check()

    assert (health.sound, health.detail) == (False, "a row does not find itself")


def test_an_index_of_another_distance_is_refused(tmp_path: Path) -> None:
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(str(tmp_path), Settings(anonymized_telemetry=False))
    client.create_collection("generation-1", embedding_function=None)

    with pytest.raises(IndexDamaged, match="measures l2, not cosine"):
        ChromaIndex(tmp_path, generation=1)


def test_two_generations_are_fed_and_rebuilt_apart(world: World) -> None:
    old = world.store(embedder=HashEmbedder(DIMENSION), scan_limit=10)
    fill(old, unit(20))
    new = world.store(embedder=HashEmbedder(DIMENSION * 2), scan_limit=10)
    with new.write() as journal:
        rows = HashEmbedder(DIMENSION * 2).embed([f"word{i}" for i in range(20)])
        for i, row in enumerate(rows):
            journal.add(memory(f"word{i}", at=journal.at), reason="a test", vector=row)

    first = door_of(old).check()
    old.close()
    second = door_of(new).check()

    assert (first.sound, first.rows) == (True, 20)
    assert (second.sound, second.rows) == (True, 20)


OWNER = """
import sys
from pathlib import Path
from stratal_memory.index.chroma import Ownership

ownership = Ownership(Path(sys.argv[1]))
print(ownership.take(), flush=True)
sys.stdin.readline()
"""


def test_a_second_process_does_not_own_the_index_and_scans(world: World) -> None:
    store = through_chroma(world)
    rows = unit(30)
    fill(store, rows)
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(world.database.folder / FOLDER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout is not None
    assert owner.stdout.readline() == "True\n"

    near = nearest(store, rows[3])
    health = door_of(store).check()
    rebuilt = door_of(store).rebuild()
    with store.read() as connection:
        waiting = outbox.backlog(connection)
    owner.communicate("\n", timeout=30)

    assert near == exact(store, rows[3])
    assert (health.owned, rebuilt, waiting) == (False, 0, 30)
    assert door_of(store).check().owned


def test_any_thread_of_the_owner_owns_it(tmp_path: Path) -> None:
    from threading import Thread

    ownership = Ownership(tmp_path)
    ownership.take()
    said: list[bool] = []

    asking = Thread(target=lambda: said.append(ownership.take()))
    asking.start()
    asking.join(20)

    assert said == [True]
    ownership.release()
    assert Ownership(tmp_path).take()
