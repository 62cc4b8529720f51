"""The text a fact is embedded by."""

from datetime import UTC, datetime

import pytest

from stratal_memory.facets import (
    AT_TIMES_SEVERAL,
    HANDLES,
    SINGLE_VALUED,
    ItemType,
    found_by,
    item_type,
)
from stratal_memory.learning.rules.extraction import extract
from stratal_memory.records import Status
from stratal_memory.tiers.profile import SLOTS
from stratal_memory.tiers.reviewing import Reviewing
from stratal_memory.tiers.semantic import Facts
from tests.memory.worlds import World

WHEN = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("facet", "found"),
    [
        ("home", "where I live, my home: I moved to Porto"),
        ("family.sister", "my family, sister: I moved to Porto"),
        ("family.sister.name", "my family, sister name: I moved to Porto"),
        ("", "I moved to Porto"),
        ("unheard_of", "I moved to Porto"),
        ("unheard_of.home", "I moved to Porto"),
    ],
)
def test_a_fact_is_found_by_what_it_is_about_and_the_users_words(facet: str, found: str) -> None:
    assert found_by(facet, "The user moved to Porto.", "I moved to Porto") == found


def test_every_slot_of_the_profile_can_be_asked_for() -> None:
    for slot in SLOTS:
        assert any(facet in HANDLES for facet in slot.facets), slot.name


@pytest.mark.parametrize(
    "said",
    [
        "My name is Anna.",
        "I moved to Porto.",
        "I am allergic to hazelnuts.",
        "I speak Danish.",
        "My sister's name is Eva.",
        "I work as a baker.",
        "I prefer tea.",
        "My birthday is on 3 May.",
    ],
)
def test_what_the_rules_learn_has_words_to_ask_with(said: str) -> None:
    found = extract(said, WHEN)

    assert found
    for fact in found:
        assert found_by(fact.facet, said, "") != said, fact.facet


def test_a_long_quote_that_says_other_things_is_not_what_a_fact_is_found_by() -> None:
    quote = "I live in Ghent with my two cats, Miso and Tofu"

    assert found_by("home", "The user lives in Ghent.", quote).endswith(
        ": The user lives in Ghent."
    )


@pytest.mark.parametrize(
    ("facet", "item"),
    [
        ("preference.tea", ItemType.PREFERENCE),
        ("dislike", ItemType.PREFERENCE),
        ("home", ItemType.FACT),
        ("", ItemType.FACT),
        ("language", ItemType.SKILL),
        ("skill.welding", ItemType.SKILL),
        ("habit", ItemType.HABIT),
        ("plan.2026", ItemType.EVENT),
        ("stack", ItemType.CONTEXT),
        ("allergy", ItemType.CONSTRAINT),
        ("decision", ItemType.DECISION),
    ],
)
def test_a_facet_tells_the_type_of_an_item(facet: str, item: ItemType) -> None:
    # covers Zs3
    assert item_type(facet) is item


@pytest.mark.parametrize("facet", ["home", "favourite.tea"])
def test_what_has_one_value_at_a_time_replaces_the_old_one_given_by_hand_too(
    world: World, facet: str
) -> None:
    facts = Facts(world.store())
    facts.add("The first of them.", facet=facet)
    world.clock.pass_(days=1)

    facts.add("The second of them.", facet=facet)

    assert [one.text for one in facts.known()] == ["The second of them."]


def test_what_has_several_values_keeps_them_all(world: World) -> None:
    facts = Facts(world.store())
    for text in ("We use Rust.", "We use Postgres."):
        facts.add(text, facet="stack")

    assert len(facts.known()) == 2


def test_a_single_value_that_was_held_back_replaces_the_old_one_once_accepted(
    world: World,
) -> None:
    store = world.store()
    facts = Facts(store)
    facts.add("The user lives in Lisbon.", facet="home")
    world.clock.pass_(days=1)
    held = facts.add("The user lives in Porto.", facet="home", status=Status.QUARANTINED).memory

    Reviewing(store).accept(held.id)

    assert [one.text for one in facts.known()] == ["The user lives in Porto."]


def test_what_may_be_several_at_times_is_single_else() -> None:
    assert AT_TIMES_SEVERAL < SINGLE_VALUED
