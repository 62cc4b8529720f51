"""An array that grows at its end, so that one new memory does not copy all the others."""

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

FIRST = 64  # rows there is room for at first
T = TypeVar("T", bound=np.generic)


class Column(Generic[T]):
    """Rows of one type, one behind the other."""

    def __init__(self, rows: NDArray[T]) -> None:
        self._held = rows
        self._count = len(rows)

    @property
    def rows(self) -> NDArray[T]:
        """All rows there are now; rows that come later don't show in what was given out."""
        return self._held[: self._count]

    @property
    def nbytes(self) -> int:
        """Bytes of memory it takes, the room for later rows too."""
        return self._held.nbytes

    def extend(self, rows: NDArray[T]) -> None:
        """Add `rows` behind the others."""
        count = self._count + len(rows)
        if count > len(self._held):
            room = max(FIRST, count + count // 4)
            wider = np.zeros((room, *self._held.shape[1:]), dtype=self._held.dtype)
            wider[: self._count] = self.rows
            self._held = wider
        self._held[self._count : count] = rows
        self._count = count
