"""What is made of other memories and cites them: observations, and days and weeks of episodes.

They follow what they cite: when that falls they fall, and undo looks at that alone.
"""

from sqlalchemy import ColumnElement, Connection, and_, or_, select

from stratal_memory.records import Form, Memory, Status
from stratal_memory.truth.memories import select_memories
from stratal_memory.truth.schema import evidence, memories


def is_derived(memory: Memory) -> bool:
    """Whether it is made of other memories, which it cites; `derived` says it for the database."""
    rolled_up = memory.form is Form.EPISODE and bool(memory.facet)
    return rolled_up or memory.form is Form.OBSERVATION


def derived() -> ColumnElement[bool]:
    """What `is_derived` says, for the database."""
    rolled_up = and_(memories.c.form == Form.EPISODE, memories.c.facet != "")
    return or_(memories.c.form == Form.OBSERVATION, rolled_up)


def derived_from(connection: Connection, id: str) -> list[Memory]:
    """Those that stand and cite this version."""
    cites = select(evidence.c.memory).where(evidence.c.ref == id)
    here = and_(memories.c.id.in_(cites), derived(), memories.c.status == Status.ACTIVE)
    return select_memories(connection, here)
