"""The generator of a simulated year, and a small one lived through memory."""

import itertools
import re
from collections import Counter
from datetime import timedelta
from functools import cache

import pytest

from data.simulated_year.generator import simulated_year
from data.simulated_year.wording import Value, fillers, kinds, plain, values
from data.simulated_year.year import START, Said, Year
from scripts.measure_sleep import as_json, measured, misses, table
from scripts.sleep_plot import picture

SEEDS = (0, 1, 2, 3, 7)


@cache
def year_of(seed: int) -> Year:
    return simulated_year(seed)


def told(year: Year) -> dict[tuple[str, str], Value]:
    return {(one.track, one.value.text): one.value for one in year.truth}


def test_a_seed_makes_the_same_year_again_and_another_seed_another() -> None:
    again = simulated_year(1, days=60)

    assert simulated_year(1, days=60) == again
    assert simulated_year(2, days=60) != again


def test_two_seeds_share_few_values() -> None:
    for seed in (1, 2, 3):
        mine = {value for _, value in told(year_of(seed))}
        others = {value for _, value in told(year_of(seed + 1))}

        assert len(mine & others) <= len(mine) * 0.05


def test_there_are_many_kinds_of_facts_each_told_and_asked_in_several_ways() -> None:
    found = kinds()

    assert len(found) >= 40
    assert [one.name for one in found if len(one.of("+")) < 3 or len(one.of("?")) < 2] == []
    assert sum(len(one.lines[mark]) for one in found for mark in one.lines) / len(found) >= 8


@pytest.mark.parametrize("seed", SEEDS)
def test_sessions_go_forward_in_time_with_2_to_12_messages_and_gaps(seed: int) -> None:
    year = year_of(seed)
    lengths = Counter(one.session for one in year.said)
    days = sorted({(one.at - START).days for one in year.said})

    assert [one.at for one in year.said] == sorted(one.at for one in year.said)
    assert all(1 <= turns <= 7 for turns in lengths.values())
    assert max(later - day for day, later in itertools.pairwise(days)) >= 5


@pytest.mark.parametrize("seed", SEEDS)
def test_every_value_in_a_message_is_mentioned_and_no_other_is(seed: int) -> None:
    known = told(year_of(seed))

    def kind(track: str) -> str:
        return track.partition("/")[0]

    def unlike(said: Said) -> set[tuple[str, str]]:
        mentioned = {(kind(one.track), one.value.text) for one in said.mentions}
        stands = {
            (kind(track), v.text) for (track, _), v in known.items() if v.stands_in(said.text)
        }
        # An end may go without saying what ended.
        silent = {(kind(one.track), one.value.text) for one in said.mentions if one.how == "past"}
        return (mentioned ^ stands) - silent

    assert [(said.text, unlike(said)) for said in year_of(seed).said if unlike(said)] == []


@pytest.mark.parametrize("seed", SEEDS)
def test_what_holds_was_said_before_and_one_thing_of_a_track_holds_at_a_time(seed: int) -> None:
    year = year_of(seed)
    first = {
        (one.track, one.value.text): said.at
        for said in reversed(year.said)
        for one in said.mentions
        if one.how != "past"
    }

    for one in year.truth:
        assert first[one.track, one.value.text] <= one.start
        assert one.end is None or one.start < one.end
    for day in range(0, year.days, 30):
        held = Counter(one.track for one in year.holding(START + timedelta(days=day)))
        assert [track for track, count in held.items() if count > 1] == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mistake_is_put_right_at_once(seed: int) -> None:
    year = year_of(seed)
    wrong = [
        (place, one)
        for place, said in enumerate(year.said)
        for one in said.mentions
        if one.how == "wrong"
    ]

    assert wrong
    for place, one in wrong:
        fixed = [now for now in year.said[place + 1].mentions if now.how == "now"]
        assert [now.track for now in fixed] == [one.track]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_question_can_be_answered_from_what_was_said(seed: int) -> None:
    year = year_of(seed)
    at = START + timedelta(days=year.days)
    said = [one.text for one in year.said if one.category == "fact"]

    questions = year.questions(at, each=3)

    assert len(questions) >= 60
    for question in questions:
        assert question.current or question.outdated
        for value in question.current:
            assert any(value.stands_in(text) for text in said)
            assert not value.stands_in(question.text)
        assert not {one.text for one in question.current} & {one.text for one in question.outdated}


def test_chatter_holds_no_value_of_a_person() -> None:
    for family in range(4):
        known = [value for some in values(family).values() for value in some]
        words = [word for some in fillers(family).values() for word in some if len(word) > 2]

        assert [word for word in words if any(value.stands_in(word) for value in known)] == []


def test_plans_pass_without_a_word() -> None:
    year = year_of(1)
    plans = [one for one in year.truth if one.value.until is not None]

    assert plans
    assert all(one.end is not None and one.end <= (one.value.until or one.end) for one in plans)


def test_text_is_compared_without_case_stops_and_apostrophes() -> None:
    assert plain("It's Barry’s C++!") == " its barrys c++ "
    assert Value(text="6:15", forms=("6:15",)).stands_in("up at 6.15 again")
    assert not Value(text="R", forms=("R",)).stands_in("C or Rust")


def test_a_few_days_lived_through_memory_are_counted_and_judged() -> None:
    result = measured(3, days=20, embedder=None)

    slept = result.slept
    assert slept.after.current > 0
    assert slept.after.answered + sum(one.why == "missed" for one in slept.after.misses) == (
        slept.after.current
    )
    assert slept.kept is not None
    assert sum(slept.kept.supports.values()) == slept.kept.active
    assert slept.points[-1].messages == 2 * len(result.year.said)
    assert any("junk among active memories" in line for line in table(result))
    assert list(misses(slept)) or slept.after.recalled == 1
    assert '"recalled"' in as_json(result)
    assert re.search("<polyline", picture(slept.points, slept.points))
