"""Where a new statement meets what is known in its scope: new, again, instead of, or no more."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, and_

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.facets import found_by
from stratal_memory.learning.trust import confidence
from stratal_memory.records import (
    TRUST_ORDER,
    Evidence,
    Form,
    Kind,
    Memory,
    Scope,
    Status,
    Trust,
    new_id,
)
from stratal_memory.text import text_hash
from stratal_memory.truth import memories
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.vectors import LIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement that passed the gate and is about to be remembered."""

    text: str
    scope: Scope
    trust: Trust
    source: str
    valid_from: datetime
    evidence: Evidence
    facet: str = ""
    value: str = ""
    single_valued: bool = False
    correction: bool = False
    retracts: bool = False
    instead_of: str = ""
    session: str = ""
    status: Status = Status.ACTIVE


def found_by_text(statement: Statement) -> str:
    """The text the vector of a statement is made of; what `memories.embeddable` says of it."""
    return found_by(statement.facet, statement.text, statement.evidence.quote)


class Action(StrEnum):
    """What became of a statement."""

    ADDED = "added"
    REINFORCED = "reinforced"
    SUPERSEDED = "superseded"  # it replaced an older value
    CONTESTED = "contested"  # it disagrees with something more trusted; both stay
    LATE = "late"  # it was true earlier; inserted already closed
    RETRACTED = "retracted"  # it ended what was known
    QUARANTINED = "quarantined"  # it is kept apart until a person decides


@dataclass(frozen=True, slots=True)
class Resolution:
    """What was done, to which memory, and why."""

    action: Action
    memory: Memory
    reason: str


def resolve(journal: Journal, statement: Statement, *, vector: Vectors | None) -> Resolution:
    """Remember `statement` in the journal's transaction; the whole scope is looked at."""
    if statement.status is Status.QUARANTINED:
        reason = f"its source is {statement.trust}: kept apart until a person decides"
        return _add(journal, statement, vector, Action.QUARANTINED, reason)
    known = _same_facet(journal, statement)
    if statement.retracts:
        return _retract(journal, statement, known, vector)
    again = _same_text(journal, statement) or _same_value(statement, known)
    if again and not _outranks(statement.trust, again.trust):
        return _reinforce(journal, again, statement)
    rivals = _rivals(statement, known, again)
    if not rivals:
        return _add(journal, statement, vector, Action.ADDED, "first time stated")
    return _instead(journal, statement, rivals, vector)


def _outranks(one: Trust, other: Trust) -> bool:
    return TRUST_ORDER.index(one) < TRUST_ORDER.index(other)


def _facts(statement: Statement) -> ColumnElement[bool]:
    return and_(
        table.c.scope_kind == statement.scope.kind,
        table.c.scope_id == statement.scope.id,
        table.c.form == Form.FACT,
        table.c.status.in_(LIVE),
    )


def _same_facet(journal: Journal, statement: Statement) -> list[Memory]:
    """Live facts about the same thing, newest first."""
    if statement.facet:
        about = table.c.facet == statement.facet
    elif statement.instead_of:
        about = table.c.value == statement.instead_of  # "It's Alyce, not Alice" names no facet
    else:
        return []
    where = and_(_facts(statement), about)
    return memories.select_memories(journal.connection, where, newest_first=True)


def _same_text(journal: Journal, statement: Statement) -> Memory | None:
    where = and_(_facts(statement), table.c.text_hash == text_hash(statement.text))
    found = memories.select_memories(journal.connection, where, limit=1)
    return found[0] if found else None


def _same_value(statement: Statement, known: list[Memory]) -> Memory | None:
    for memory in known:
        if statement.value and _equal(memory.value, statement.value):
            return memory
    return None


def _equal(one: str, other: str) -> bool:
    return text_hash(one) == text_hash(other)


def _rivals(statement: Statement, known: list[Memory], again: Memory | None) -> list[Memory]:
    """The live memories that can't stand beside the new one, newest first.

    `again` says the same and is less trusted: what is trusted more becomes its next version.
    """
    named = [
        memory
        for memory in known
        if statement.instead_of and _equal(memory.value, statement.instead_of)
    ]
    if statement.single_valued:
        rivals = list(known)
    elif named or not statement.correction:
        rivals = named
    else:
        rivals = known[:1]
    if again and all(memory.id != again.id for memory in rivals):
        rivals.append(again)
    return rivals


