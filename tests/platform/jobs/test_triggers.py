"""Several triggers at once, and what passed while nobody looked."""

from datetime import UTC, datetime, timedelta

import pytest

from stratal.errors import ConfigError
from stratal.jobs.triggers import COUNTED, Missed, Triggers, missed, read_triggers

MONDAY = datetime(2026, 11, 23, tzinfo=UTC)


def read(text: str) -> Triggers:
    return read_triggers(text, setting="jobs.consolidate", zone=UTC)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("every 6h", timedelta(hours=6)),
        ("Every 90 m", timedelta(minutes=90)),
        ("0 3 * * *; every 2h", timedelta(hours=2)),
        ("0 3 * * * ; every 1d", timedelta(hours=3)),
    ],
)
def test_the_earliest_of_several_triggers_comes_first(text: str, due: timedelta) -> None:
    assert read(text).after(MONDAY) == MONDAY + due


def test_an_interval_is_due_at_the_same_times_in_every_process() -> None:
    six_hours = read("every 6h")

    found = {six_hours.after(MONDAY + timedelta(minutes=late)) for late in range(0, 360, 7)}

    assert found == {MONDAY + timedelta(hours=6)}


def test_silence_is_no_time_of_the_clock() -> None:
    both = read("idle 30m; idle 2h")

    assert both.idle == (timedelta(minutes=30), timedelta(hours=2))
    assert both.after(MONDAY) is None
    assert not both.off


def test_a_job_may_be_off() -> None:
    assert read(" Off ").off


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no cron schedule"),
        ("at dawn", "no cron schedule"),
        ("0 3 * * *;", "no cron schedule"),
        ("off; 0 3 * * *", "no cron schedule"),
        ("every h", "no cron schedule"),
        ("every 0h", "never comes due"),
        ("every 999999999w", "never comes due"),
        ("idle 0m", "never comes due"),
        ("0 3 31 2 *", "never comes due"),
        ("0 3 * * *; 0 3 30 2 *", "never comes due"),
    ],
)
def test_what_never_comes_due_is_a_config_error_with_a_way_out(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=rf"jobs\.consolidate .*{complaint}") as caught:
        read(text)

    assert caught.value.hint


def test_missed_due_times_are_counted_with_the_first_and_the_latest() -> None:
    found = missed(
        read("0 3 * * *; every 12h"), after=MONDAY, until=MONDAY + timedelta(days=2, hours=4)
    )

    latest = MONDAY + timedelta(days=2, hours=3)
    assert found == Missed(MONDAY + timedelta(hours=3), latest, 7)


def test_a_time_that_two_triggers_name_is_one_due_time() -> None:
    found = missed(read("0 0 * * *; every 1d"), after=MONDAY, until=MONDAY + timedelta(days=3))

    assert found is not None
    assert found.count == 3


def test_nothing_is_missed_before_the_first_due_time_and_the_last_moment_counts() -> None:
    nightly, three = read("0 3 * * *"), MONDAY + timedelta(hours=3)

    assert missed(nightly, after=MONDAY, until=three - timedelta(microseconds=1)) is None
    assert missed(nightly, after=MONDAY, until=three) == Missed(three, three, 1)
    assert missed(nightly, after=three, until=three + timedelta(hours=20)) is None


def test_a_year_of_an_hourly_job_is_counted_whole_and_a_year_of_minutes_up_to_a_bound() -> None:
    year = timedelta(days=365)

    hourly = missed(read("7 * * * *"), after=MONDAY, until=MONDAY + year)
    minutes = missed(read("* * * * *"), after=MONDAY, until=MONDAY + year + timedelta(seconds=9))

    assert hourly is not None
    assert hourly.count == 8_760
    assert minutes == Missed(MONDAY + timedelta(minutes=1), MONDAY + year, COUNTED)
