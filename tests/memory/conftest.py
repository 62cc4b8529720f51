from collections.abc import Iterator
from pathlib import Path

import pytest

from stratal_memory.attributes.reader import Reader, reader_for
from stratal_memory.embedding.discovery import AUTOMATIC, find_embedder
from stratal_memory.embedding.embedder import Embedder
from tests.memory.worlds import World, opened


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = opened(tmp_path / "data")
    yield made
    made.close()


@pytest.fixture(scope="session")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    """The embedding model that is installed with Stratal."""
    found = find_embedder(AUTOMATIC, models_dir=tmp_path_factory.mktemp("models"))
    assert found is not None
    return found


@pytest.fixture(scope="session")
def reader(minilm: Embedder) -> Reader:
    """Reads attributes from its vectors."""
    found = reader_for(minilm.generation)
    assert found is not None
    return found