def _retract(
    journal: Journal, statement: Statement, known: list[Memory], vector: Vectors | None
) -> Resolution:
    """End what is meant; what was never known is noted as a plain sentence that fills no facet."""
    meant = [
        memory for memory in known if not statement.value or _equal(memory.value, statement.value)
    ]
    ended = [memory for memory in meant if not _outranks(memory.trust, statement.trust)]
    if not ended:
        return _note_retraction(journal, statement, meant, vector)
    reason = f"no longer true: “{statement.evidence.quote}”"
    for memory in ended:
        journal.close(
            memory, status=Status.RETRACTED, reason=reason, valid_to=_end(memory, statement)
        )
    return Resolution(Action.RETRACTED, ended[0], reason)


def _note_retraction(
    journal: Journal, statement: Statement, meant: list[Memory], vector: Vectors | None
) -> Resolution:
    again = _same_text(journal, statement)
    if again:
        return _reinforce(journal, again, statement)
    plain = replace(statement, facet="", value="")
    if not meant:
        return _add(journal, plain, vector, Action.ADDED, "nothing known that it could end")
    contested = replace(plain, status=Status.CONTESTED)
    reason = f"can't end {meant[0].id}, whose source is trusted more"
    return _add(journal, contested, vector, Action.CONTESTED, reason)


def _end(memory: Memory, statement: Statement) -> datetime:
    """When `memory` stopped being true; never before it began."""
    return max(memory.valid_from, statement.valid_from)


def _reinforce(journal: Journal, memory: Memory, statement: Statement) -> Resolution:
    """The same again; the same message saying it twice counts once."""
    if TRUST_ORDER.index(statement.trust) > TRUST_ORDER.index(memory.trust):
        return Resolution(Action.REINFORCED, memory, "known from a source that is trusted more")
    if any(seen.ref == statement.evidence.ref for seen in memory.evidence):
        return Resolution(Action.REINFORCED, memory, "known from this very message")
    raised = confidence(memory.trust, support=memory.support + 1)
    reason = f"stated again, {memory.support + 1} times now"
    journal.reinforce(memory, confidence=raised, seen=[statement.evidence], reason=reason)
    return Resolution(Action.REINFORCED, memory, reason)


def _instead(
    journal: Journal, statement: Statement, rivals: list[Memory], vector: Vectors | None
) -> Resolution:
    trusted = [memory for memory in rivals if _outranks(memory.trust, statement.trust)]
    if trusted:
        reason = f"disagrees with {trusted[0].id}, whose source is trusted more"
        contested = replace(statement, status=Status.CONTESTED)
        return _add(journal, contested, vector, Action.CONTESTED, reason)
    settled = [memory for memory in rivals if memory.status is not Status.CONTESTED]
    successor = _successor(statement, settled)
    if successor:
        reason = f"was true before {successor.id}"
        return _add(journal, statement, vector, Action.LATE, reason, successor=successor)
    for memory in rivals:
        journal.close(
            memory,
            status=Status.SUPERSEDED,
            reason=f"replaced by “{statement.value or statement.text}”",
            valid_to=_end(memory, statement),
        )
    replaced = (settled or rivals)[0]
    reason = f"replaces “{replaced.value or replaced.text}”"
    return _add(journal, statement, vector, Action.SUPERSEDED, reason, replaces=replaced)


def _successor(statement: Statement, settled: list[Memory]) -> Memory | None:
    """What was true right after the statement, when it tells of an earlier time.

    Who corrects, or names what is replaced, speaks of now, whatever the dates.
    """
    if statement.correction or statement.instead_of:
        return None
    later = [memory for memory in settled if statement.valid_from < memory.valid_from]
    return min(later, key=lambda memory: memory.valid_from, default=None)


def _add(
    journal: Journal,
    statement: Statement,
    vector: Vectors | None,
    action: Action,
    reason: str,
    *,
    replaces: Memory | None = None,
    successor: Memory | None = None,
) -> Resolution:
    related = replaces or successor
    memory = Memory(
        id=new_id("mem"),
        key=related.key if related else new_id("key"),
        version=memories.next_version(journal.connection, related.key) if related else 1,
        text=statement.text,
        kind=Kind.SEMANTIC,
        form=Form.FACT,
        scope=statement.scope,
        session=statement.session,
        trust=statement.trust,
        status=Status.SUPERSEDED if successor else statement.status,
        confidence=confidence(statement.trust, support=1),
        source=statement.source,
        facet=statement.facet or (related.facet if related else ""),
        value=statement.value,
        supersedes=replaces.id if replaces else "",
        recorded_at=journal.at,
        retired_at=journal.at if successor else None,
        valid_from=statement.valid_from,
        valid_to=successor.valid_from if successor else None,
        evidence=(statement.evidence,),
    )
    journal.add(memory, reason=reason, vector=vector)
    return Resolution(action, memory, reason)
