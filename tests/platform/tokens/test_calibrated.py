import json
import logging
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.context.request import ToolSpec
from stratal.tokens.approximate import PicoclawCounter
from stratal.tokens.calibrated import (
    WINDOW,
    Anchor,
    CalibratedCounter,
    Calibration,
    estimate,
    learn,
    plausible,
)
from stratal_memory.records import Message, Role

ANCHOR = Anchor(counted=1_000, reported=1_300)
KNOWN = Calibration(factor=1.3, samples=1, mass=300.0, opening=ANCHOR)


class Letters:
    """A token a letter; exact, so that what makes it inexact is the factor."""

    name = "letters"
    exact = True

    def count(self, text: str) -> int:
        return len(text)

    def count_messages(self, messages: Sequence[Message]) -> int:
        return sum(len(message.text) + 4 for message in messages)

    def count_tools(self, tools: Sequence[ToolSpec]) -> int:
        return sum(len(tool.schema) for tool in tools)


def said(text: str) -> Message:
    return Message(role=Role.USER, text=text)


def test_the_estimate_is_the_last_report_and_what_was_added() -> None:
    assert estimate(KNOWN, ANCHOR, 1_100) == 1_300 + 130
    assert estimate(KNOWN, Anchor(counted=1_000, reported=1_400), 1_000) == 1_400


def test_a_conversation_begins_as_the_last_one_began() -> None:
    learned = learn(KNOWN, counted=400, reported=870)

    assert estimate(replace(learned, errors=()), None, 400) == 870


def test_with_nothing_learned_the_count_is_the_estimate() -> None:
    assert estimate(Calibration(), None, 1_234) == 1_234
    assert estimate(Calibration(), None, -5) == 0


def test_where_the_history_was_cut_the_estimate_shrinks_in_proportion() -> None:
    steep = replace(KNOWN, factor=2.0)

    assert estimate(steep, ANCHOR, 0) == 0
    assert estimate(steep, ANCHOR, 100) == pytest.approx(130, abs=70)
    assert estimate(steep, ANCHOR, 990) == pytest.approx(1_300 - 20, abs=1)
    assert estimate(KNOWN, ANCHOR, -10) >= 0
    assert estimate(KNOWN, Anchor(counted=0, reported=7), -10) >= 0


def test_an_undercount_is_corrected_at_once_and_an_overcount_by_a_fifth() -> None:
    first = learn(Calibration(), counted=1_000, reported=1_300)
    higher = learn(first, counted=1_000, reported=1_400)
    lower = learn(higher, counted=1_000, reported=1_000)

    assert [first.factor, higher.factor] == [1.3, 1.4]
    assert lower.factor == pytest.approx(1.4 - 0.2 * 0.4)
    assert lower.samples == 3


def test_with_an_anchor_the_factor_follows_what_was_added() -> None:
    small = learn(KNOWN, counted=1_010, reported=1_318, anchor=ANCHOR)
    large = learn(KNOWN, counted=4_000, reported=6_100, anchor=ANCHOR)

    assert KNOWN.factor < small.factor < 1.33
    assert 1.5 < large.factor < 1.6


def test_one_strange_slope_moves_the_factor_only_so_far() -> None:
    learned = learn(KNOWN, counted=1_300, reported=4_300, anchor=ANCHOR)

    assert learned.factor <= 1.3 * 1.6


def test_an_unchanged_count_teaches_only_its_error() -> None:
    learned = learn(KNOWN, counted=1_000, reported=1_313, anchor=ANCHOR)

    assert (learned.factor, learned.mass) == (KNOWN.factor, KNOWN.mass)
    assert learned.errors == pytest.approx((0.01,))


