"""Cron as cron means it, through every change of the clock."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.jobs.cron import read_cron

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = [ZoneInfo(name) for name in ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe")]
FRIDAY = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def dues(text: str, after: datetime, count: int, zone: ZoneInfo = BERLIN) -> list[str]:
    """The next due times as the clock of the zone shows them."""
    cron, found = read_cron(text, zone), list[str]()
    for _ in range(count):
        due = cron.after(after)
        assert due is not None
        found.append(f"{due.astimezone(zone):%a %d %H:%M%z}")
        after = due
    return found


@pytest.mark.parametrize(
    ("schedule", "due"),
    [
        ("0 3 * * *", "Sat 21"),
        ("0 3 * * 0", "Sun 22"),  # cron counts weekdays from Sunday
        ("0 3 * * 7", "Sun 22"),
        ("0 3 * * 1", "Mon 23"),
        ("0 3 * * 1-5", "Mon 23"),
        ("0 3 * * 0-1", "Sun 22"),
        ("0 3 * * 2,4", "Tue 24"),
        ("0 3 * * 1-5/2", "Mon 23"),
        ("0 3 * * */2", "Sat 21"),
        ("0 3 * * wed", "Wed 25"),
        ("0 3 * * Mon-Tue", "Mon 23"),
        ("0 3 1 * *", "Tue 01"),
        ("0 3 13 * 5", "Fri 13"),  # both must fit
        ("0 3 1 jan *", "Fri 01"),
        ("0 3 29 2 *", "Tue 29"),
    ],
)
def test_a_schedule_means_what_cron_means(schedule: str, due: str) -> None:
    assert dues(schedule, FRIDAY, 1)[0].startswith(f"{due} 03:00")


@pytest.mark.parametrize(
    "text",
    [
        *("", "never", "* * * *", "* * * * * *", "61 3 * * *", "0 24 * * *", "0 3 0 * *"),
        *("0 3 * * 8", "0 3 * * 1/0", "0 3 * * 5-1", "0 3 * 13 *", "0 3 * jan *x", "0 3 * * -1"),
        *("0 3 * * ²", "*/0 * * * *", "0,,1 * * * *", "0 3 * * monday", "9" * 5_000 + " * * * *"),
    ],
)
def test_what_is_no_cron_schedule_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_cron(text, UTC)


@pytest.mark.parametrize("text", ["0 3 31 2 *", "0 3 30 feb *", "0 3 31 4,6,9,11 *"])
def test_a_day_no_month_has_never_comes(text: str) -> None:
    assert read_cron(text, UTC).after(FRIDAY) is None


def test_a_time_the_clock_leaves_out_is_due_when_it_goes_on() -> None:
    before = datetime(2026, 3, 28, 12, tzinfo=UTC)  # on the 29th, 02:00 is followed by 03:00

    assert dues("30 2 * * *", before, 2) == ["Sun 29 03:00+0200", "Mon 30 02:30+0200"]
    assert dues("*/20 2 * * *", before, 2) == ["Sun 29 03:00+0200", "Mon 30 02:00+0200"]


def test_a_time_the_clock_shows_twice_is_due_once() -> None:
    before = datetime(2026, 10, 24, 12, tzinfo=UTC)  # on the 25th, 03:00 is followed by 02:00

    assert dues("30 2 * * *", before, 2) == ["Sun 25 02:30+0200", "Mon 26 02:30+0100"]


def test_what_is_due_every_hour_is_due_in_both_of_two_like_hours() -> None:
    before = datetime(2026, 10, 24, 23, 40, tzinfo=UTC)

    found = dues("30 * * * *", before, 3)

    assert found == ["Sun 25 02:30+0200", "Sun 25 02:30+0100", "Sun 25 03:30+0100"]


@given(
    st.sampled_from(["30 2 * * *", "*/15 * * * *", "0 0 * * *", "15 1-3 * * 0", "59 23 31 * *"]),
    st.datetimes(datetime(2024, 1, 1), datetime(2028, 1, 1), timezones=st.just(UTC)),
    st.sampled_from(ZONES),
)
def test_due_times_only_go_forward_and_none_lies_between(
    text: str, moment: datetime, zone: ZoneInfo
) -> None:
    cron = read_cron(text, zone)
    found = [moment]
    for _ in range(4):
        due = cron.after(found[-1])
        assert due is not None
        found.append(due)

    assert all(first < second for first, second in pairwise(found))
    assert cron.after(found[2] - timedelta(microseconds=1)) == found[2]
    assert all(due.second == 0 and due.tzinfo is UTC for due in found[1:])
