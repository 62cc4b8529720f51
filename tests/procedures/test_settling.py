import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.truth.practised import Outcome
from stratal_procedures.settling import end_of, verdict
from tests.procedures.episodes import Step, messages

STEPS: tuple[Step, ...] = (("a", {}), ("b", {}), ("c", {}))


@pytest.mark.parametrize(
    "said",
    [
        "No, that's wrong.",
        "no",
        "Nope, the other shop",
        "That's not what I meant",
        "That is wrong",
        "This isn't right, is it?",
        "that didn't work",
        "Hm, wrong supplier!",
        "Sorry, but that was a mistake",
        "you forgot the yeast",
        "I said butter",
        "I meant Thursday",
        "Undo that please",
        "Try again",
        "still not there",
        "You made a mistake",
        "The date is wrong",
        "No, that’s wrong",
    ],
)
def test_a_correction_is_a_failure(said: str) -> None:
    assert verdict(said, before="Order flour")[0] is Outcome.FAILURE


@pytest.mark.parametrize(
    "said",
    [
        "Thanks!",
        "No problem. Now the butter",
        "no thanks, that's all",
        "No need to hurry",
        "No more for today",
        "Great, and now order butter",
        "What is wrong with the oven?",
        "Not bad!",
        "I didn",
        "Nobody answered the mail. Send it to Tom",
        "Now do the same for butter",
        "You are right",
        "Is that correct?",
    ],
)
def test_going_on_is_a_success(said: str) -> None:
    assert verdict(said, before="Order flour")[0] is Outcome.SUCCESS


def test_asking_the_same_again_is_a_failure() -> None:
    assert verdict("order  FLOUR!", before="Order flour")[0] is Outcome.FAILURE


def test_a_language_nobody_taught_decides_nothing() -> None:
    assert verdict("不对，错了", before="Order flour")[0] is Outcome.UNKNOWN


def test_a_turn_ends_badly_with_a_failed_tool_or_a_limit() -> None:
    good = messages("x", STEPS)
    failed = messages("x", STEPS, failed=[2])
    mended = messages("x", STEPS, failed=[0])
    stopped = messages("x", STEPS, answer="I stopped here: this turn reached its limit of 3")

    assert end_of(good, stopped="I stopped here")[0] is Outcome.PENDING
    assert end_of(failed, stopped="")[0] is Outcome.FAILURE
    assert end_of(mended, stopped="")[0] is Outcome.PENDING
    assert end_of(stopped, stopped="I stopped here")[0] is Outcome.FAILURE
    assert end_of(messages("x", STEPS, answer=""), stopped="")[0] is Outcome.UNKNOWN
    assert end_of([], stopped="")[0] is Outcome.UNKNOWN


@given(said=st.text(max_size=400), before=st.text(max_size=40))
def test_any_message_is_judged(said: str, before: str) -> None:
    assert verdict(said, before=before)[0] is not Outcome.PENDING
