from datetime import UTC, datetime

import pytest

from stratal_memory.errors import InputError
from stratal_memory.learning.settings import GateSettings


def test_a_moment_is_told_in_the_users_zone() -> None:
    late = datetime(2026, 11, 21, 23, 30, tzinfo=UTC)

    assert GateSettings(zone="Europe/Berlin").local(late).day == 22
    assert GateSettings().local(late).day == 21


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../etc/passwd", "CET+\x00"])
def test_a_zone_nobody_knows_is_refused(zone: str) -> None:
    with pytest.raises(InputError, match="no time zone is called"):
        GateSettings(zone=zone)


def test_an_empty_zone_is_the_machines_own() -> None:
    at = datetime(2026, 11, 21, 23, 30, tzinfo=UTC)

    assert GateSettings(zone="").local(at) == at
    assert GateSettings(zone="").local(at).utcoffset() == at.astimezone().utcoffset()
