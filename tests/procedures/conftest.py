from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memory.worlds import World, opened
from tests.procedures.practising import Practice


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = opened(tmp_path)
    yield made
    made.close()


@pytest.fixture
def practice(world: World) -> Practice:
    return Practice(world.store())
