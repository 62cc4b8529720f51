"""What came of a memory orders what is relevant: it lets nothing in, and hides nothing."""

from dataclasses import replace

import pytest
from sqlalchemy import delete

from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.outcomes import NOTHING, Counts, Outcome
from stratal_memory.recall.candidates import Candidate, Factors
from stratal_memory.recall.judged import counts_of
from stratal_memory.recall.ranker import factors_of
from stratal_memory.recall.recall import search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Memory
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import usefulness
from stratal_memory.truth.schema_usefulness import usefulness as table
from stratal_memory.truth.usefulness import Turned
from tests.memory.recall.making import NOON
from tests.memory.worlds import World, memory

ASKED = "Which bakery do I like?"
SETTINGS = RecallSettings()
PLAIN = RecallSettings(plain_cosine=True)


def count(store: Store, one: Memory, outcome: Outcome, times: int = 1) -> None:
    turned = Turned(key=one.key, memory=one.id, before=None, after=outcome)
    with store.write() as journal:
        usefulness.count_in(journal.connection, [turned] * times, user=store.user)


def found(store: Store, settings: RecallSettings = SETTINGS) -> dict[str, Candidate]:
    hits = search(store, ASKED, settings=settings, gate=False)
    return {one.memory.id: one for one in hits}


def bakeries(world: World) -> tuple[Store, Memory, Memory]:
    store = world.store(embedder=HashEmbedder())
    facts = Facts(store)
    first = facts.add("The bakery Ness is one that I like.").memory
    second = facts.add("The bakery Umber is one that I like.").memory
    facts.add("My sister is called Eva.")
    return store, first, second


def test_without_a_log_every_score_is_what_it_was(world: World) -> None:
    """Neutral is exactly 1, so a ranking without a log is the ranking there was before."""
    store, *_ = bakeries(world)

    scored = found(store)

    assert scored
    for one in scored.values():
        assert one.factors.usefulness == 1.0
        assert one.factors.counts == NOTHING
        bare = factors_of(one.memory, SETTINGS, now=store.clock())
        assert one.factors.product == pytest.approx(bare.recency * bare.evidence)


def test_what_was_used_comes_before_its_equal_and_what_was_passed_over_after(world: World) -> None:
    store, first, second = bakeries(world)
    before = found(store)
    for one, other in ((first, second), (second, first)):
        with store.write() as journal:
            journal.connection.execute(delete(table))
        count(store, one, Outcome.USED, 5)
        count(store, other, Outcome.IGNORED, 20)

        after = found(store)

        assert next(iter(after)) == one.id
        for id, candidate in after.items():
            assert 0.9 <= candidate.score / before[id].score <= 1.1


def test_a_log_neither_opens_the_gate_nor_shuts_it(world: World) -> None:
    store, first, second = bakeries(world)
    [stranger] = [one for one in Facts(store).known() if "Eva" in one.text]
    before = {id: one.verdict for id, one in found(store).items()}
    count(store, stranger, Outcome.USED, 10_000)
    count(store, first, Outcome.IGNORED, 10_000)
    count(store, second, Outcome.CORRECTED, 10_000)

    assert {id: one.verdict for id, one in found(store).items()} == before


def test_one_look_serves_all_and_the_plain_cosine_takes_none(world: World) -> None:
    store, first, _ = bakeries(world)
    count(store, first, Outcome.USED)

    with store.read() as connection:
        known = counts_of(store, connection, [first], settings=SETTINGS)
        plain = counts_of(store, connection, [first], settings=PLAIN)

    assert known == {first.key: Counts(used=1)}
    assert plain == {}
    one = memory("x", at=NOON)
    assert factors_of(one, PLAIN, now=NOON, counts=Counts(used=9)) == Factors()


def test_a_correction_is_held_against_the_version_it_was_of() -> None:
    one = memory("x", at=NOON, id="mem_new")
    counts = Counts(used=1, corrected=3, wrong="mem_old")

    new = factors_of(one, SETTINGS, now=NOON, counts=counts)
    old = factors_of(replace(one, id="mem_old"), SETTINGS, now=NOON, counts=counts)

    assert new.usefulness > 1 > old.usefulness
    assert (new.counts.corrected, old.counts.corrected) == (0, 3)


def test_what_one_user_made_of_it_ranks_for_nobody_else(world: World) -> None:
    alice, first, _ = bakeries(world)
    bob = world.store("bob", embedder=HashEmbedder())
    count(bob, first, Outcome.USED, 50)

    assert found(alice)[first.id].factors.usefulness == 1.0
