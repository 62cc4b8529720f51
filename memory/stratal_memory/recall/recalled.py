"""What was put before the model earlier in a conversation."""

from stratal_memory.records import Memory, Status
from stratal_memory.store import Store
from stratal_memory.truth import memories, recalls
from stratal_memory.truth.access import visible
from stratal_memory.truth.schema import memories as table

_ANY = tuple(status for status in Status if status is not Status.ERASED)


def recalled_before(store: Store, session: str) -> list[Memory]:
    """Every memory that was recalled in `session` so far, by a turn or by a tool."""
    with store.read() as connection:
        ids = recalls.recalled_in(connection, session)
        where = visible(store.reach, statuses=_ANY) & table.c.id.in_(ids)
        return memories.select_memories(connection, where)
