"""A change of the embedding model: the old one serves until the new one is complete."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from sqlalchemy import event, select

from stratal_memory.embedding.backlog import PAGE, embed_backlog, sweep
from stratal_memory.embedding.embedder import Embedder, Vectors
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.embedding.turnover import Find
from stratal_memory.erase.pipeline import erase
from stratal_memory.erase.target import Target, What
from stratal_memory.errors import EmbeddingError
from stratal_memory.recall.recall import search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Status
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import generations, vectors, writing
from stratal_memory.truth import memories as memory_rows
from stratal_memory.truth.access import visible
from stratal_memory.truth.database import Database
from stratal_memory.truth.schema import memories as memory_table
from stratal_memory.truth.schema import vectors as vector_table
from tests.memory.worlds import DrawnEmbedder, World

ANY = RecallSettings(minimum_similarity=0.0)
THINGS = ("piano", "kayak", "lantern", "anvil", "teapot")


class Counting:
    """A hashing embedder that counts what it is asked for, and may fail."""

    def __init__(self, dimension: int, *, fails_at: int | None = None) -> None:
        self._inner = HashEmbedder(dimension)
        self.generation = self._inner.generation
        self.asked: list[str] = []
        self._fails_at = fails_at

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self._fails_at is not None and len(self.asked) >= self._fails_at:
            raise RuntimeError("the power went")
        self.asked.extend(texts)
        return self._inner.embed(texts)


def by_setting(*known: Embedder) -> Find:
    """Finds those embedders again, as the settings' names do."""
    return {one.generation.setting: one for one in known}.get


def fill(store: Store) -> None:
    for thing in THINGS:
        Facts(store).add(f"My {thing} stands in the cellar.")


def opened(world: World, new: Embedder, former: Find | None) -> Store:
    store = Store.open(
        world.database, Principal(user="alice"), embedder=new, clock=world.clock, former=former
    )
    world.stores.append(store)
    return store


def dense(store: Store, text: str) -> list[int]:
    """The rows the dense arm proposes, nearest first."""
    (row,) = store.embed([text])
    assert store.door is not None
    assert row is not None
    with store.read() as connection:
        near = store.door.nearest(connection, row, visible(store.reach), limit=99)
    return [one.seq for one in near]


def held(store: Store) -> dict[int, set[int]]:
    """The rows that have a vector, by generation."""
    found: dict[int, set[int]] = {}
    with store.read() as connection:
        rows = connection.execute(select(vector_table.c.memory, vector_table.c.generation))
        for memory, generation in rows:
            found.setdefault(generation, set()).add(memory)
    return found


def test_during_a_change_everything_is_found_by_the_old_model(world: World) -> None:
    old, new = Counting(64), Counting(96)
    fill(opened(world, old, None))

    store = opened(world, new, by_setting(old))
    embed_backlog(store, most=2)
    found = search(store.current(), "Where is the piano?", settings=ANY)

    assert store.current().embedder is old
    assert len(dense(store, "piano")) == len(THINGS)
    assert "piano" in found[0].memory.text
    assert all("Where is" not in text for text in new.asked)  # no question was asked of the new


def test_after_the_change_everything_is_found_by_the_new_model(world: World) -> None:
    old, new = Counting(64), Counting(96)
    fill(opened(world, old, None))
    store = opened(world, new, by_setting(old))

    done = embed_backlog(store)
    after = store.current()
    old.asked.clear()
    found = search(after, "Where is the piano?", settings=ANY)

    assert done == len(THINGS)
    assert (after.embedder, after.coming) == (new, None)
    assert len(dense(after, "piano")) == len(THINGS)
    assert "piano" in found[0].memory.text
    assert old.asked == []


