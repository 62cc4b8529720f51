from stratal_memory.embedding.counting import counter_of
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.embedding.recent import RecentEmbedder


class Counting(HashEmbedder):
    """Counts words."""

    window = 9

    def count(self, text: str) -> int:
        return len(text.split())


def test_an_engine_that_counts_is_found_behind_what_remembers_its_vectors() -> None:
    engine = Counting()

    assert counter_of(engine) is engine
    assert counter_of(RecentEmbedder(engine)) is engine


def test_an_engine_that_does_not_count_is_nobody_to_ask() -> None:
    assert counter_of(RecentEmbedder(HashEmbedder())) is None
    assert counter_of(None) is None
