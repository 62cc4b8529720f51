"""Row, vector and the word to the index are one transaction."""

import pytest
from sqlalchemy import Table, func, select

from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.records import Status
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import outbox
from stratal_memory.truth.schema import memories, vectors
from stratal_memory.truth.schema import outbox as table
from tests.memory.worlds import World, memory

TABLES = (memories, vectors, table)


def counts(world: World) -> list[int]:
    def rows(one: Table) -> int:
        with world.database.read() as connection:
            return connection.execute(select(func.count()).select_from(one)).scalar_one()

    return [rows(one) for one in TABLES]


def test_a_memory_its_vector_and_its_entry_are_written_together(world: World) -> None:
    Facts(world.store(embedder=HashEmbedder())).add("The user likes tea.")

    assert counts(world) == [1, 1, 1]


def test_a_rollback_takes_all_three(world: World) -> None:
    embedder = HashEmbedder()
    store = world.store(embedder=embedder)

    def write() -> None:
        with store.write() as journal:
            row = embedder.embed(["tea"])[0]
            journal.add(memory("The user likes tea.", at=journal.at), reason="a test", vector=row)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write()

    assert counts(world) == [0, 0, 0]


def test_closing_a_memory_tells_the_index(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    made = Facts(store).add("The user likes tea.").memory

    with store.write() as journal:
        journal.close(made, status=Status.RETRACTED, reason="a test")

    with world.database.read() as connection:
        waiting = outbox.pending(connection, generation=store.generation, limit=10)
    assert [entry.operation for entry in waiting] == [outbox.UPSERT, outbox.DELETE]


def test_settling_one_generation_leaves_the_others_entries(world: World) -> None:
    with world.database.write() as connection:
        for generation in (1, 2, 1):
            outbox.announce(connection, [7], generation=generation, operation=outbox.UPSERT)

        outbox.settle(connection, generation=1, up_to=3)

        assert outbox.pending(connection, generation=1, limit=10) == []
        assert len(outbox.pending(connection, generation=2, limit=10)) == 1
        assert outbox.backlog(connection) == 1
