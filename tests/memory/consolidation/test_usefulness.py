"""The confidence of facts follows their use, once each, within bounds, and can be taken back."""

from dataclasses import replace

import pytest

from stratal_memory.consolidation.report import Change
from stratal_memory.consolidation.usefulness import Feed, feed, feeds
from stratal_memory.learning.trust import CONFIDENCE, confidence
from stratal_memory.learning.usefulness import allowed
from stratal_memory.outcomes import Outcome
from stratal_memory.records import Form, Memory, Scope, ScopeKind, Status, Trust
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import memories, runs, usefulness
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.undoing import undo
from stratal_memory.truth.usefulness import Turned
from tests.memory.worlds import World, export, memory


def count(store: Store, one: Memory, *, used: int = 0, corrected: int = 0) -> None:
    outcomes = [Outcome.USED] * used + [Outcome.CORRECTED] * corrected
    turned = [Turned(key=one.key, memory=one.id, before=None, after=after) for after in outcomes]
    with store.write() as journal:
        usefulness.count_in(journal.connection, turned, user=store.user)


def planned(store: Store) -> list[Feed]:
    with store.read() as connection:
        return feeds(store, connection)


def settled(store: Store, *, run: str = "") -> list[Change]:
    """A night, item by item."""
    done: list[Change | None] = []
    for item in planned(store):
        with store.write(run=run) as journal:
            done.append(feed(store, journal, item))
    return [one for one in done if one is not None]


def now(store: Store, id: str) -> Memory:
    with store.read() as connection:
        return memories.select_memories(connection, table.c.id == id)[0]


def added(store: Store, made: Memory) -> Memory:
    with store.write() as journal:
        journal.add(made, reason="a test")
    return made


def test_what_the_user_called_wrong_is_believed_less_and_stays_active(world: World) -> None:
    store = world.store()
    fact = Facts(store).add("I live in Lisbon.").memory
    count(store, fact, corrected=1)

    [change] = settled(store)

    after = now(store, fact.id)
    assert after.confidence == pytest.approx(confidence(Trust.USER, support=1, contradictions=1))
    assert after == replace(fact, confidence=after.confidence)
    assert (change.step, change.action, change.evidence) == ("usefulness", "adjusted", (fact.id,))
    assert change.reason == "called wrong by the user once: confidence 0.90, now 0.72"
    assert settled(store) == []


def test_what_is_used_again_and_again_is_believed_a_little_more(world: World) -> None:
    store = world.store()
    fact = Facts(store).add("I live in Lisbon.").memory
    seen = [fact.confidence]
    for _ in range(40):
        count(store, fact, used=1)
        if settled(store):
            seen.append(now(store, fact.id).confidence)

    assert len(seen) == 4  # after 3, 10 and 30 uses
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx((3.6 + 0.5) / 4.5)
    assert seen[-1] < allowed(Trust.USER)


@pytest.mark.parametrize("status", [Status.PROVISIONAL, Status.CONTESTED, Status.QUARANTINED])
def test_use_alone_settles_nothing(world: World, status: Status) -> None:
    store = world.store()
    held = added(store, memory("The user likes jazz.", at=world.clock(), status=status))
    count(store, held, used=10_000)

    assert settled(store) == []
    assert now(store, held.id) == held


@pytest.mark.parametrize("trust", [Trust.TOOL, Trust.DOCUMENT, Trust.WEB])
def test_untrusted_facts_gain_nothing(world: World, trust: Trust) -> None:
    store = world.store()
    made = memory("Ovens are red.", at=world.clock(), trust=trust, confidence=CONFIDENCE[trust])
    added(store, made)
    count(store, made, used=10_000)

    assert settled(store) == []
    assert now(store, made.id).confidence == CONFIDENCE[trust]


def test_what_others_share_and_what_is_no_fact_stays_as_it_is(world: World) -> None:
    store = world.store(project="apollo")
    project = Scope(ScopeKind.PROJECT, "apollo")
    shared = added(store, memory("The release is on Friday.", at=world.clock(), scope=project))
    passage = added(store, memory("Clean ovens.", at=world.clock(), form=Form.CHUNK))
    for one in (shared, passage):
        count(store, one, used=50)
        count(store, one, corrected=5)

    assert planned(store) == []


def test_a_fact_that_changed_since_it_was_planned_is_left_alone(world: World) -> None:
    store = world.store()
    fact = Facts(store).add("I live in Lisbon.").memory
    count(store, fact, corrected=1)
    [item] = planned(store)
    Facts(store).add("I live in Lisbon.")  # said again: its confidence grew
    grown = now(store, fact.id)

    with store.write() as journal:
        assert feed(store, journal, item) is None

    assert now(store, fact.id) == grown
    assert len(settled(store)) == 1  # the next night sees both


def test_counts_that_went_on_since_are_left_for_the_next_plan(world: World) -> None:
    store = world.store()
    fact = Facts(store).add("I live in Lisbon.").memory
    count(store, fact, corrected=1)
    [item] = planned(store)
    count(store, fact, corrected=1)

    with store.write() as journal:
        assert feed(store, journal, item) is None

    [change] = settled(store)
    assert "called wrong by the user 2 times" in change.reason


def test_taking_a_run_back_leaves_everything_as_it_was(world: World) -> None:
    store = world.store()
    first = Facts(store).add("I live in Lisbon.").memory
    second = Facts(store).add("My sister is called Eva.").memory
    count(store, first, corrected=1)
    count(store, second, used=3)
    before, waiting = export(world.database), planned(store)
    with store.write() as journal:
        run = runs.start(journal.connection, kind="consolidation", user="alice", at=journal.at)
    assert len(settled(store, run=run)) == 2
    assert export(world.database) != before

    with store.write() as journal:
        undo(journal, run, reach=store.reach)

    assert export(world.database) == before
    assert planned(store) == waiting


def test_nobody_elses_facts_are_planned(world: World) -> None:
    alice, bob = world.store("alice"), world.store("bob")
    fact = Facts(alice).add("I live in Lisbon.").memory
    count(bob, fact, corrected=3)

    assert planned(bob) == []
    assert planned(alice) == []
