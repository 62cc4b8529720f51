import sys

import pytest

from stratal_memory.embedding.sentence_transformers import SentenceTransformerEmbedder
from stratal_memory.errors import EmbeddingError


def test_a_missing_library_says_how_to_install_it_without_cuda(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # None is how Python itself marks a module that can't be imported.
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)

    with pytest.raises(EmbeddingError, match="needs sentence-transformers and torch") as raised:
        SentenceTransformerEmbedder("all-MiniLM-L6-v2")

    assert 'pip install "torch==2.13.0" "stratal[sentence-transformers]"' in raised.value.hint
    assert "CUDA" in raised.value.hint
