"""What a stored procedure did so far."""

from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.truth.practised import Outcome
from stratal_memory.truth.procedures import StoredProcedure
from stratal_procedures import counting, shelf
from stratal_procedures.record import Practised, practised_by
from stratal_procedures.scoring import THRESHOLDS, Score, needed, score
from tests.memory.worlds import World
from tests.procedures.practising import Practice

TEXT = "---\nname: fry\ndescription: How to fry.\n---\nFry it."


def use(practice: Practice, one: StoredProcedure, answer: str) -> None:
    session, _ = practice.work("Fry it", [("pan", {})] * 3, used=one)
    if answer:
        practice.reply(session, answer)


def shown(did: Practised) -> tuple[int, int, int]:
    return did.uses, did.score.successes, did.score.failures


def test_uses_are_counted_since_a_person_approved_the_version(world: World) -> None:
    practice = Practice(world.store())
    one = shelf.write(practice.store, TEXT)
    before = practised_by(practice.store, one)
    for answer in ("thanks", "thanks", "no, wrong", ""):
        use(practice, one, answer)
    after = practised_by(practice.store, one)
    world.clock.pass_(minutes=1)
    edited = shelf.edit(practice.store, one.key, f"{TEXT} Well.")
    shelf.approve(practice.store, edited.key, edited.digest)
    used = counting.in_use(practice.store, "fry")

    assert shown(before) == (0, 0, 0)
    assert shown(after) == (4, 2, 1)
    assert used is not None
    assert shown(practised_by(practice.store, used)) == (0, 0, 0)


@given(good=st.integers(0, 60), bad=st.integers(0, 20))
def test_as_many_good_uses_as_are_needed_prove_it_and_one_fewer_does_not(
    good: int, bad: int
) -> None:
    found = score([Outcome.FAILURE] * min(bad, 20) + [Outcome.SUCCESS] * min(good, 30))
    total = needed(found)

    def bound(uses: int) -> float:
        left = uses - found.failures
        return score([Outcome.FAILURE] * found.failures + [Outcome.SUCCESS] * left, LONG).bound

    LONG = type(THRESHOLDS)(window=10_000)
    assert total >= found.successes + found.failures
    assert bound(total) >= THRESHOLDS.active
    if total > found.successes + found.failures:
        assert bound(total - 1) < THRESHOLDS.active


def test_the_worked_example_three_good_uses_of_five(world: World) -> None:
    found: Score = score([Outcome.SUCCESS] * 3)

    assert needed(found) == 5
    assert f"{found.bound:.2f}" == "0.47"