@pytest.mark.parametrize(
    ("counted", "reported"),
    [(1_000, 0), (1_000, -5), (1_000, 249), (1_000, 4_001), (0, 10), (-3, 10)],
)
def test_an_absurd_report_is_logged_and_not_learned(
    counted: int, reported: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        learned = learn(KNOWN, counted=counted, reported=reported)

    assert learned == KNOWN
    assert not plausible(counted=counted, reported=reported)
    assert f"{reported} tokens reported" in caplog.text


def test_a_prompt_the_server_cut_is_not_learned() -> None:
    """Ollama bills its window, however much was sent."""
    assert learn(KNOWN, counted=2_000, reported=1_300, anchor=ANCHOR) == KNOWN
    assert learn(KNOWN, counted=2_000, reported=2_500, anchor=ANCHOR) != KNOWN


def test_the_margin_covers_all_but_one_of_a_hundred() -> None:
    errors = (0.5, 0.03, *(0.02 for _ in range(WINDOW - 2)))

    assert Calibration(errors=errors).margin == 0.03
    assert Calibration(errors=errors[:50]).margin == 0.15  # one accident costs no half window
    assert Calibration(errors=(-0.2,) * 10).margin == 0.01
    assert Calibration(errors=(0.001,) * 4).margin == 0.05


def test_estimates_lean_to_the_safe_side_as_far_as_they_spread() -> None:
    steady, wild = replace(KNOWN, errors=(0.0,) * 9), replace(KNOWN, errors=(0.02, -0.02) * 9)

    assert estimate(steady, ANCHOR, 1_000) == 1_300
    assert estimate(wild, ANCHOR, 1_000) == round(1_300 * (1 + 0.6 * 0.02))
    assert replace(KNOWN, errors=(9.0, -1.0)).lean == 0.02


def test_a_calibration_survives_its_json() -> None:
    learned = learn(KNOWN, counted=1_100, reported=1_450, anchor=ANCHOR)

    again = Calibration.from_json(learned.to_json())

    assert replace(again, errors=()) == replace(learned, errors=())
    assert again.errors == pytest.approx(learned.errors, abs=1e-5)
    assert Calibration.from_json(Calibration().to_json()) == Calibration()


def test_a_full_calibration_is_short() -> None:
    full = replace(KNOWN, errors=(-0.012345678,) * WINDOW)

    assert len(full.to_json()) < 1_300


FRESH = json.loads(Calibration().to_json())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "\ud800",
        "[" * 100_000,
        json.dumps({**FRESH, "factor": 0}),
        json.dumps({**FRESH, "factor": float("nan")}),
        json.dumps({**FRESH, "factor": "1.2"}),
        json.dumps({**FRESH, "samples": -1}),
        json.dumps({**FRESH, "opening": [0, 5]}),
        json.dumps({**FRESH, "opening": [5]}),
        json.dumps({**FRESH, "errors": [1e300]}),
        json.dumps({**FRESH, "errors": [0.0] * (WINDOW + 1)}),
        json.dumps({**FRESH, "more": 1}),
    ],
)
def test_malformed_json_is_a_fresh_calibration_and_a_warning(
    text: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert Calibration.from_json(text) == Calibration()
    assert [record.levelname for record in caplog.records] == ["WARNING"]


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_read_as_some_calibration(text: str) -> None:
    assert Calibration.from_json(text) == Calibration()


TOKENS = st.integers(-10, 10**9)


@given(st.lists(st.tuples(TOKENS, TOKENS, st.booleans()), max_size=40), TOKENS)
def test_whatever_is_reported_estimates_stay_sane(
    reports: list[tuple[int, int, bool]], counted: int
) -> None:
    calibration, anchor = Calibration(), None
    for given_count, reported, new in reports:
        before = None if new else anchor
        calibration = learn(calibration, counted=given_count, reported=reported, anchor=before)
        if plausible(counted=given_count, reported=reported):
            anchor = Anchor(counted=given_count, reported=reported)

    assert 0.25 <= calibration.factor <= 4
    assert 0.01 <= calibration.margin <= 4
    assert 0 <= calibration.lean <= 0.02
    assert estimate(calibration, anchor, counted) >= 0
    assert Calibration.from_json(calibration.to_json()).samples == calibration.samples


def test_a_calibrated_counter_multiplies_what_another_counts() -> None:  # covers O16
    counter = CalibratedCounter(Letters(), replace(KNOWN, factor=1.07))
    tool = ToolSpec(name="f", description="", schema="x" * 100)

    assert counter.name == "letters*1.07"
    assert not counter.exact
    assert counter.count("x" * 200) == 214
    assert counter.count_messages([said("x" * 96)]) == 107
    assert counter.count_tools([tool, tool]) == 214


def test_a_fresh_calibration_changes_nothing() -> None:
    counter = CalibratedCounter(Letters(), Calibration())

    assert (counter.name, counter.exact, counter.count("abc")) == ("letters", True, 3)
    assert not CalibratedCounter(PicoclawCounter(), Calibration()).exact


def test_what_is_counted_never_becomes_nothing() -> None:
    counter = CalibratedCounter(Letters(), replace(KNOWN, factor=0.25))

    assert (counter.count("a"), counter.count("")) == (1, 0)


@given(st.lists(st.text(max_size=30), max_size=8), st.floats(0.25, 4))
def test_calibrated_counts_add_up(texts: list[str], factor: float) -> None:
    counter = CalibratedCounter(Letters(), replace(KNOWN, factor=factor))
    messages = [said(text) for text in texts]

    whole = counter.count_messages(messages)

    assert whole == sum(counter.count_messages([message]) for message in messages)
