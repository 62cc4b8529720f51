from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.recall.calibration import FEWEST, QUESTIONS, STATEMENTS, measure, null_of
from stratal_memory.tiers.semantic import Facts
from tests.memory.worlds import DrawnEmbedder, World


def test_the_null_lies_above_its_mean_and_below_certainty() -> None:
    null = measure(HashEmbedder())

    assert -0.2 < null.mean < null.threshold <= 0.9


def test_an_embedder_for_which_all_is_alike_lets_nothing_through_by_chance() -> None:
    same = DrawnEmbedder(dict.fromkeys((*QUESTIONS, *STATEMENTS), (1.0, 0.0)))

    assert measure(same).threshold == 0.9


def test_it_is_measured_once_a_generation_and_kept(world: World) -> None:
    first, second = DrawnEmbedder({}), DrawnEmbedder({}, revision="2")
    store = world.store(embedder=first)

    null = null_of(store)
    again = null_of(world.store("bob", embedder=first))
    measured = len(first.texts)
    null_of(world.store(embedder=second))

    assert null == again
    assert measured == len(QUESTIONS) + len(STATEMENTS)
    assert len(second.texts) == measured


def test_a_store_with_enough_in_it_has_a_null_of_its_own(world: World) -> None:
    embedder = HashEmbedder()
    store = world.store(embedder=embedder)
    few = null_of(store)
    for number in range(FEWEST + 5):
        Facts(store).add(f"What is the number of the router {number} in the chapel?")

    own = null_of(store)

    assert few == measure(embedder)
    assert own is not None
    assert few is not None
    assert own.mean > few.mean
    assert null_of(store) == own


def test_without_an_embedder_there_is_none(world: World) -> None:
    assert null_of(world.store()) is None
