"""What was put before the model earlier in a conversation."""

from stratal_memory.records import Memory, Status
from stratal_memory.store import Store
from stratal_memory.truth import memories, recalls
from stratal_memory.truth.access import visible
from stratal_memory.truth.schema import memories as table

PAGE = 10_000  # ids of one statement; SQLite takes 32,766 values
_ANY = tuple(status for status in Status if status is not Status.ERASED)


def recalled_before(store: Store, session: str) -> frozenset[str]:
    """The ids of all that was recalled in `session` so far, by a turn or by a tool."""
    with store.read() as connection:
        return frozenset(recalls.recalled_in(connection, session))


def memories_of(store: Store, recalled: frozenset[str]) -> list[Memory]:
    """Those of the memories that are within reach, whatever became of them."""
    ids = sorted(recalled)
    with store.read() as connection:
        found: list[Memory] = []
        for start in range(0, len(ids), PAGE):
            page = table.c.id.in_(ids[start : start + PAGE])
            where = visible(store.reach, statuses=_ANY) & page
            found += memories.select_memories(connection, where)
        return found
