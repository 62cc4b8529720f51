"""Vectors of a view of memory, kept while nothing changes: reading them is most of a scan."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from stratal_memory.truth.sqlite import Stamp
from stratal_memory.truth.vectors import Matrix

MOST = 256 * 1024 * 1024  # bytes of vectors kept by one door


@dataclass(slots=True)
class Kept:
    """The matrices of the latest views, each with the stamp of the truth it was read at.

    They only propose: what they name is read back from the truth with the scope in the WHERE
    clause, so a view that is out of date costs recall for a moment, never a leak.
    """

    _by_view: "OrderedDict[Hashable, tuple[Stamp, Matrix]]" = field(default_factory=OrderedDict)

    def matrix(self, view: Hashable, stamp: Stamp, read: Callable[[], Matrix]) -> Matrix:
        """The matrix of `view` at `stamp`; `read` is asked when it is not here."""
        found = self._by_view.get(view)
        if found is None or found[0] != stamp:
            found = (stamp, read())
            self._by_view[view] = found
        self._by_view.move_to_end(view)
        while len(self._by_view) > 1 and self._size() > MOST:
            self._by_view.popitem(last=False)
        return found[1]

    def at(self, view: Hashable, stamp: Stamp) -> Matrix | None:
        """The matrix of `view` if it is here as of `stamp`."""
        found = self._by_view.get(view)
        return found[1] if found is not None and found[0] == stamp else None

    def _size(self) -> int:
        return sum(matrix.vectors.nbytes for _, matrix in self._by_view.values())
