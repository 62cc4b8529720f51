from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.truth.practised import Outcome
from stratal_memory.truth.procedures import State
from stratal_procedures.scoring import THRESHOLDS, lower_bound, next_state, score

GOOD, BAD, OPEN = Outcome.SUCCESS, Outcome.FAILURE, Outcome.PENDING
COUNTS = st.integers(0, 50)
OUTCOMES = st.lists(st.sampled_from(Outcome), max_size=60)


def test_the_bound_is_that_of_the_beta_distribution() -> None:
    # 5 % quantiles of Beta(6, 1), Beta(6, 2) and Beta(1, 1); the first is 0.05 ** (1 / 6)
    assert abs(lower_bound(5, 0, doubt=0.05) - 0.05 ** (1 / 6)) < 1e-9
    assert abs(lower_bound(0, 0, doubt=0.05) - 0.05) < 1e-9
    assert round(lower_bound(5, 1, doubt=0.05), 3) == 0.479


@given(good=COUNTS, bad=COUNTS)
def test_the_bound_rises_with_successes_and_falls_with_failures(good: int, bad: int) -> None:
    here = lower_bound(good, bad, doubt=0.05)

    assert 0 < here < 1
    assert lower_bound(good + 1, bad, doubt=0.05) > here > lower_bound(good, bad + 1, doubt=0.05)


@given(outcomes=OUTCOMES)
def test_what_is_open_or_unknown_does_not_count(outcomes: list[Outcome]) -> None:
    known = [one for one in outcomes if one in (GOOD, BAD)]

    assert score(outcomes) == score(known)
    assert next_state(State.ACTIVE, outcomes) == next_state(State.ACTIVE, known)


@given(outcomes=OUTCOMES, state=st.sampled_from([State.DRAFT, State.DEMOTED, State.REJECTED]))
def test_practice_alone_puts_nothing_in_use(outcomes: list[Outcome], state: State) -> None:
    assert next_state(state, outcomes) == (state, "")


@given(outcomes=OUTCOMES)
def test_only_a_failure_takes_a_procedure_out(outcomes: list[Outcome]) -> None:
    for state in (State.PROBATION, State.ACTIVE):
        assert next_state(state, [*outcomes, GOOD])[0] is not State.DEMOTED


def test_a_procedure_proves_itself_with_five_uses() -> None:
    assert next_state(State.PROBATION, [GOOD] * 4)[0] is State.PROBATION
    assert next_state(State.PROBATION, [GOOD] * 5)[0] is State.ACTIVE


def test_one_failure_is_forgiven_and_two_in_a_row_are_not() -> None:
    assert next_state(State.PROBATION, [BAD]) == (State.PROBATION, "")
    assert next_state(State.PROBATION, [BAD, BAD])[0] is State.DEMOTED
    assert next_state(State.PROBATION, [BAD, GOOD, BAD])[0] is State.DEMOTED
    assert next_state(State.ACTIVE, [*[GOOD] * 5, BAD])[0] is State.ACTIVE
    assert next_state(State.ACTIVE, [*[GOOD] * 5, BAD, GOOD, BAD])[0] is State.ACTIVE
    assert next_state(State.ACTIVE, [*[GOOD] * 5, BAD, OPEN, BAD])[0] is State.DEMOTED


def test_old_outcomes_are_forgotten() -> None:
    long_ago = [BAD] * 10 + [GOOD] * THRESHOLDS.window

    assert score(long_ago).failures == 0