def test_an_erase_during_the_change_keeps_the_index_of_the_old_model(world: World) -> None:
    old, new = Counting(64), Counting(96)
    fill(opened(world, old, None))
    store = opened(world, new, by_setting(old))
    embed_backlog(store, most=2)
    assert store.door is not None
    store.door.rebuild()
    gone = Facts(store).known()[0]
    for one in world.stores:
        one.close()

    erase(world.database, Target(what=What.KEY, name=gone.key, principal=store.reach.principal))

    again = opened(world, new, by_setting(old))
    assert again.door is not None
    health = again.door.check()
    assert (health.sound, health.rows) == (True, len(THINGS) - 1)


def test_what_is_written_in_between_is_in_both(world: World) -> None:
    old, new = HashEmbedder(64), HashEmbedder(96)
    fill(opened(world, old, None))
    store = opened(world, new, by_setting(old))
    embed_backlog(store, most=3)

    Facts(store).add("My accordion stands in the cellar.")
    during = dense(store, "accordion")
    embed_backlog(store)
    after = store.current()

    assert during[0] == dense(after, "accordion")[0] == len(THINGS) + 1
    assert held(after)[store.generation] == held(after)[after.generation] == set(range(1, 7))


def test_two_models_are_never_compared(world: World) -> None:
    old, new = HashEmbedder(64), HashEmbedder(96)
    fill(opened(world, old, None))
    store = opened(world, new, by_setting(old))
    widths: list[tuple[int, int]] = []

    for _ in THINGS:
        embed_backlog(store, most=1)
        now = store.current()
        assert now.embedder is not None
        with now.read() as connection:
            matrix = vectors.matrix(connection, visible(now.reach), generation=now.generation)
        widths.append((now.embedder.generation.dimension, matrix.vectors.shape[1]))
        assert len(matrix.seqs) == len(THINGS)  # whole, whichever serves

    assert widths == [(64, 64)] * 4 + [(96, 96)]


def test_a_change_that_was_cut_off_goes_on_where_it_stopped(world: World) -> None:
    old, broken = HashEmbedder(64), Counting(96, fails_at=2)
    fill(opened(world, old, None))
    store = opened(world, broken, by_setting(old))
    embed_backlog(store, most=2)
    with pytest.raises(RuntimeError):
        embed_backlog(store)

    mended = Counting(96)
    again = opened(world, mended, by_setting(old))
    still = again.embedder
    embed_backlog(again)

    assert still is old
    assert len(mended.asked) == len(THINGS) - 2
    assert again.current().embedder is mended


def test_a_model_that_is_gone_leaves_words_and_what_is_embedded_anew(world: World) -> None:
    old, new = HashEmbedder(64), HashEmbedder(96)
    fill(opened(world, old, None))

    def gone(setting: str) -> Embedder:
        raise EmbeddingError(f"no {setting} here")

    store = opened(world, new, gone)
    before = search(store, "Where is the piano?", settings=ANY)
    embed_backlog(store, most=2)
    during = dense(store, "piano")
    embed_backlog(store)

    assert store.lost == old.generation.id
    assert "piano" in before[0].memory.text  # by its words
    assert len(during) == 2
    assert len(dense(store, "piano")) == len(THINGS)
    assert store.current().lost == ""


def test_a_model_that_is_another_one_by_now_is_a_model_that_is_gone(world: World) -> None:
    old = DrawnEmbedder({}, revision="1")
    fill(opened(world, old, None))

    store = opened(world, HashEmbedder(96), lambda setting: DrawnEmbedder({}, revision="2"))

    assert store.lost == old.generation.id


@pytest.mark.parametrize("write", [False, True])
def test_a_directory_with_nothing_in_it_changes_at_once(world: World, write: bool) -> None:
    old, new = HashEmbedder(64), HashEmbedder(96)
    first = opened(world, old, None)
    if write:
        done = Facts(first).add("My piano stands in the cellar.")
        with first.write() as journal:
            journal.close(done.memory, status=Status.RETRACTED, reason="a test")

    store = opened(world, new, by_setting(old))

    assert (store.embedder, store.coming, store.lost) == (new, None, "")


