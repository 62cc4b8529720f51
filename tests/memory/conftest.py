from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memory.worlds import World, opened


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = opened(tmp_path / "data")
    yield made
    made.close()
