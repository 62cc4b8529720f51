from collections.abc import Iterator
from pathlib import Path

import pytest

from stratal_memory.truth.database import Database
from tests.fakes.clock import FakeClock
from tests.platform.jobs.slot_world import NIGHT


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database.open(tmp_path / "data") as opened:
        yield opened


@pytest.fixture
def clock() -> FakeClock:
    """It says three at night."""
    return FakeClock(NIGHT)
