"""What was written without a model is embedded later; two generations never meet."""

from collections.abc import Sequence

import pytest

from stratal_memory.embedding import backlog
from stratal_memory.embedding.backlog import embed_missing
from stratal_memory.embedding.embedder import Vectors
from stratal_memory.index.door import Door
from stratal_memory.records import Form, Status
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import generations, memories, vectors
from stratal_memory.truth.access import visible
from tests.memory.worlds import DrawnEmbedder, World


def write(world: World, count: int) -> None:
    facts = Facts(world.store())
    for number in range(count):
        facts.add(f"fact number{number}")


def missing(store: Store) -> int:
    with store.read() as connection:
        return len(generations.without_vector(connection, generation=store.generation, limit=999))


def embed(world: World, store: Store, embedder: DrawnEmbedder) -> int:
    return embed_missing(world.database, embedder, generation=store.generation)


def test_what_was_written_without_a_model_gets_its_vectors(world: World) -> None:
    write(world, 5)
    embedder = DrawnEmbedder({})
    store = world.store(embedder=embedder)

    first, second = embed(world, store, embedder), embed(world, store, embedder)

    assert (first, second) == (5, 0)
    assert missing(store) == 0
    assert len(embedder.texts) == 5


def test_a_late_vector_is_the_one_it_would_have_had(world: World) -> None:
    embedder = DrawnEmbedder({})
    write(world, 1)
    store = world.store(embedder=embedder)
    embed(world, store, embedder)

    Facts(world.store("bob", embedder=embedder)).add("fact number0")

    with store.read() as connection:
        late, now = vectors.of_seqs(connection, [1, 2], generation=store.generation).vectors
    assert late.tolist() == now.tolist()


def test_a_run_that_failed_goes_on_where_it_stopped(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A patch, because the page is a constant and 1,024 facts a page would be slow to write.
    monkeypatch.setattr(backlog, "PAGE", 2)
    write(world, 5)

    class Fails(DrawnEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            if any("number3" in text for text in texts):
                raise RuntimeError("out of memory")
            return super().embed(texts)

    store = world.store(embedder=DrawnEmbedder({}))
    progress: list[int] = []

    with pytest.raises(RuntimeError):
        embed_missing(
            world.database, Fails({}), generation=store.generation, on_progress=progress.append
        )

    assert (progress, missing(store)) == ([2], 3)
    assert embed(world, store, DrawnEmbedder({})) == 3


def test_what_another_process_embedded_meanwhile_stays(world: World) -> None:
    write(world, 3)
    store = world.store(embedder=DrawnEmbedder({}))

    class Meanwhile(DrawnEmbedder):
        """Another process is done before this one has its vectors."""

        def embed(self, texts: Sequence[str]) -> Vectors:
            rows = super().embed(texts)
            embed(world, store, DrawnEmbedder({}))
            return rows

    done = embed(world, store, Meanwhile({}))

    assert (done, missing(store)) == (0, 0)


def test_closed_memories_are_not_embedded(world: World) -> None:
    write(world, 2)
    store = world.store(embedder=DrawnEmbedder({}))
    with store.write() as journal:
        gone = memories.select_memories(journal.connection, visible(store.reach))[0]
        journal.close(gone, status=Status.RETRACTED, reason="a test")

    assert embed(world, store, DrawnEmbedder({})) == 1


def test_two_generations_are_never_compared(world: World) -> None:
    old = DrawnEmbedder({"the query": (1, 0), "alpha": (1, 0), "beta": (0, 1)})
    new = DrawnEmbedder({"the query": (0, 1), "alpha": (1, 0), "beta": (0, 1)}, revision="2")
    before = world.store(embedder=old)
    Facts(before).add("alpha")
    Facts(before).add("beta")
    after = world.store(embedder=new)

    def best(store: Store, embedder: DrawnEmbedder) -> list[int]:
        door = Door(world.database, generation=store.generation)
        where = visible(store.reach, forms=(Form.FACT,))
        with store.read() as connection:
            query = embedder.embed(["the query"])[0]
            return [one.seq for one in door.nearest(connection, query, where, limit=9)]

    during = best(after, new)
    embed(world, after, new)

    assert before.generation != after.generation
    assert during == []  # nothing of the old one is compared with the new
    assert best(before, old) == [1, 2]
    assert best(after, new) == [2, 1]
