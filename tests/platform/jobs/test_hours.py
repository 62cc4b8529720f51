"""Quiet hours end when the clock says so, and each user's delay is their own for good."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.errors import ConfigError
from stratal.jobs.hours import Quiet, read_quiet, spread

BERLIN = ZoneInfo("Europe/Berlin")


def quiet(text: str, zone: ZoneInfo = BERLIN) -> Quiet:
    return read_quiet(text, setting="jobs.quiet_hours", zone=zone)


def shown(moment: datetime) -> str:
    return f"{moment.astimezone(BERLIN):%d %H:%M}"


@pytest.mark.parametrize(
    ("at", "start"),
    [
        ("07:59", "20 07:59"),
        ("08:00", "20 18:00"),
        ("17:59", "20 18:00"),
        ("18:00", "20 18:00"),
        ("22:00", "21 06:00"),  # over midnight
        ("00:00", "20 06:00"),
        ("05:59", "20 06:00"),
        ("06:00", "20 06:00"),
    ],
)
def test_what_is_due_in_quiet_hours_starts_at_their_end(at: str, start: str) -> None:
    moment = datetime.fromisoformat(f"2026-11-20T{at}").replace(tzinfo=BERLIN)

    assert shown(quiet("22:00-06:00, 08:00-18:00").end(moment)) == start


def test_hours_that_touch_are_one_time_and_none_are_none() -> None:
    noon = datetime(2026, 11, 20, 12, tzinfo=BERLIN)

    assert shown(quiet("10:00-13:00,13:00-15:30,11:00-12:00").end(noon)) == "20 15:30"
    assert quiet("").end(noon) == noon
    assert quiet("20:00-24:00").end(noon) == noon


def test_hours_the_clock_leaves_out_are_over_when_it_goes_on() -> None:
    at_one = datetime(2026, 3, 29, 1, 0, tzinfo=BERLIN)  # 02:00 is followed by 03:00

    assert shown(quiet("01:00-02:30").end(at_one)) == "29 03:00"


def test_hours_the_clock_shows_twice_are_quiet_twice() -> None:
    second = datetime(2026, 10, 25, 2, 10, fold=1, tzinfo=BERLIN)

    end = quiet("02:00-02:30").end(second)

    assert end == datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=BERLIN).astimezone(UTC)


@pytest.mark.parametrize("text", ["nights", "22-6", "25:00-06:00", "06:00-06:00", "01:00-24:30"])
def test_what_names_no_hours_is_a_config_error(text: str) -> None:
    with pytest.raises(ConfigError, match=r"jobs\.quiet_hours names no hours"):
        quiet(text)


@pytest.mark.parametrize(
    "text", ["00:00-24:00", "06:00-18:00,18:00-06:00", "12:00-11:00,10:00-13:00"]
)
def test_hours_that_leave_nothing_are_a_config_error(text: str) -> None:
    with pytest.raises(ConfigError, match="no job ever comes due"):
        quiet(text)


@given(
    st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC)),
    st.sampled_from(["22:00-06:00", "01:30-02:30", "02:00-03:00, 00:00-01:00", "23:59-00:01"]),
    st.sampled_from([BERLIN, ZoneInfo("Australia/Lord_Howe"), ZoneInfo("America/Sao_Paulo")]),
)
def test_the_end_is_never_before_and_never_quiet_itself(
    moment: datetime, text: str, zone: ZoneInfo
) -> None:
    hours = quiet(text, zone)

    end = hours.end(moment)

    assert end >= moment
    assert hours.end(end) == end
    assert end - moment < timedelta(hours=26)


@given(st.text(max_size=40), st.integers(0, 720))
def test_a_users_delay_is_bounded_and_always_the_same(user: str, minutes: int) -> None:
    most = timedelta(minutes=minutes)

    late = spread(user, most=most)

    assert timedelta(0) <= late <= most
    assert spread(user, most=most) == late


def test_users_are_spread_over_the_whole_span() -> None:
    late = sorted(spread(f"user{n}", most=timedelta(minutes=60)) for n in range(600))

    tenths = {int(one / timedelta(minutes=6)) for one in late}
    assert tenths == set(range(10))
