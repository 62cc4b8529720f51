import numpy as np

from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.index.kept import MOST, Kept
from stratal_memory.recall.recall import search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth.sqlite import Stamp
from stratal_memory.truth.vectors import Matrix
from tests.memory.worlds import World


def at(events: int) -> Stamp:
    return Stamp(events=events, outbox=0, memories=0, schema=1)


def matrix(rows: int) -> Matrix:
    return Matrix(tuple(range(rows)), np.zeros((rows, 4), dtype=np.float32))


def test_a_view_is_read_once_until_something_changes() -> None:
    kept, reads = Kept(), []

    def read() -> Matrix:
        reads.append(1)
        return matrix(2)

    for stamp in (at(1), at(1), at(2)):
        kept.matrix("alice", stamp, read)

    assert len(reads) == 2
    assert kept.at("alice", at(2)) is not None
    assert kept.at("alice", at(1)) is kept.at("bob", at(2)) is None


def test_the_view_not_used_longest_is_let_go_of_first() -> None:
    kept, stamp = Kept(), at(1)
    half = MOST // 2 // 16

    for view in ("alice", "bob"):
        kept.matrix(view, stamp, lambda: matrix(half))
    kept.matrix("alice", stamp, lambda: matrix(half))
    kept.matrix("carol", stamp, lambda: matrix(half))

    assert kept.at("bob", stamp) is None
    assert kept.at("alice", stamp) is not None


def test_what_is_added_after_a_search_is_found_by_the_next(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    Facts(store).add("The user plays the oboe.")
    assert len(search(store, "oboe", settings=RecallSettings())) == 1

    Facts(world.store(embedder=HashEmbedder())).add("The user sold an oboe.")

    assert len(search(store, "oboe", settings=RecallSettings())) == 2
