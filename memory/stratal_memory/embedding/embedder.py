"""The Protocol every embedding engine follows, and the generation a vector belongs to."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """What made a vector. Vectors of two generations are never compared."""

    model: str  # "all-MiniLM-L6-v2"
    revision: str  # hash or version of the weights, and the number format when not float32
    dimension: int
    # What names the model in the settings, so that it is found again after they have changed.
    setting: str = field(default="", compare=False)

    @property
    def id(self) -> str:
        """One string for it: `model@revision/dimension`."""
        return f"{self.model}@{self.revision}/{self.dimension}"


class Embedder(Protocol):
    """An embedding engine."""

    @property
    def generation(self) -> Generation:
        """What its vectors belong to."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length row a text, `(len(texts), dimension) float32`, in the order given.

        The vector of a text does not depend on the other texts of the batch.
        """
        ...


@runtime_checkable
class CountsTokens(Protocol):
    """An engine that tells how much of a text it takes in: what passages are measured by."""

    @property
    def window(self) -> int:
        """The tokens of a text that count; the rest is ignored without a word."""
        ...

    def count(self, text: str) -> int:
        """The tokens of the whole `text`, without those that stand for its begin and end."""
        ...
