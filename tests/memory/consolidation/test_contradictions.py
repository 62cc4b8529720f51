"""What can't both be true now is brought into the order of its dates, or waits for a person."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stratal_memory.consolidation import holding
from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.consolidation.taking_back import undo_run
from stratal_memory.errors import NotFound
from stratal_memory.records import Memory, Status, Trust, new_id
from stratal_memory.store import Store
from stratal_memory.tiers.profile import Profile
from stratal_memory.tiers.semantic import Facts
from tests.memory.worlds import World, export, memory, texts


def put(world: World, store: Store, *values: str, trust: Trust = Trust.USER) -> list[Memory]:
    """Facts side by side, as an import leaves them: each of a key of its own, a day apart."""
    made: list[Memory] = []
    for place, value in enumerate(values):
        said = memory(f"The user lives in {value}.", at=world.clock() - timedelta(days=9 - place))
        fact = replace(said, facet="home", value=value, key=new_id("key"), trust=trust)
        with store.write() as journal:
            journal.add(fact, reason="imported")
        made.append(fact)
    return made


def test_the_later_of_two_homes_stands_and_the_earlier_was_true_before(world: World) -> None:
    store = world.store()
    put(world, store, "Lisbon", "Porto")

    report = consolidate(store)

    [change] = [one for one in report.changes if one.step == "contradictions"]
    assert (change.action, change.before, change.after) == (
        "closed",
        "The user lives in Lisbon.",
        "The user lives in Porto.",
    )
    assert texts(Facts(store).known()) == ["The user lives in Porto."]
    assert texts(Facts(store).known(statuses=(Status.SUPERSEDED,))) == ["The user lives in Lisbon."]


def test_what_is_trusted_less_replaces_nothing_before_a_person_says_so(world: World) -> None:
    store = world.store()
    put(world, store, "Lisbon")
    put(world, store, "Porto", trust=Trust.TOOL)
    before = export(world.database)

    report = consolidate(store)

    assert [step.held for step in report.steps if step.name == "contradictions"] == [1]
    [held] = report.held
    assert "trust lowered" in held.risk
    assert [one for one in report.changes if one.step == "contradictions"] == []
    undo_run(store, report.run)
    assert export(world.database) == before
    assert holding.waiting(store) == []


def test_a_line_of_the_profile_is_replaced_by_a_person_alone(world: World) -> None:
    store = world.store()
    put(world, store, "Lisbon")
    consolidate(store)
    assert Profile(store).render() == "Home: Lisbon"
    put(world, store, "Porto")
    world.clock.pass_(days=1)

    report = consolidate(store)

    [held] = report.held
    assert "profile" in held.risk
    holding.accept(store, held.id)
    assert texts(Facts(store).known()) == ["The user lives in Porto."]


def test_a_held_change_that_is_rejected_is_not_proposed_again(world: World) -> None:
    store = world.store()
    put(world, store, "Lisbon")
    put(world, store, "Porto", trust=Trust.TOOL)
    [held] = consolidate(store).held

    holding.reject(store, held.id)
    Facts(store).add("The kettle whistles at noon.")

    assert consolidate(store).held == ()
    assert holding.waiting(store) == []


def test_accepting_what_has_changed_since_does_nothing(world: World) -> None:
    store = world.store()
    put(world, store, "Lisbon")
    [late] = put(world, store, "Porto", trust=Trust.TOOL)
    [held] = consolidate(store).held
    with store.write() as journal:
        journal.close(late, status=Status.RETRACTED, reason="a test")
    before = export(world.database)

    assert holding.accept(store, held.id) == []

    assert export(world.database) == before
    assert holding.waiting(store) == []


def test_nobody_decides_on_somebody_elses(world: World) -> None:
    store = world.store()
    put(world, store, "Lisbon")
    put(world, store, "Porto", trust=Trust.TOOL)
    [held] = consolidate(store).held
    bob = world.store("bob")

    assert holding.waiting(bob) == []
    for decide in (holding.accept, holding.reject):
        with pytest.raises(NotFound):
            decide(bob, held.id)
