"""The words around a value tell two facts of one facet apart."""

import pytest

from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.findings import Rule
from stratal_memory.learning.contrasts import apart, opposed
from stratal_memory.learning.resolution import Action
from stratal_memory.lint import lint
from stratal_memory.records import Status
from stratal_memory.tiers.semantic import Facts
from tests.memory.worlds import DrawnEmbedder, World, texts

TWO_FACTS = (
    ("The user's older brother lives in Berlin.", "The user's younger brother lives in Berlin."),
    (
        "The user works the day shift at the hospital.",
        "The user works the night shift at the hospital.",
    ),
    ("The user takes ibuprofen in the morning.", "The user takes ibuprofen in the evening."),
    ("The user takes ibuprofen on Mondays.", "The user takes ibuprofen on Fridays."),
    ("The user takes ibuprofen.", "The user takes ibuprofen in the evening."),
    ("The user's old car is a Volvo.", "The user's new car is a Volvo."),
)


@pytest.mark.parametrize(("one", "other"), TWO_FACTS)
@pytest.mark.parametrize("back", [False, True])
def test_two_facts_of_one_value_stand_side_by_side(
    world: World, one: str, other: str, back: bool
) -> None:
    store = world.store()
    said = (other, one) if back else (one, other)

    actions = [Facts(store).add(text).action for text in said]
    world.clock.pass_(days=1)
    again = [Facts(store).add(text).action for text in said]
    consolidate(store)

    assert actions == [Action.ADDED, Action.ADDED]
    assert again == [Action.REINFORCED, Action.REINFORCED]
    known = Facts(store).known()
    assert sorted(texts(known)) == sorted(said)
    assert {fact.status for fact in known} == {Status.ACTIVE}
    assert len({fact.key for fact in known}) == 2
    assert [one for one in lint(store).findings if one.rule is Rule.DUPLICATE] == []


def test_said_without_the_contrast_neither_of_two_is_lost(world: World) -> None:
    store = world.store()
    cars = TWO_FACTS[5]
    for text in (*cars, "The user's car is a Volvo."):
        Facts(store).add(text)
        world.clock.pass_(days=1)
    consolidate(store)

    assert set(cars) <= set(texts(Facts(store).known()))


def test_another_value_replaces_both_that_shared_one(world: World) -> None:
    store = world.store()
    for text in (*TWO_FACTS[1], "The user works at Acme."):
        Facts(store).add(text)
        world.clock.pass_(days=1)

    assert texts(Facts(store).known()) == ["The user works at Acme."]
    assert sorted(texts(Facts(store).known(statuses=(Status.SUPERSEDED,)))) == sorted(TWO_FACTS[1])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user lives in Berlin.", "I live in Berlin since 2020."),
        ("The user's name is Eva.", "The user is called Eva."),
        ("The user has a cat named Tom.", "The user has a cat called Tom."),
        ("The user works at Acme.", "The user works at Acme as of Monday."),
    ],
)
def test_one_fact_in_other_words_is_still_one(world: World, one: str, other: str) -> None:
    store = world.store()
    Facts(store).add(one)

    done = Facts(store).add(other)

    assert done.action is Action.REINFORCED
    assert len(Facts(store).known()) == 1


@pytest.mark.parametrize(
    ("one", "other", "told", "against"),
    [
        ("tea in the morning", "tea in the mornings!", False, False),
        ("tea in the morning", "tea", True, False),
        ("tea every day", "tea", False, False),
        ("two cups of tea", "three cups of tea", True, False),
        ("tea with Eva", "tea with Ivo", True, False),
        ("the left tea", "the right tea", True, True),
        ("the north tea", "the southern tea", True, True),
        ("my brother's tea", "my sister's tea", True, True),
        ("", "", False, False),
        ("\ud800 old", "new \udfff", True, True),
    ],
)
def test_words_numbers_and_names_tell_apart(
    one: str, other: str, told: bool, against: bool
) -> None:
    for first, second in ((one, other), (other, one)):
        assert apart(first, second, value="Tea") is told
        assert opposed(first, second, value="Tea") is against


def test_what_the_value_itself_says_contrasts_nothing() -> None:
    assert not apart("likes the night", "likes a night", value="night")
    assert not apart("lives in New York", "is at home in new york", value="New York")


def test_what_was_written_before_is_told_apart_at_night_too(world: World) -> None:
    one, other = "The user's aunt from Rome is kind.", "The user's uncle from Rome is kind."
    store = world.store(
        embedder=DrawnEmbedder(dict.fromkeys((one, other), (1.0, 0.0)), dimension=4)
    )
    Facts(store).add_all([one, other])  # no rule reads them: their vectors alone are the same

    consolidate(store)

    assert sorted(texts(Facts(store).known())) == [one, other]
