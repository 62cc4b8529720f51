import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.errors import InputError
from stratal_procedures.trigger import MAX_TEXT, MAX_WAYS, Trigger


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+b",
        "(a*)*b",
        "(a|a)*b",
        "(a|ab)+c",
        "((ab)*c?)*d",
        "x(?:[a-z]+,?){1,30}y",
        "(a{0,20}){20}b",
        "a.*b.*c",
        r"\w+\w+\w+z",
        "(?P<w>a+)*b",
        "a{2,}{2,}b",
    ],
)
def test_a_pattern_that_can_run_away_is_refused(pattern: str) -> None:
    with pytest.raises(InputError) as caught:
        Trigger(pattern)

    assert caught.value.hint


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("order (", "not a regular expression"),
        ("", "this one has 0"),
        ("x" * 501, "this one has 501"),
        (".*", "matches the empty text"),
        ("order|", "matches the empty text"),
        (r"(a)b\1", "refer back"),
        ("order(?=flour)", "plain groups"),
        ("(?<!no )order", "plain groups"),
        ("(?x)order flour", "plain groups"),
        ("[[a]order", "not a regular expression"),
        ("a{99999999999}", "not a regular expression"),
        ("(" * 249 + "a" + ")" * 249, "nested over 20 deep"),
    ],
)
def test_a_pattern_that_can_not_be_used_says_why(pattern: str, problem: str) -> None:
    with pytest.raises(InputError, match=re.escape(problem)):
        Trigger(pattern)


@pytest.mark.parametrize(
    ("pattern", "message", "found"),
    [
        (r"\border (more )?flour\b", "Could you ORDER more\n  flour?", "ORDER more flour"),
        (r"(?i)rota", "The Rota, please", "Rota"),
        ("order.{0,40}flour", "order ten sacks of flour", "order ten sacks of flour"),
        ("need.*flour", "I need more flour", "need more flour"),
        (r"[]x]\(a\)", "]( a )](A)", "](A)"),
        ("a{b", "A{B", "A{B"),
        ("order", "reorder", "order"),
        (r"\border", "reorder", None),
    ],
)
def test_case_and_white_space_do_not_matter(pattern: str, message: str, found: str | None) -> None:
    assert Trigger(pattern).found(message) == found


def test_only_the_first_four_thousand_characters_are_looked_at() -> None:
    trigger = Trigger("flour")

    assert trigger.found("x" * (MAX_TEXT - 5) + "flour") == "flour"
    assert trigger.found("x" * (MAX_TEXT - 4) + "flour") is None


def test_the_widest_admitted_pattern_ends_on_the_worst_message() -> None:
    wide = Trigger("a.*(b|c|d)")  # 3 x 4,001 ways; with (a+)+ this test would never end

    assert wide.found("a" * 1_000_000) is None


@given(
    st.lists(
        st.sampled_from(["a", "b", "(", ")", "*", "+", "?", "|", ".", "{0,3}", "[ab]", r"\w", " "]),
        max_size=10,
    ).map("".join),
    st.text(alphabet="ab ", max_size=60),
)
def test_every_pattern_is_refused_or_gives_what_re_gives(pattern: str, message: str) -> None:
    # covers Os18
    try:
        trigger = Trigger(pattern)
    except InputError:
        return

    plain = re.search(pattern, " ".join(message.split()), re.IGNORECASE)

    assert trigger.found(message) == (plain.group() if plain else None)


def test_ways_are_multiplied_along_a_pattern() -> None:
    assert Trigger("a.{0,3999}b.{0,3}c").pattern  # 4,000 x 4: just the limit
    assert MAX_WAYS == 16_000

    with pytest.raises(InputError, match="20,000 ways, 16,000 are allowed"):
        Trigger("a.{0,3999}b.{0,4}c")
