"""Facts that begin alike become one line that holds them all."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.consolidation.grouping import FEWEST, MOST, Bundle, bundles, listed
from stratal_memory.records import Evidence, Form, Memory
from tests.memory.worlds import memory

LIKES = ("jazz", "green tea", "hiking", "chess", "rain", "figs", "moss")


def facts(*texts: str) -> list[Memory]:
    start = datetime(2026, 3, 2, 9, tzinfo=UTC)
    return [memory(text, at=start + timedelta(minutes=place)) for place, text in enumerate(texts)]


def test_facts_that_begin_alike_are_told_in_one_line() -> None:
    [bundle] = bundles(facts(*(f"The user likes {what}." for what in LIKES[:3])))

    assert bundle.text == "The user likes jazz, green tea and hiking."
    assert len(bundle.facts) == 3


def test_two_alike_stay_two_facts() -> None:
    assert (
        bundles(facts("The user likes jazz.", "The user likes tea.", "The user owns a boat.")) == []
    )


def told(bundle: Bundle) -> Memory:
    """The observation that tells a bundle."""
    made = memory(bundle.text, at=bundle.facts[-1].valid_from, form=Form.OBSERVATION)
    cites = tuple(Evidence(ref=fact.id) for fact in bundle.facts)
    return replace(made, facet=bundle.name, evidence=cites)


def test_a_fact_more_joins_the_line_that_has_room() -> None:
    some = facts(*(f"The user likes {what}." for what in LIKES[:4]))
    [before] = bundles(some[:3])
    line = told(before)

    [after] = bundles(some, [line])

    assert (after.name, after.old) == (before.name, line)
    assert after.facts == tuple(some)


def test_a_full_line_stays_as_it_is_and_a_fact_that_goes_moves_no_other() -> None:
    some = facts(*(f"The user likes {what}." for what in (*LIKES, "snow", "owls", "ink")))
    first, second = bundles(some)
    lines = [told(first), told(second)]

    assert len(first.facts) == MOST
    assert bundles(some, lines) == []
    freed = bundles(some[1:], lines[1:])  # the line of the one that went fell with it
    assert [bundle.old for bundle in freed] == [lines[1], None]
    assert {fact.id for bundle in freed for fact in bundle.facts} == {one.id for one in some[1:]}


def test_what_is_pinned_or_over_stands_alone() -> None:
    one, two, three = facts(*(f"The user likes {what}." for what in LIKES[:FEWEST]))

    assert bundles([replace(one, pinned=True), two, three]) == []
    assert bundles([replace(one, valid_to=one.valid_from), two, three]) == []


def test_values_that_hold_commas_are_told_apart() -> None:
    told = listed(["The user likes salt, pepper.", "The user likes jazz.", "The user likes tea."])

    assert told == "The user likes salt, pepper; jazz; tea."


@given(st.lists(st.sampled_from(LIKES), unique=True, min_size=FEWEST, max_size=len(LIKES)))
def test_no_word_of_a_fact_is_lost(values: list[str]) -> None:
    texts = [f"The user likes {value}." for value in values]

    told = listed(texts)

    assert all(value in told for value in values)
    assert len(told) < sum(len(text) for text in texts)


@pytest.mark.parametrize(
    "odd",
    [
        "The user likes all fruit except bananas.",
        "The user likes tea but not coffee.",
        "The user likes fish on Mondays.",
        "The user likes 3 sugars.",
        "The user likes salt, pepper.",
    ],
)
def test_what_a_list_would_twist_stands_alone(odd: str) -> None:
    found = bundles(
        facts("The user likes jazz.", odd, "The user likes hiking.", "The user likes tea.")
    )

    assert [bundle.text for bundle in found] == ["The user likes jazz, hiking and tea."]


def test_an_article_stays_with_its_noun() -> None:
    told = listed(["The user has a dog.", "The user has a boat.", "The user has a piano."])

    assert told == "The user has a dog, a boat and a piano."
