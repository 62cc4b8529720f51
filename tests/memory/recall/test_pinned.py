"""What a person pinned is in the prompt whatever is asked, within the block's cap."""

from datetime import UTC, datetime, timedelta

import pytest

from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.recall.candidates import PINNED, Verdict
from stratal_memory.recall.pinned import pinned_facts
from stratal_memory.recall.recall import Recollection, recall, search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import ScopeKind, Status
from stratal_memory.store import Store
from stratal_memory.tiers.editing import Editing
from stratal_memory.tiers.semantic import Facts
from tests.memory.worlds import World, texts

DEFAULT = RecallSettings()


def asked(store: Store, text: str, settings: RecallSettings = DEFAULT) -> Recollection:
    return recall(store, text, settings=settings, count=len, nonce="n1")


def shown(found: Recollection) -> list[str]:
    return [item.candidate.memory.text for item in found.blocks[0].items]


def pin(store: Store, text: str, scope: ScopeKind = ScopeKind.USER) -> str:
    made = Facts(store).add(text, scope=scope).memory
    Editing(store).pin(made.id)
    return made.id


@pytest.fixture(params=["words alone", "hashing"])
def store(world: World, request: pytest.FixtureRequest) -> Store:
    return world.store(embedder=HashEmbedder() if request.param == "hashing" else None)


def test_a_pinned_fact_is_there_whatever_is_asked_and_says_why(store: Store) -> None:
    pin(store, "The user is allergic to hazelnuts.")
    Facts(store).add("The user plays the oboe.")

    nonsense = asked(store, "xyzzy plugh frobozz")
    fitting = asked(store, "Who plays the oboe?")

    assert shown(nonsense) == ["The user is allergic to hazelnuts."]
    assert [one.reason for one in nonsense.candidates if one.is_in] == [PINNED]
    assert shown(fitting) == ["The user is allergic to hazelnuts.", "The user plays the oboe."]


def test_a_pinned_fact_that_fits_is_told_once(store: Store) -> None:
    pin(store, "The user plays the oboe.")

    found = asked(store, "Who plays the oboe?")

    assert shown(found) == ["The user plays the oboe."]
    [one] = [one for one in found.candidates if one.is_in]
    assert one.is_pinned
    assert one.parts.similarity > 0


def test_what_is_no_longer_pinned_is_recalled_when_it_fits(store: Store) -> None:
    id = pin(store, "The user is allergic to hazelnuts.")

    Editing(store).pin(id, pinned=False)

    assert shown(asked(store, "xyzzy plugh")) == []
    assert shown(asked(store, "allergic to hazelnuts?")) == ["The user is allergic to hazelnuts."]


def test_many_pinned_facts_leave_half_the_block_to_what_is_asked(store: Store) -> None:
    numbers = ("one", "two", "three", "four", "five", "six")
    for number in numbers:
        pin(store, f"Rule {number} is never broken.")
    Facts(store).add("The user plays the oboe.")

    found = asked(store, "Who plays the oboe?")

    assert shown(found) == [
        "Rule six is never broken.",
        "Rule five is never broken.",
        "Rule four is never broken.",
        "The user plays the oboe.",
    ]
    over = [one.reason for one in found.candidates if not one.is_in]
    assert over == ["pinned, and over the cap of 3 pinned memories"] * 3


def test_of_many_pinned_facts_those_that_fit_are_first(store: Store) -> None:
    for number in ("one", "two", "three", "four"):
        pin(store, f"Rule {number} is never broken.")

    assert shown(asked(store, "What about two?"))[0] == "Rule two is never broken."


def test_a_pinned_fact_over_the_cap_is_recalled_when_it_fits(store: Store) -> None:
    for text in ("Salt the rye dough.", "Rest the rye dough.", "Knead the rye dough."):
        pin(store, text)
    settings = RecallSettings(memory_items=4)

    found = asked(store, "rye dough?", settings)

    assert sorted(shown(found)) == [
        "Knead the rye dough.",
        "Rest the rye dough.",
        "Salt the rye dough.",
    ]
    assert sorted(one.reason for one in found.candidates) == [PINNED, PINNED, "relevant"]


def test_no_pin_exceeds_the_caps(store: Store) -> None:
    pin(store, "long " * 300)

    none = asked(store, "xyzzy", RecallSettings(memory_items=0))
    short = asked(store, "xyzzy", RecallSettings(memory_characters=500))

    assert shown(none) == shown(short) == []
    assert [one.reason for one in short.candidates] == ["over the cap of 500 characters"]


def test_a_pin_of_the_project_is_there_for_who_stands_in_it(world: World) -> None:
    inside = world.store(project="bakery")
    pin(inside, "The bakery opens at five.", ScopeKind.PROJECT)

    assert shown(asked(inside, "xyzzy")) == ["The bakery opens at five."]
    assert shown(asked(world.store(), "xyzzy")) == []
    assert shown(asked(world.store("bob"), "xyzzy")) == []


def test_a_pinned_fact_outlives_consolidation_however_unsure_it_was(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    made = Facts(store).add("The user may like quinces.", status=Status.PROVISIONAL).memory
    Editing(store).pin(made.id)
    world.clock.pass_(days=400)

    consolidate(store)

    assert shown(asked(store, "xyzzy")) == ["The user may like quinces."]


def test_what_was_pinned_and_forgotten_is_gone(store: Store) -> None:
    id = pin(store, "The user is allergic to hazelnuts.")

    Editing(store).forget(id)

    with store.read() as connection:
        assert pinned_facts(store, connection) == []
    assert shown(asked(store, "xyzzy")) == []


def test_pinned_facts_are_found_by_their_index(world: World) -> None:
    """However much one user remembers: a look through all of it would take longer than recall."""
    store = world.store(project="bakery")
    pin(store, "The user plays the oboe.")
    plans: list[str] = []
    with store.read() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        raw.set_trace_callback(plans.append)
        pinned_facts(store, connection)
        raw.set_trace_callback(None)
        [query] = [one for one in plans if "pinned" in one and "FROM memories" in one]
        told = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}").all()

    searches = [row[3] for row in told if row[3].startswith("SEARCH")]
    assert searches
    assert all("ix_memories_pinned" in one for one in searches)


def test_searching_finds_pinned_facts_only_when_they_fit(store: Store) -> None:
    pin(store, "The user is allergic to hazelnuts.")
    now = datetime.now(UTC) + timedelta(days=1)

    assert search(store, "xyzzy plugh", settings=DEFAULT) == []
    assert search(store, "xyzzy plugh", settings=DEFAULT, as_of=now) == []
    [found] = search(store, "hazelnuts", settings=DEFAULT)
    assert (texts([found.memory]), found.verdict) == (
        ["The user is allergic to hazelnuts."],
        Verdict.IN,
    )
