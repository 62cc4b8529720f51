"""The alarm rings at its time, when it was rung before, and from another thread."""

import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from stratal.jobs.timer import Alarm

PAST = datetime(2020, 1, 1, tzinfo=UTC)
NEVER = datetime(2999, 1, 1, tzinfo=UTC)


@pytest.fixture
def alarm() -> Iterator[Alarm]:
    with closing(Alarm()) as made:
        yield made


def test_a_time_that_is_past_rings_at_once_however_late(alarm: Alarm) -> None:
    alarm.wait(PAST)
    alarm.wait(datetime.now(UTC) + timedelta(milliseconds=20))


def test_a_ring_before_the_wait_is_not_lost(alarm: Alarm) -> None:
    alarm.ring()

    alarm.wait(NEVER)


def test_a_ring_from_elsewhere_ends_the_wait(alarm: Alarm) -> None:
    ringer = threading.Thread(target=alarm.ring)
    ringer.start()

    alarm.wait(NEVER)

    ringer.join()


def test_only_the_last_time_set_counts(alarm: Alarm) -> None:
    alarm.ring()
    alarm.wait(NEVER)
    alarm.wait(PAST)
