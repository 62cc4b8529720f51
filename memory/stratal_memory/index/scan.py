"""Exact search: every eligible vector is compared. The floor that is always there."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.truth.vectors import Matrix

FEW = 4  # times the rows wanted: so few are sorted whole


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
    order = best(cosines, np.asarray(matrix.seqs), limit=limit)
    return [Near(matrix.seqs[i], float(cosines[i])) for i in order]


def best(scores: NDArray[np.floating], seqs: NDArray[np.int64], *, limit: int) -> NDArray[np.intp]:
    """The places of the `limit` highest scores, best first; a tie goes to the newer row."""
    if limit <= 0:
        return np.empty(0, dtype=np.intp)
    places = np.arange(len(scores))
    if len(scores) > FEW * limit:  # sorting all of them would take longer than comparing them
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        places = np.flatnonzero(scores >= least)
    return places[np.lexsort((-seqs[places], -scores[places]))[:limit]]
