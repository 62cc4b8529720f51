"""Exact search: every eligible vector is compared. The floor that is always there."""

from dataclasses import dataclass

import numpy as np

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.truth.vectors import Matrix


@dataclass(frozen=True, slots=True)
class Near:
    """A memory's row number and the cosine of its vector with the query's, -1..1."""

    seq: int
    cosine: float


def scan(matrix: Matrix, query: Vectors, *, limit: int) -> list[Near]:
    """The `limit` nearest rows, nearest first; a tie goes to the newer row.

    `query` is one unit-length `(dimension,)` row.
    """
    if not matrix.seqs or limit <= 0:
        return []
    cosines = matrix.vectors @ query.reshape(-1)
    order = np.lexsort((-np.asarray(matrix.seqs), -cosines))[:limit]
    return [Near(matrix.seqs[i], float(cosines[i])) for i in order]
