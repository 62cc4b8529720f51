"""How well a procedure serves: the lower bound of its outcomes, and what that makes of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb

from stratal_memory.truth.practised import Outcome
from stratal_memory.truth.procedures import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Every number that decides over a learned procedure, with its source or reason."""

    calls: int = 3  # tool calls of an episode (Os19)
    episodes: int = 3  # distinct good ones before there is a draft: two may be a coincidence
    # One side of a 95 % interval; the prior is even (Beta(1, 1)): nothing is known before use.
    doubt: float = 0.05
    # Five uses without a failure give 0.61, four give 0.55: it has helped at least five times,
    # and more likely than not goes on to.
    active: float = 0.60
    # Five good and one bad give 0.48 and it stays; five good and two bad give 0.40 and it goes.
    keep: float = 0.45
    in_a_row: int = 2  # one failure may be the tool's or the network's; a second costs twice
    window: int = 50  # the latest outcomes that count: tools and wishes change
    idle_minutes: int = 60  # a conversation so long silent is over (Os12)


THRESHOLDS = Thresholds()


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The outcomes that count, and the rate of success that is all but certain."""

    successes: int
    failures: int
    bound: float  # 0..1


def score(outcomes: Sequence[Outcome], rules: Thresholds = THRESHOLDS) -> Score:
    """The score of outcomes, oldest first; what is pending or unknown does not count.

    >>> score([Outcome.SUCCESS] * 5).bound > 0.6 > score([Outcome.SUCCESS] * 4).bound
    True
    """
    known = [one for one in outcomes if one in (Outcome.SUCCESS, Outcome.FAILURE)]
    latest = known[-rules.window :]
    good = latest.count(Outcome.SUCCESS)
    bad = len(latest) - good
    return Score(successes=good, failures=bad, bound=lower_bound(good, bad, doubt=rules.doubt))


def needed(found: Score, rules: Thresholds = THRESHOLDS) -> int:
    """How many uses prove a version if all further ones are good; those it has count.

    >>> needed(score([Outcome.SUCCESS] * 3)), needed(score([Outcome.FAILURE]))
    (5, 9)
    """
    good = found.successes
    while lower_bound(good, found.failures, doubt=rules.doubt) < rules.active:
        good += 1
    return good + found.failures


@lru_cache(maxsize=4_096)
def lower_bound(successes: int, failures: int, *, doubt: float) -> float:
    """What the true rate of success exceeds but for a chance of `doubt`, given an even prior.

    >>> round(lower_bound(0, 0, doubt=0.05), 3)
    0.05
    """
    low, high = 0.0, 1.0
    for _ in range(40):  # to within 1e-12
        middle = (low + high) / 2
        if _below(middle, successes, failures) < doubt:
            low = middle
        else:
            high = middle
    return low


def _below(rate: float, successes: int, failures: int) -> float:
    """The chance that Beta(successes + 1, failures + 1) lies below `rate`: a binomial tail."""
    trials = successes + failures + 1
    return sum(
        comb(trials, hits) * rate**hits * (1 - rate) ** (trials - hits)
        for hits in range(successes + 1, trials + 1)
    )


def next_state(
    state: State, outcomes: Sequence[Outcome], rules: Thresholds = THRESHOLDS
) -> tuple[State, str]:
    """What the outcomes since its approval, oldest first, make of a version, and why.

    Only what is in use moves: a draft becomes anything by a person alone, and so does what was
    demoted or rejected. The reason is empty where nothing changes.
    """
    if state not in (State.PROBATION, State.ACTIVE):
        return state, ""
    found = score(outcomes, rules)
    told = f"{found.successes} good, {found.failures} bad, lower bound {found.bound:.2f}"
    if _fell(state, outcomes, found, rules):
        return State.DEMOTED, f"it failed: {told}"
    if state is State.PROBATION and found.bound >= rules.active:
        return State.ACTIVE, f"it proved itself: {told}"
    return state, ""


def _fell(state: State, outcomes: Sequence[Outcome], found: Score, rules: Thresholds) -> bool:
    known = [one for one in outcomes if one in (Outcome.SUCCESS, Outcome.FAILURE)]
    if not known or known[-1] is not Outcome.FAILURE:
        return False
    if len(known) >= rules.in_a_row and set(known[-rules.in_a_row :]) == {Outcome.FAILURE}:
        return True
    if state is State.ACTIVE:
        return found.bound < rules.keep
    return found.failures >= rules.in_a_row and found.failures > found.successes
