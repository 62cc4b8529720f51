"""What was held as provisional and never confirmed is let go."""

from datetime import timedelta

from sqlalchemy import and_

from stratal_memory.consolidation.report import Change
from stratal_memory.records import Form, Status
from stratal_memory.store import Store
from stratal_memory.truth import memories
from stratal_memory.truth.access import visible
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import memories as table

PROVISIONAL_LIFE = timedelta(days=30)


def expire(store: Store, journal: Journal) -> tuple[int, list[Change]]:
    """How many provisional facts there are, and those that ended."""
    provisional = visible(store.reach, forms=(Form.FACT,), statuses=(Status.PROVISIONAL,))
    found = memories.select_memories(journal.connection, provisional)
    old = memories.select_memories(
        journal.connection,
        and_(
            provisional,
            table.c.recorded_at < journal.at - PROVISIONAL_LIFE,
            table.c.pinned.is_(False),
        ),
    )
    reason = f"not confirmed in {PROVISIONAL_LIFE.days} days"
    for memory in old:
        journal.close(memory, status=Status.RETRACTED, reason=reason)
    return len(found), [
        Change(step="expire", action="expired", before=memory.text, after="", reason=reason)
        for memory in old
    ]
