"""Counts are kept as things happen, and are what the log says."""

from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stratal_memory.outcomes import NOTHING, Counts, Decided, Outcome
from stratal_memory.records import Memory
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import recalls, usefulness
from stratal_memory.truth.usefulness import Tally, Turned
from tests.memory.worlds import World, begin, say, turns_of


def known(store: Store, *texts: str) -> list[Memory]:
    return [Facts(store).add(text).memory for text in texts]


def recalled(store: Store, *memories: Memory) -> str:
    """A turn that was shown these."""
    session = begin(store)
    say(store, session, "Hm", "Well")
    turn = turns_of(store, session)[-1]
    with store.write() as journal:
        recalls.keep_recalls(journal.connection, turn, [(one.id, 0.5) for one in memories])
    return turn


def happened(store: Store, turn: str, memory: Memory, *outcomes: Outcome) -> None:
    """One after the other came of the memory in that turn."""
    before: Outcome | None = None
    for outcome in outcomes:
        with store.write() as journal:
            decided = [Decided(memory=memory.id, outcome=outcome)]
            recalls.decide(journal.connection, turn, decided, at=journal.at)
            turned = Turned(key=memory.key, memory=memory.id, before=before, after=outcome)
            usefulness.count_in(journal.connection, [turned], user=store.user)
        before = outcome


def counts(store: Store, memory: Memory, *, user: str = "") -> Counts:
    with store.read() as connection:
        found = usefulness.of_keys(connection, user=user or store.user, keys=[memory.key])
    return found[memory.key].counts if found else NOTHING


def test_each_outcome_counts_once_and_a_later_one_replaces_it(world: World) -> None:
    store = world.store()
    [fact] = known(store, "I live in Lisbon.")

    happened(store, recalled(store, fact), fact, Outcome.USED)
    happened(store, recalled(store, fact), fact, Outcome.IGNORED, Outcome.IGNORED)
    happened(store, recalled(store, fact), fact, Outcome.QUOTED)
    assert counts(store, fact) == Counts(used=1, ignored=1)

    happened(store, recalled(store, fact), fact, Outcome.USED, Outcome.CORRECTED)
    assert counts(store, fact) == Counts(used=1, ignored=1, corrected=1, wrong=fact.id)


def test_versions_share_their_counts_but_not_their_mistakes(world: World) -> None:
    store = world.store()
    [old] = known(store, "I live in Lisbon.")
    happened(store, recalled(store, old), old, Outcome.USED)
    happened(store, recalled(store, old), old, Outcome.CORRECTED)
    new = Facts(store).add("I moved to Porto.").memory
    assert new.key == old.key

    happened(store, recalled(store, new), new, Outcome.USED)

    both = counts(store, new)
    assert (both.used, both.of(old.id).corrected, both.of(new.id).corrected) == (2, 1, 0)


def test_what_one_user_does_counts_for_nobody_else(world: World) -> None:
    # covers I1
    alice = world.store("alice", project="apollo")
    [fact] = known(alice, "The release is on Friday.")
    bob = world.store("bob")
    happened(bob, recalled(bob, fact), fact, Outcome.USED)

    assert counts(alice, fact) == NOTHING
    with alice.write() as journal:
        usefulness.recount(journal.connection, user="alice", keys=[fact.key])
    assert counts(alice, fact) == NOTHING
    assert counts(bob, fact) == Counts(used=1)


def test_only_what_confidence_does_not_follow_yet_waits(world: World) -> None:
    store = world.store()
    [fact, other] = known(store, "I live in Lisbon.", "My sister is called Eva.")
    for one in (fact, fact, other):
        happened(store, recalled(store, one), one, Outcome.USED)

    def waiting(uses: int) -> list[Tally]:
        with store.read() as connection:
            return usefulness.unfed(connection, user="alice", uses=uses)

    assert [one.key for one in waiting(2)] == [fact.key]
    assert len(waiting(1)) == 2
    with store.write() as journal:
        usefulness.mark_fed(journal, fact, waiting(2)[0], reason="a test")
    assert waiting(2) == []
    happened(store, recalled(store, fact), fact, Outcome.CORRECTED)
    assert [one.fed_used for one in waiting(2)] == [2]


OUTCOMES = st.lists(
    st.tuples(st.integers(0, 2), st.lists(st.sampled_from(Outcome), min_size=1, max_size=3)),
    max_size=12,
)


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(OUTCOMES)
def test_the_counts_are_what_the_log_says(
    world: World, found: Sequence[tuple[int, Sequence[Outcome]]]
) -> None:
    store = world.store()
    facts = known(store, *(f"My code number is {i}{begin(store).id}." for i in range(3)))
    for place, outcomes in found:
        happened(store, recalled(store, facts[place]), facts[place], *outcomes)
    kept = [counts(store, one) for one in facts]

    with store.write() as journal:
        keys = usefulness.keys_of(journal.connection, [one.id for one in facts])
        usefulness.recount(journal.connection, user=store.user, keys=keys)

    counted = [counts(store, one) for one in facts]
    assert [_numbers(one) for one in counted] == [_numbers(one) for one in kept]
    with store.read() as connection:
        assert usefulness.unfed(connection, user=store.user, uses=1) == []


def _numbers(one: Counts) -> tuple[int, int, int]:
    return (one.used, one.ignored, one.corrected)
