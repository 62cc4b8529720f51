"""What is made of other memories and cites them: observations, and days and weeks of episodes.

They follow what they cite: when that falls they fall, and undo looks at that alone.
"""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, and_, or_, select

from stratal_memory.records import Form, Memory, Status
from stratal_memory.truth.memories import PAGE, select_memories
from stratal_memory.truth.schema import evidence, memories
from stratal_memory.truth.vectors import LIVE


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


def outlived(connection: Connection, ids: Sequence[str]) -> list[Memory]:
    """Those of `ids` that stand and cite what does not, or tell what a newer one tells too."""
    found: list[Memory] = []
    for start in range(0, len(ids), PAGE):
        page = memories.c.id.in_(ids[start : start + PAGE])
        here = and_(page, derived(), memories.c.status == Status.ACTIVE)
        found += select_memories(connection, here)
    return [one for one in found if not _rests(connection, one) or _told_anew(connection, one)]


def _rests(connection: Connection, memory: Memory) -> bool:
    refs = {seen.ref for seen in memory.evidence}
    here = and_(memories.c.id.in_(sorted(refs)), memories.c.status.in_(LIVE))
    return set(connection.execute(select(memories.c.id).where(here)).scalars()) == refs


def _told_anew(connection: Connection, memory: Memory) -> bool:
    """Whether a later one is about the same, or an observation of some of the same facts."""
    refs = sorted({seen.ref for seen in memory.evidence})
    shares = memories.c.id.in_(select(evidence.c.memory).where(evidence.c.ref.in_(refs)))
    alike = memories.c.facet == memory.facet
    later = and_(
        memories.c.key != memory.key,
        memories.c.scope_kind == memory.scope.kind,
        memories.c.scope_id == memory.scope.id,
        memories.c.agent == memory.agent,
        memories.c.form == memory.form,
        memories.c.status == Status.ACTIVE,
        memories.c.recorded_at > memory.recorded_at,
        or_(shares, alike) if memory.form is Form.OBSERVATION else alike,
    )
    return connection.execute(select(memories.c.id).where(later).limit(1)).first() is not None
