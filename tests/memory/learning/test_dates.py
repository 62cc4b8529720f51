from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.errors import InputError
from stratal_memory.learning.dates import Precision, resolve

FRIDAY = datetime.fromisoformat("2026-11-20T09:00+01:00")


@pytest.mark.parametrize(
    ("words", "phrase"),
    [
        ("yesterday", "on 19 November 2026"),
        ("the day after tomorrow", "on 22 November 2026"),
        ("last Friday", "on 13 November 2026"),
        ("this Friday", "on 20 November 2026"),
        ("next Tuesday", "on 24 November 2026"),
        ("on Monday", "on 23 November 2026"),
        ("three days ago", "on 17 November 2026"),
        ("in 2 weeks", "in the week of 30 November 2026"),
        ("a month ago", "in October 2026"),
        ("5 years ago", "in 2021"),
        ("last week", "in the week of 9 November 2026"),
        ("next month", "in December 2026"),
        ("last May", "in May 2026"),
        ("last November", "in November 2025"),
        ("in December", "in December 2026"),
        ("in March", "in March 2027"),
        ("March 2024", "in March 2024"),
        ("3 May", "on 3 May 2027"),
        ("May 3rd, 2026", "on 3 May 2026"),
        ("the 3rd of May 2026", "on 3 May 2026"),
        ("2026-05-03", "on 3 May 2026"),
        ("29 February", "on 29 February 2028"),
        ("since 2019", "in 2019"),
    ],
)
def test_a_date_is_resolved_against_the_message(words: str, phrase: str) -> None:
    assert [when.phrase() for when in resolve(f"It is {words}, I think", FRIDAY)] == [phrase]


@pytest.mark.parametrize(
    ("words", "phrase"),
    [
        ("on Monday", "on 16 November 2026"),
        ("in March", "in March 2026"),
        ("3 May", "on 3 May 2026"),
    ],
)
def test_looking_back_an_open_date_is_the_last_one(words: str, phrase: str) -> None:
    assert [when.phrase() for when in resolve(words, FRIDAY, past=True)] == [phrase]


@pytest.mark.parametrize(
    "words",
    [
        "I may come",
        "this may help",
        "31 February",
        "9999 years ago",
        "two weeks before",
        "year 3000 ok",
    ],
)
def test_what_is_no_date_is_left_alone(words: str) -> None:
    assert resolve(words, FRIDAY) == []


def test_a_day_is_a_day_of_the_zone_the_message_was_written_in() -> None:
    late = datetime(2026, 11, 20, 23, 30, tzinfo=ZoneInfo("America/New_York"))

    [today] = resolve("today", late)

    assert today.day.day == 20
    assert today.start.isoformat() == "2026-11-20T00:00:00-05:00"
    assert today.precision is Precision.DAY


def test_a_day_with_a_clock_change_is_25_hours_long() -> None:
    at = datetime(2026, 10, 25, 12, tzinfo=ZoneInfo("Europe/Berlin"))

    [today] = resolve("today", at)

    assert today.end.timestamp() - today.start.timestamp() == timedelta(hours=25).total_seconds()


def test_a_naive_time_is_refused_with_what_to_do() -> None:
    with pytest.raises(InputError) as refused:
        resolve("today", datetime(2026, 11, 20))

    assert "timezone-aware" in refused.value.hint


@given(
    st.lists(st.sampled_from(("last ", "May ", "3", "in ", "2 weeks ago", " ", "Friday", "9999 "))),
    st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31), timezones=st.timezones()),
)
def test_spans_are_in_order_and_whatever_the_moment_nothing_breaks(
    pieces: list[str], at: datetime
) -> None:
    text = "".join(pieces)

    found = resolve(text, at)

    ends = [0] + [when.span[1] for when in found]
    assert all(when.span[0] >= end for when, end in zip(found, ends, strict=False))
    assert all(when.start < when.end for when in found)


@pytest.mark.parametrize(
    ("words", "phrase"),
    [
        ("a week on Monday", "on 30 November 2026"),
        ("Monday week", "on 30 November 2026"),
        ("a week tomorrow", "on 28 November 2026"),
        ("in a fortnight", "on 4 December 2026"),
        ("a fortnight ago", "on 6 November 2026"),
        ("the month after next", "in January 2027"),
        ("three days from now", "on 23 November 2026"),
        ("on the 3rd", "on 3 December 2026"),
        ("by the 31st", "on 31 December 2026"),
        ("last Thursday", "on 12 November 2026"),  # yesterday is called yesterday
        ("last Wednesday", "on 18 November 2026"),
    ],
)
def test_days_are_named_in_more_ways(words: str, phrase: str) -> None:
    [when] = resolve(words, FRIDAY)

    assert when.phrase() == phrase


def test_a_day_of_the_month_is_the_last_one_when_the_past_is_meant() -> None:
    [when] = resolve("on the 31st", FRIDAY, past=True)

    assert when.phrase() == "on 31 October 2026"