def test_the_new_model_waits_for_what_is_written_at_the_last_moment(world: World) -> None:
    old = HashEmbedder(64)
    fill(opened(world, old, None))
    writer = opened(world, old, None)

    class Late(Counting):
        """While it works, somebody writes once more."""

        def embed(self, texts: Sequence[str]) -> Vectors:
            if not self.asked:
                Facts(writer).add("My accordion stands in the cellar.")
            return super().embed(texts)

    store = opened(world, Late(96), by_setting(old))
    embed_backlog(store, most=len(THINGS))
    during = store.current()
    embed_backlog(store)

    assert during.embedder is old
    assert len(dense(store.current(), "accordion")) == len(THINGS) + 1


def test_going_back_half_way_costs_nothing(world: World) -> None:
    old, new = Counting(64), HashEmbedder(96)
    fill(opened(world, old, None))
    embed_backlog(opened(world, new, by_setting(old)), most=2)
    old.asked.clear()

    store = opened(world, old, by_setting(new))
    embed_backlog(store)

    assert (store.embedder, store.coming) == (old, None)
    assert old.asked == []
    assert len(dense(store, "piano")) == len(THINGS)


def test_vectors_of_former_models_are_removed_once_the_new_one_serves(world: World) -> None:
    old, new = HashEmbedder(64), HashEmbedder(96)
    fill(opened(world, old, None))
    store = opened(world, new, by_setting(old))
    embed_backlog(store, most=2)

    during = sweep(store)
    embed_backlog(store)
    after = sweep(store.current())

    assert (during, after) == (0, len(THINGS))
    assert held(store) == {store.current().generation: set(range(1, len(THINGS) + 1))}
    assert sweep(store.current()) == 0


def test_after_a_sweep_the_way_back_is_a_change_like_any_other(world: World) -> None:
    old, new = Counting(64), HashEmbedder(96)
    fill(opened(world, old, None))
    store = opened(world, new, by_setting(old))
    embed_backlog(store)
    sweep(store.current())

    back = opened(world, old, by_setting(new))
    still = back.embedder
    embed_backlog(back)

    assert still is new
    assert len(dense(back.current(), "piano")) == len(THINGS)
    assert back.current().embedder is old


def test_opening_again_and_again_finishes_a_change(world: World) -> None:
    old, new = HashEmbedder(64), HashEmbedder(96)
    fill(opened(world, old, None))

    served: list[int] = []
    for _ in range(4):
        store = opened(world, new, by_setting(old))
        embed_backlog(store, most=2)
        embedder = store.current().embedder
        assert embedder is not None
        served.append(embedder.generation.dimension)

    assert served == [64, 64, 96, 96]


def test_an_open_does_not_look_through_what_was_looked_through(world: World) -> None:
    embedder = HashEmbedder(64)
    store = opened(world, embedder, None)
    first = Facts(store).add("My piano stands in the cellar.").memory
    copies(store, first.id, PAGE)
    embed_backlog(store)
    with store.read() as connection:
        looked = generations.looked_through(connection, generation=store.generation)

    statements = executed(store.database, lambda: embed_backlog(store, most=1))

    assert looked == PAGE + 1
    assert any(f"{looked}" in said for said in statements if "LEFT OUTER JOIN" in said)


def copies(store: Store, id: str, count: int) -> None:
    """More rows like one that is there, without vectors."""
    with store.write() as journal:
        (one,) = memory_rows.select_memories(journal.connection, memory_table.c.id == id)
        for number in range(count):
            again = replace(one, id=f"mem_{number}", key=f"key_{number}", evidence=())
            writing.add(journal.connection, again)


def executed(database: Database, work: Callable[[], object]) -> list[str]:
    """The statements `work` runs, with their values."""
    seen: list[str] = []

    def note(*said: object) -> None:
        seen.append(f"{said[2]} {said[3]}")

    event.listen(database.engine, "before_cursor_execute", note)
    try:
        work()
    finally:
        event.remove(database.engine, "before_cursor_execute", note)
    return seen
