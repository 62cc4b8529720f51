"""Which texts are embedded together: those of like length, so that little is padded."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Tokens = NDArray[np.int64]


def length_sorted(lengths: Sequence[int], *, size: int) -> Iterator[list[int]]:
    """Positions in `lengths`, at most `size` at a time, longest first; every position once.

    A tie goes to the earlier position. Longest first, so that memory is highest at the start.

    >>> list(length_sorted([5, 9, 2], size=2))
    [[1, 0], [2]]
    """
    order = sorted(range(len(lengths)), key=lambda position: -lengths[position])
    for start in range(0, len(order), size):
        yield order[start : start + size]


def padded(rows: Sequence[Sequence[int]], *, filler: int) -> tuple[Tokens, Tokens]:
    """Token ids and attention mask, both `(len(rows), longest row) int64`; 1 means attend.

    >>> ids, mask = padded([[7, 8], [9]], filler=0)
    >>> ids.tolist(), mask.tolist()
    ([[7, 8], [9, 0]], [[1, 1], [1, 0]])
    """
    longest = max(len(row) for row in rows)
    ids = np.full((len(rows), longest), filler, np.int64)
    mask = np.zeros_like(ids)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return ids, mask
