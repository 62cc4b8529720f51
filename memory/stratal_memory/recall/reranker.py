"""A second reading of the best candidates, question and text together. Off unless one is set."""

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Says how well texts answer a question."""

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """One number a text, 0..1, in the order given; raises `EmbeddingError` without a model."""
        ...
