"""What a scope of documents lacks for sure, so that a run need not ask for each new file."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from stratal_memory.records import Scope
from stratal_memory.store import Store
from stratal_memory.truth import documents

PATIENCE = 32  # questions that are put to the truth before all it holds is read at once


@dataclass(slots=True)
class Seen:
    """The paths, bytes and passages a scope may hold, as hashes: a few dozen bytes each.

    It may hold less than that, never more: what is written here is added, whatever becomes of the
    transaction. What another process writes meanwhile is found when a document is stored.
    """

    _asked: int = 0
    _held: set[int] | None = field(default=None, repr=False)

    def lacks(self, store: Store, scope: Scope, wanted: Iterable[str]) -> bool:
        """Whether none of these paths and hashes is held; False also where that is not known."""
        self._asked += 1
        if self._held is None:
            if self._asked <= PATIENCE:
                return False
            with store.read() as connection:
                self._held = set(map(hash, documents.marks(connection, scope)))
        return self._held.isdisjoint(map(hash, wanted))

    def add(self, written: Iterable[str]) -> None:
        """Note paths and hashes that are written now."""
        if self._held is not None:
            self._held.update(map(hash, written))

    def forget(self) -> None:
        """Know nothing: more was written than can be named."""
        self._asked, self._held = 0, None
