"""What consolidation does to facts that stand: each is small, can be written down, and can wait.

An operation names the versions it rests on. Done at once or weeks later by a person's word, it
looks at them again, and does nothing when one of them is not as it was.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter
from sqlalchemy import ColumnElement, Connection, and_

from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.report import Change
from stratal_memory.learning.family import told, voices_of
from stratal_memory.learning.settling import settle
from stratal_memory.learning.trust import confidence_of, voices
from stratal_memory.records import Form, Memory, ScopeKind, Status
from stratal_memory.store import Store
from stratal_memory.truth import memories, sqlite
from stratal_memory.truth.access import visible
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.vectors import LIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Two facts say the same: the first takes the other's evidence."""

    kept: str
    other: str
    op: Literal["merge"] = "merge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Facts about one thing that has one value: brought into the order of their dates."""

    ids: tuple[str, ...]
    op: Literal["order"] = "order"


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """A fact is no longer held: nobody confirmed it, its time is over, or it faded."""

    memory: str
    reason: str
    status: Status = Status.RETRACTED
    op: Literal["end"] = "end"


Operation = Merge | Order | End
_ADAPTER: TypeAdapter[Operation] = TypeAdapter(Annotated[Operation, Field(discriminator="op")])


def operation_json(operation: Operation) -> str:
    """The operation as a held change keeps it."""
    return _ADAPTER.dump_json(operation).decode()


def operation_of(text: str) -> Operation:
    """The operation that `operation_json` wrote."""
    return _ADAPTER.validate_json(text)


def own(store: Store) -> ColumnElement[bool]:
    """The user's own facts, whatever their status: nobody else's are consolidated."""
    scope = store.reach.principal.scope(ScopeKind.USER)
    return and_(
        visible(store.reach, forms=(Form.FACT,), statuses=tuple(Status)),
        table.c.scope_kind == scope.kind,
        table.c.scope_id == scope.id,
    )


def facts_of(night: Night, connection: Connection) -> list[Memory]:
    """The user's own facts that stand, in the order they were recorded.

    Read once for all steps of a call between which nothing was written.
    """
    stamp = sqlite.stamp(connection)
    if night.seen.stamp != stamp:
        live = and_(own(night.store), table.c.status.in_(LIVE))
        night.seen.facts = tuple(memories.select_memories(connection, live))
        night.seen.stamp = stamp
    return list(night.seen.facts)


def standing(store: Store, connection: Connection, ids: Sequence[str]) -> dict[str, Memory]:
    """Those of `ids` that are facts of the user, as they are now."""
    return {
        fact.id: fact
        for start in range(0, len(ids), memories.PAGE)
        for fact in memories.select_memories(
            connection, and_(own(store), table.c.id.in_(ids[start : start + memories.PAGE]))
        )
    }


def perform(
    store: Store, journal: Journal, operation: Operation, *, planned: dict[str, Memory] | None
) -> list[Change]:
    """Do it, if what it rests on is as `planned` (None: as long as it stands); else nothing.

    `planned` follows what was done, so that the next operation of a plan may rest on it.
    """
    match operation:
        case Merge():
            return _merge(store, journal, operation, planned)
        case Order():
            return _order(store, journal, operation, planned)
        case End():
            return _end(store, journal, operation, planned)


def _found(
    store: Store, journal: Journal, ids: Sequence[str], planned: dict[str, Memory] | None
) -> list[Memory] | None:
    """The versions in the order asked for; None when one is gone, closed, or not as planned."""
    now = standing(store, journal.connection, ids)
    found = [now[id] for id in ids if id in now and now[id].retired_at is None]
    if len(found) < len(ids):
        return None
    if planned is not None and any(one != planned.get(one.id) for one in found):
        return None
    return found


def _merge(
    store: Store, journal: Journal, merge: Merge, planned: dict[str, Memory] | None
) -> list[Change]:
    found = _found(store, journal, (merge.kept, merge.other), planned)
    if found is None or any(one.status is not Status.ACTIVE for one in found):
        return []
    kept, other = found
    merged = _merged(journal, kept, other)
    if planned is not None:
        planned[merged.id] = merged
        planned.pop(other.id, None)
    change = Change(
        step="reconcile",
        action="merged",
        before=other.text,
        after=merged.text,
        reason=f"both say the same; {merged.support} statements support it",
        evidence=tuple(seen.ref for seen in merged.evidence),
    )
    return [change]


def _merged(journal: Journal, kept: Memory, other: Memory) -> Memory:
    known = {seen.ref for seen in kept.evidence}
    fresh = [seen for seen in told(other) if seen.ref not in known]
    if fresh:
        said = [*voices_of(kept), *voices_of(other)]
        raised = replace(
            kept,
            confidence=confidence_of(kept.trust, said),
            support=len(voices(said)),
        )
        journal.amend(kept, raised, seen=fresh, reason=f"merged with “{other.text}”")
    journal.close(other, status=Status.SUPERSEDED, reason=f"says the same as {kept.id}")
    [merged] = memories.select_memories(journal.connection, table.c.id == kept.id)
    if other.pinned and not kept.pinned:
        journal.pin(merged, pinned=True, reason="what it was merged with was pinned")
        [merged] = memories.select_memories(journal.connection, table.c.id == kept.id)
    return merged


def _order(
    store: Store, journal: Journal, order: Order, planned: dict[str, Memory] | None
) -> list[Change]:
    found = _found(store, journal, order.ids, planned)
    if found is None:
        return []
    settle(journal, found)
    after = standing(store, journal.connection, order.ids)
    left = [after[id] for id in order.ids if id in after and after[id].retired_at is None]
    if len(left) == len(found) and all(one.status is Status.ACTIVE for one in left):
        return []  # they are true one after the other, or of different times
    contested = len(left) > 1
    gone = [one for one in found if one.id not in {each.id for each in left}] or found
    change = Change(
        step="contradictions",
        action="contested" if contested else "closed",
        before="; ".join(one.text for one in (found if contested else gone)),
        after="; ".join(one.text for one in left),
        reason="they can't both be true now, and "
        + ("neither is newer and as trusted" if contested else "the later one stands"),
        evidence=tuple(one.id for one in found),
    )
    return [change]


def _end(
    store: Store, journal: Journal, end: End, planned: dict[str, Memory] | None
) -> list[Change]:
    found = _found(store, journal, (end.memory,), planned)
    if found is None or found[0].pinned:
        return []
    [memory] = found
    past = end.status is Status.SUPERSEDED  # it was true, and is over
    journal.close(
        memory,
        status=end.status,
        reason=end.reason,
        valid_to=journal.at if past and memory.valid_to is None else None,
    )
    change = Change(
        step="",
        action="expired",
        before=memory.text,
        after="",
        reason=end.reason,
        evidence=tuple(seen.ref for seen in memory.evidence),
    )
    return [change]
