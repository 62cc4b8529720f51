"""What a person pinned is there whatever is asked: first of its block, in up to half of it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from stratal_memory.recall.candidates import PINNED, Candidate, Verdict
from stratal_memory.recall.ranker import rank
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.recall.unasked import unasked
from stratal_memory.records import Form, Memory, Status
from stratal_memory.store import Store
from stratal_memory.truth import memories
from stratal_memory.truth.access import visible
from stratal_memory.truth.schema import memories as table

READ = 50  # pinned facts that are looked at, the newest
CURRENT = (Status.ACTIVE, Status.CONTESTED)


def pinned_facts(store: Store, connection: Connection) -> list[Memory]:
    """The newest pinned facts within reach."""
    where = visible(store.reach, forms=(Form.FACT,), statuses=CURRENT) & table.c.pinned
    return memories.select_memories(connection, where, limit=READ, newest_first=True)


def pinned_first(
    ranked: Sequence[Candidate],
    pinned: Sequence[Memory],
    *,
    settings: RecallSettings,
    now: datetime,
) -> list[Candidate]:
    """`ranked` with the pinned facts before all else; half the block is theirs, rounded up.

    Of more than that the best scored are taken, then the newest. The others stand where they
    stood, in when they are relevant; the reason says it when they are not.
    """
    if not pinned:
        return list(ranked)
    found = {one.memory.id: one for one in ranked}
    scored = rank(
        found.get(memory.id) or unasked(memory, settings=settings, now=now) for memory in pinned
    )
    taken = scored[: (settings.memory_items + 1) // 2]
    first = [replace(one, verdict=Verdict.IN, reason=PINNED) for one in taken]
    ids = {one.memory.id for one in first}
    over = f"pinned, and over the cap of {len(first)} pinned memories"
    left = {one.memory.id: one.out(over) for one in scored[len(first) :] if not _fits(one, found)}
    rest = [left.pop(one.memory.id, one) for one in ranked if one.memory.id not in ids]
    return [*first, *rest, *left.values()]


def _fits(one: Candidate, found: Mapping[str, Candidate]) -> bool:
    return one.is_in and one.memory.id in found
