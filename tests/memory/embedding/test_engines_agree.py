"""Both engines on the same model. Needs torch: `make test-extras` sets STRATAL_EXTRAS=1."""

import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.embedding.onnx import OnnxEmbedder
from stratal_memory.embedding.sentence_transformers import SentenceTransformerEmbedder
from stratal_memory.errors import EmbeddingError

# Without STRATAL_EXTRAS a missing library skips; with it, the tests run and fail.
pytestmark = [
    pytest.mark.extras,
    pytest.mark.skipif(
        os.environ.get("STRATAL_EXTRAS") != "1" and find_spec("sentence_transformers") is None,
        reason="needs stratal[sentence-transformers]",
    ),
    # Third-party noise on import, none of it ours to fix.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]

SENTENCE = "The oven in the bakery was repaired in March, and the bill came in April."
TEXTS = [
    "",
    "tea",
    "Where does Alice keep her spare key?",
    "Alice keeps her spare key under the blue flower pot, next to the kitchen door.",
    SENTENCE,
    " ".join([SENTENCE] * 9),  # 160 tokens: more than the 128 baked into tokenizer.json
    " ".join([SENTENCE] * 40),  # more than 256: both cut it
    "Где лежит запасной ключ от кухни?",
    "予備の鍵は青い植木鉢の下にあります。",
    "La llave está debajo de la maceta azul.",
    'def add(a: int, b: int) -> int:\n    """Sum."""\n    return a + b',
    '{"user": "alice@example.com", "total": 1284.50, "items": ["bread", "salt"]}',
    "🙂🙃 ok!!! ... ??",
    "# Heading\n\n* one\n* two\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    "lone \ud800 surrogate and \x00 NUL",
    "Pneumonoultramicroscopicsilicovolcanoconiosis " * 5,
]


@pytest.fixture(scope="module")
def reference(model_folder: Path) -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(str(model_folder))


def cosines(reference: SentenceTransformerEmbedder, embedder: OnnxEmbedder) -> Vectors:
    found: Vectors = (reference.embed(TEXTS) * embedder.embed(TEXTS)).sum(axis=1)
    return found


def test_float32_agrees_with_sentence_transformers_on_every_text(
    reference: SentenceTransformerEmbedder, float32: OnnxEmbedder
) -> None:
    assert cosines(reference, float32).min() >= 0.9999


def test_int8_agrees_with_sentence_transformers(
    reference: SentenceTransformerEmbedder, int8: OnnxEmbedder
) -> None:
    found = cosines(reference, int8)

    assert found.mean() >= 0.985
    assert found.min() >= 0.97


def test_the_other_engine_keeps_the_protocol(reference: SentenceTransformerEmbedder) -> None:
    vectors = reference.embed(TEXTS[:3])

    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert reference.embed([]).shape == (0, 384)
    assert reference.generation.dimension == 384
    assert reference.generation.revision.startswith("st-")


def test_its_generation_is_the_same_after_loading_again(
    reference: SentenceTransformerEmbedder, model_folder: Path
) -> None:
    assert SentenceTransformerEmbedder(str(model_folder)).generation == reference.generation


def test_a_model_that_is_not_there_is_an_error_and_nothing_is_downloaded(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match="can't load") as raised:
        SentenceTransformerEmbedder(str(tmp_path / "nowhere"))

    assert "?download" in raised.value.hint
