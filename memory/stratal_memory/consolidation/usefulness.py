"""The confidence of facts follows what the user's turns showed of them, within bounds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, Connection, and_

from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.report import Change
from stratal_memory.consolidation.step import Item, Plan
from stratal_memory.learning.usefulness import STEPS, credit, fed_confidence
from stratal_memory.records import Form, Memory, ScopeKind, Status
from stratal_memory.store import Store
from stratal_memory.truth import memories, usefulness
from stratal_memory.truth.access import visible
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.usefulness import Tally

SAME = 1e-9  # confidences nearer than this are one


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """One fact whose confidence is to follow its counts, both as they were when it was planned."""

    memory: Memory
    tally: Tally
    confidence: float  # what it would be


def plan(night: Night) -> Plan:
    """An item for each fact whose confidence is to follow what its use has shown."""
    with night.read() as connection:
        found = feeds(night.store, connection)
    return Plan(items=[_item(night, one) for one in found], looked_at=len(found))


def _item(night: Night, one: Feed) -> Item:
    def do(journal: Journal) -> list[Change]:
        change = feed(night.store, journal, one)
        return [change] if change is not None else []

    return Item(do)


def feeds(store: Store, connection: Connection) -> list[Feed]:
    """The user's own active facts whose counts move their confidence, by key; writes nothing.

    Planned again after some were done it gives the rest.
    """
    waiting = {
        one.key: one
        for one in usefulness.unfed(connection, user=store.user, uses=STEPS[0])
        if credit(one.counts.used) > credit(one.fed_used)
        or one.counts.corrected > one.fed_corrected
    }
    found = (_feed(fact, waiting[fact.key]) for fact in _facts(store, connection, sorted(waiting)))
    return [one for one in found if _moves(one)]


def feed(store: Store, journal: Journal, item: Feed) -> Change | None:
    """Move one confidence, in the journal's transaction; None when the fact or its counts changed.

    Its standing stays: use makes nothing active, and doubt alone ends nothing.
    """
    here = _own(store) & (table.c.id == item.memory.id)
    now = memories.select_memories(journal.connection, here)
    known = usefulness.of_keys(journal.connection, user=store.user, keys=[item.tally.key])
    if now != [item.memory] or known.get(item.tally.key) != item.tally:
        return None
    reason = _why(item)
    journal.amend(item.memory, replace(item.memory, confidence=item.confidence), reason=reason)
    usefulness.mark_fed(journal, item.memory, item.tally, reason=reason)
    return Change(
        step="usefulness",
        action="adjusted",
        before=item.memory.text,
        after=item.memory.text,
        reason=f"{reason}: confidence {item.memory.confidence:.2f}, now {item.confidence:.2f}",
        evidence=(item.memory.id,),
    )


def _own(store: Store) -> ColumnElement[bool]:
    """The user's own active facts: what others share nobody raises or lowers by using it."""
    scope = store.reach.principal.scope(ScopeKind.USER)
    return and_(
        visible(store.reach, forms=(Form.FACT,), statuses=(Status.ACTIVE,)),
        table.c.scope_kind == scope.kind,
        table.c.scope_id == scope.id,
    )


def _facts(store: Store, connection: Connection, keys: Sequence[str]) -> list[Memory]:
    return [
        fact
        for start in range(0, len(keys), memories.PAGE)
        for fact in memories.select_memories(
            connection, _own(store) & table.c.key.in_(keys[start : start + memories.PAGE])
        )
    ]


def _feed(memory: Memory, tally: Tally) -> Feed:
    confidence = fed_confidence(
        memory, tally.counts, fed_used=tally.fed_used, fed_corrected=tally.fed_corrected
    )
    return Feed(memory=memory, tally=tally, confidence=confidence)


def _moves(one: Feed) -> bool:
    return abs(one.confidence - one.memory.confidence) > SAME


def _why(one: Feed) -> str:
    denied = one.tally.counts.of(one.memory.id).corrected
    if one.confidence < one.memory.confidence:
        return f"called wrong by the user {'once' if denied == 1 else f'{denied} times'}"
    return f"used in {one.tally.counts.used} answers"
