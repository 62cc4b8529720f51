"""What an answer did with what it was given, and the bounds of what that may change."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.learning.trust import CONFIDENCE, confidence
from stratal_memory.learning.usefulness import (
    BOUND,
    CREDIT,
    STEPS,
    Shown,
    allowed,
    credit,
    denied,
    factor,
    fed_confidence,
    judge,
)
from stratal_memory.outcomes import NOTHING, Counts, Outcome
from stratal_memory.records import Form, Memory, Status, Trust
from tests.memory.worlds import memory

SAME = 1e-9  # numbers nearer than this are one


AT = datetime(2026, 11, 20, tzinfo=UTC)
HOME = Shown(memory="home", text="The user lives in Lisbon.", value="Lisbon")
WORK = Shown(memory="work", text="The user works at TAP as a pilot.", value="TAP")
SISTER = Shown(memory="sister", text="The user's sister is called Eva.", value="Eva")
TEA = Shown(memory="tea", text="The user likes green tea.", value="green tea")
CATS = Shown(memory="cats", text="The user has two cats, Milo and Otis.")
ALL = (HOME, WORK, SISTER, TEA, CATS)
MANUAL = Shown(
    memory="manual",
    text="Ovens are cleaned on Sundays. Filters are replaced in March by the night shift. "
    "The alarm is tested on the first Monday of each month.",
)
TOTALS = st.integers(0, 10_000)
COUNTS = st.builds(Counts, used=TOTALS, ignored=TOTALS, corrected=TOTALS, wrong=st.just("mem_a"))


def told(
    shown: tuple[Shown, ...], question: str, reply: str, *, quotes_only: bool = False
) -> dict[str, str]:
    found = judge(shown, question=question, reply=reply, quotes_only=quotes_only)
    return {one.memory: one.outcome.value for one in found}


def test_what_the_answer_says_of_a_memory_was_used_and_the_rest_ignored() -> None:
    found = told(ALL, "Where do I live?", "You live in Lisbon.")

    assert found == {
        "home": "used",
        "work": "ignored",
        "sister": "ignored",
        "tea": "ignored",
        "cats": "ignored",
    }


def test_words_of_the_question_prove_nothing() -> None:
    """Who repeats what was asked has not used what was shown."""
    asked = "Do I live in Lisbon, and is Eva called my sister?"

    assert set(told(ALL, asked, "You asked whether you live in Lisbon.").values()) == {"ignored"}


def test_a_value_is_enough_and_so_is_the_id() -> None:
    assert told((TEA, WORK, HOME), "What shall I order?", "A green tea.")["tea"] == "used"
    assert told((TEA, WORK, HOME), "Why?", "See work.")["work"] == "used"


def test_words_spread_over_a_long_answer_prove_nothing() -> None:
    reply = "The pilot light is out. Planes are late. TAPs drip. Work goes on."

    assert told((replace(WORK, value=""),), "What happened?", reply) == {"work": "ignored"}


def test_one_sentence_of_a_passage_is_enough_but_not_one_word_of_it() -> None:
    asked = "When do we get new ones?"

    assert told((MANUAL,), asked, "The night shift replaces filters in March.") == {
        "manual": "used"
    }
    assert told((MANUAL,), asked, "Maybe in March.") == {"manual": "ignored"}


def test_what_most_of_them_hold_tells_none_from_the_others() -> None:
    likes = tuple(
        Shown(memory=name, text=f"The user likes {name} from the market hall.")
        for name in ("olives", "cheese", "bread")
    )

    found = told(likes, "What now?", "Go to the market hall and buy cheese.")

    assert found == {"olives": "ignored", "cheese": "used", "bread": "ignored"}


def test_an_answer_that_uses_all_of_many_tells_nothing() -> None:
    """Who repeats everything has chosen nothing."""
    everything = " ".join(one.text for one in ALL)

    assert set(told(ALL, "Tell me", everything).values()) == {"quoted"}
    assert set(told(ALL[:3], "Tell me", everything).values()) == {"used"}


def test_a_provider_that_only_quotes_makes_nothing_useful_or_useless() -> None:
    reply = 'I can only quote: - "The user lives in Lisbon."'

    assert told(ALL, "Where do I live?", reply, quotes_only=True) == {"home": "quoted"}


@pytest.mark.parametrize(
    "text", ["", " ", "\n\n", "\ud800", "a" * 100_000, "住所は東京です。", "...", "\0"]
)
def test_any_text_may_come(text: str) -> None:
    shown = (Shown(memory="m", text=text, value=text), HOME)

    found = judge(shown, question=text, reply=text)

    assert [one.memory for one in found] == ["m", "home"]
    assert all(0 <= one.overlap <= 1 for one in found)
    assert denied(shown, text) == frozenset()


def test_text_without_blanks_between_words_is_compared_too() -> None:
    tokyo = Shown(memory="t", text="ユーザーは東京に住んでいます。")

    assert told((tokyo,), "どこ？", "東京に住んでいます。") == {"t": "used"}


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80), st.booleans())
def test_an_overlap_is_a_share(text: str, question: str, reply: str, quotes: bool) -> None:
    shown = [Shown(memory="mem_0123", text=text, value=question), HOME]

    for one in judge(shown, question=question, reply=reply, quotes_only=quotes):
        assert 0 <= one.overlap <= 1
        assert one.outcome in (Outcome.USED, Outcome.IGNORED, Outcome.QUOTED)


@pytest.mark.parametrize(
    "message",
    [
        "That's wrong.",
        "No, that is not true!",
        "That’s no longer the case, sorry",
        "Wrong.",
        "You got that wrong.",
        "Hm. It's outdated",
        "You're mistaken, I moved.",
    ],
)
def test_a_person_can_call_the_one_memory_of_an_answer_wrong(message: str) -> None:
    assert denied((HOME,), message) == {"home"}


@pytest.mark.parametrize(
    "message",
    [
        "Is that wrong?",
        "What is wrong with my oven?",
        "Something is wrong with it.",
        "It is wrong to lie.",
        "That's right.",
        "Thanks, that helps",
        "",
    ],
)
def test_other_sentences_deny_nothing(message: str) -> None:
    assert denied((HOME,), message) == frozenset()


def test_of_several_only_what_is_named_is_denied() -> None:
    assert denied((HOME, SISTER), "That's wrong, my sister is Ana.") == {"sister"}
    assert denied((HOME, SISTER), "That's wrong.") == frozenset()
    assert denied((), "That's wrong.") == frozenset()


def test_nothing_known_is_exactly_neutral() -> None:
    assert factor(NOTHING) == 1.0
    assert factor(Counts(used=1)) == pytest.approx(1.02)
    assert factor(Counts(used=10)) == pytest.approx(1.071, abs=0.001)
    assert factor(Counts(ignored=4)) == pytest.approx(0.98)


@given(COUNTS)
def test_usefulness_stays_within_ten_percent_and_follows_the_counts(counts: Counts) -> None:
    now = factor(counts)

    assert 1 - BOUND <= now <= 1 + BOUND
    assert factor(replace(counts, used=counts.used + 1)) >= now
    assert factor(replace(counts, ignored=counts.ignored + 1)) <= now
    assert factor(replace(counts, corrected=counts.corrected + 1)) <= now


@given(st.integers(-5, 5), st.integers(-5, 5), st.integers(-5, 5))
def test_a_forged_count_bends_no_more(used: int, ignored: int, corrected: int) -> None:
    counts = Counts(used=used, ignored=ignored, corrected=corrected)

    assert 1 - BOUND <= factor(counts) <= 1 + BOUND


def fact(trust: Trust = Trust.USER, *, status: Status = Status.ACTIVE, support: int = 1) -> Memory:
    made = memory("x", at=AT, trust=trust, id="mem_a", status=status)
    return replace(made, confidence=confidence(trust, support=support), support=support)


def fed(one: Memory, counts: Counts, *, used: int = 0, corrected: int = 0) -> float:
    return fed_confidence(one, counts, fed_used=used, fed_corrected=corrected)


def test_uses_add_at_most_half_a_statement_in_three_steps() -> None:
    assert [credit(used) for used in (0, 2, 3, 10, 30, 10_000)] == pytest.approx(
        [0, 0, CREDIT / 3, CREDIT * 2 / 3, CREDIT, CREDIT]
    )
    assert fed(fact(), Counts(used=30)) == pytest.approx((3.6 + 0.5) / 4.5)
    assert fed(fact(), Counts(used=STEPS[0] - 1)) == CONFIDENCE[Trust.USER]


def test_being_called_wrong_is_a_statement_of_the_user_against_it() -> None:
    said_wrong = Counts(corrected=1, wrong="mem_a")

    assert fed(fact(), said_wrong) == pytest.approx(
        confidence(Trust.USER, support=1, contradictions=1)
    )
    assert fed(fact(), replace(said_wrong, wrong="mem_before")) == CONFIDENCE[Trust.USER]
    assert fed(fact(Trust.SYSTEM), said_wrong) == CONFIDENCE[Trust.SYSTEM]


@pytest.mark.parametrize("status", [one for one in Status if one is not Status.ACTIVE])
def test_what_is_not_settled_is_not_moved(status: Status) -> None:
    held = fact(status=status)

    assert fed(held, Counts(used=10_000)) == held.confidence


@pytest.mark.parametrize("trust", [Trust.TOOL, Trust.DOCUMENT, Trust.WEB])
def test_untrusted_text_gains_no_confidence_however_often_it_is_repeated(trust: Trust) -> None:
    """RELIABILITY, threat 6: nothing raises itself by repetition."""
    assert fed(fact(trust), Counts(used=10_000)) == CONFIDENCE[trust]
    passage = replace(fact(trust), form=Form.CHUNK)
    assert fed(passage, Counts(used=10_000, corrected=9, wrong="mem_a")) == CONFIDENCE[trust]


@given(st.sampled_from(Trust), st.integers(1, 50), COUNTS, TOTALS, TOTALS, st.floats(0.01, 1))
def test_use_never_lifts_beyond_what_the_trust_allows(
    trust: Trust, support: int, counts: Counts, used: int, corrected: int, start: float
) -> None:
    one = replace(fact(trust, support=support), confidence=start)

    now = fed(one, counts, used=used, corrected=corrected)

    assert 0 < now <= max(start, allowed(trust)) + SAME
    if counts.corrected <= corrected:
        assert now >= start - SAME


@given(COUNTS, st.integers(1, 5))
def test_following_again_and_again_ends_where_one_step_ends(counts: Counts, times: int) -> None:
    """Counts that did not grow move nothing any more."""
    once = fed(fact(), counts)
    again = replace(fact(), confidence=once)
    for _ in range(times):
        moved = fed(again, counts, used=counts.used, corrected=counts.corrected)
        again = replace(again, confidence=moved)

    assert again.confidence == pytest.approx(once)
