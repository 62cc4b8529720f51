"""What was true when does not depend on the order in which it was told."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.learning.timeline import Claim, Says, Span, Standing, spans
from stratal_memory.records import TRUST_ORDER, Trust

DAY = datetime(2026, 1, 1, tzinfo=UTC)


def on(day: int) -> datetime:
    return DAY + timedelta(days=day)


def claim(
    value: str,
    day: int,
    *,
    trust: Trust = Trust.USER,
    source: str = "",
    says: Says = Says.TRUE,
    held: bool = False,
) -> Claim:
    return Claim(
        value=value,
        at=on(day),
        trust=trust,
        source=source or f"{value}{day}",
        says=says,
        held=held,
    )


def told(made: list[Span]) -> list[tuple[str, int, int | None, str]]:
    return [
        (
            span.value,
            (span.start - DAY).days,
            (span.end - DAY).days if span.end else None,
            span.standing.value,
        )
        for span in made
    ]


def test_each_value_ends_where_the_next_begins() -> None:
    made = spans([claim("porto", 5), claim("lisbon", 1), claim("berlin", 9)])

    assert told(made) == [
        ("lisbon", 1, 5, "settled"),
        ("porto", 5, 9, "settled"),
        ("berlin", 9, None, "settled"),
    ]


def test_what_came_back_is_a_span_of_its_own() -> None:
    made = spans([claim("lisbon", 9), claim("lisbon", 1), claim("porto", 5)])

    assert told(made) == [
        ("lisbon", 1, 5, "settled"),
        ("porto", 5, 9, "settled"),
        ("lisbon", 9, None, "settled"),
    ]


def test_neither_later_nor_more_trusted_is_contested_and_less_sure() -> None:
    alone = spans([claim("lisbon", 1)])[0]

    made = spans([claim("lisbon", 1), claim("porto", 1)])

    assert told(made) == [("lisbon", 1, None, "contested"), ("porto", 1, None, "contested")]
    assert {round(span.confidence, 3) for span in made} == {0.72}
    assert alone.confidence == 0.9


def test_a_later_statement_settles_what_was_contested() -> None:
    made = spans([claim("lisbon", 1), claim("porto", 1), claim("porto", 5)])

    assert told(made) == [
        ("lisbon", 1, 5, "contested"),
        ("porto", 1, 5, "contested"),
        ("porto", 5, None, "settled"),
    ]


def test_a_less_trusted_source_stands_beside_and_lowers_confidence() -> None:
    made = spans([claim("porto", 5, trust=Trust.WEB), claim("lisbon", 1)])

    assert told(made) == [("lisbon", 1, None, "settled"), ("porto", 5, None, "contested")]
    assert made[0].confidence < 0.9


def test_less_trusted_first_gives_way_whatever_its_date() -> None:
    made = spans([claim("porto", 5, trust=Trust.WEB), claim("lisbon", 7)])

    assert told(made) == [("porto", 5, 7, "settled"), ("lisbon", 7, None, "settled")]


def test_an_end_closes_what_it_names_alone() -> None:
    over = claim("lisbon", 5, says=Says.ENDED)

    assert told(spans([claim("lisbon", 1), over])) == [("lisbon", 1, 5, "settled")]
    assert told(spans([claim("lisbon", 1), over, claim("porto", 3)])) == [
        ("lisbon", 1, 3, "settled"),
        ("porto", 3, None, "settled"),
    ]


def test_what_was_taken_back_brings_nothing_back() -> None:
    made = spans([claim("lisbon", 1), claim("porto", 5, says=Says.VOID)])

    assert told(made) == [("lisbon", 1, 5, "settled")]


def test_what_is_held_replaces_nothing_until_it_is_said_again() -> None:
    once = [claim("lisbon", 1), claim("porto", 5, held=True)]

    assert told(spans(once)) == [("lisbon", 1, None, "settled"), ("porto", 5, None, "held")]
    assert told(spans([*once, claim("porto", 6, held=True)])) == [
        ("lisbon", 1, 5, "settled"),
        ("porto", 5, None, "settled"),
    ]


def test_one_tool_repeating_itself_counts_once() -> None:
    once = [claim("rain", 1, trust=Trust.TOOL, source="weather")]
    often = [claim("rain", day, trust=Trust.TOOL, source="weather") for day in range(1, 101)]
    two = [*once, claim("rain", 2, trust=Trust.TOOL, source="almanac")]

    sure = [spans(some)[0].confidence for some in (once, often, two)]

    assert sure[0] == sure[1] < sure[2]
    assert [spans(some)[0].support for some in (once, often, two)] == [1, 1, 2]


CLAIMS = st.lists(
    st.builds(
        claim,
        st.sampled_from(["lisbon", "porto", "berlin"]),
        st.integers(0, 6),
        trust=st.sampled_from(Trust),
        source=st.sampled_from(["", "a", "b"]),
        says=st.sampled_from([Says.TRUE, Says.TRUE, Says.TRUE, Says.ENDED, Says.VOID]),
        held=st.booleans(),
    ),
    max_size=10,
)


@given(CLAIMS, st.randoms())
def test_any_order_gives_the_same_spans(claims: list[Claim], random: Random) -> None:
    mixed = list(claims)
    random.shuffle(mixed)

    first, second = spans(claims), spans(mixed)

    assert told(first) == told(second)
    assert [round(one.confidence, 9) for one in first] == [
        round(one.confidence, 9) for one in second
    ]


@given(CLAIMS)
def test_at_most_one_value_is_settled_at_any_time(claims: list[Claim]) -> None:
    settled = [one for one in spans(claims) if one.standing is Standing.SETTLED]

    for one, next_ in pairwise(settled):
        assert one.end is not None
        assert one.start < one.end <= next_.start


@given(CLAIMS)
def test_the_current_value_is_never_less_trusted_than_what_it_replaced(
    claims: list[Claim],
) -> None:
    said = [one for one in claims if one.says is Says.TRUE]
    made = spans([one for one in said if not one.held])

    line = [one for one in made if one.standing is Standing.SETTLED]
    ranks = [TRUST_ORDER.index(one.trust) for one in line]

    assert ranks == sorted(ranks, reverse=True)


@given(CLAIMS)
def test_every_true_claim_has_its_place(claims: list[Claim]) -> None:
    said = [one for one in claims if one.says is Says.TRUE and not one.held]

    placed = [one for span in spans(said) for one in span.claims]

    assert sorted(placed, key=repr) == sorted(said, key=repr)
