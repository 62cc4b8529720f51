"""What else a new statement ends: its opposite, and what filled the same role by another name."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlalchemy import and_

from stratal_memory.facets import akin
from stratal_memory.learning.statement import Action, Resolution, Statement
from stratal_memory.records import TRUST_ORDER, Form, Memory, Status, Trust
from stratal_memory.text import text_hash
from stratal_memory.truth import memories
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.vectors import LIVE

OPPOSITES = {"preference": "dislike", "dislike": "preference"}  # of one value only one holds


def outranks(one: Trust, other: Trust) -> bool:
    """Whether the first source is trusted more."""
    return TRUST_ORDER.index(one) < TRUST_ORDER.index(other)


@dataclass(frozen=True, slots=True)
class _Way:
    """How a rival is ended."""

    facets: frozenset[str]
    status: Status
    rivals: Callable[[Memory], bool]
    told: Callable[[Memory], str]


def end_rivals(journal: Journal, statement: Statement, done: Resolution) -> Resolution:
    """What becomes of a statement that was just written where a rival of it is known.

    To like a thing ends that one disliked it; a new girlfriend ends that somebody is the wife. The
    one that was said later stands; what is trusted more is contested and not ended.
    """
    for way in (_opposites(statement), _namesakes(statement)):
        if way is not None and done.memory.status is Status.ACTIVE:
            done = _end(journal, way, statement, done)
    return done


def _opposites(statement: Statement) -> _Way | None:
    head, dot, rest = statement.facet.partition(".")
    if head not in OPPOSITES or not statement.value:
        return None
    same = text_hash(statement.value)
    return _Way(
        facets=frozenset({f"{OPPOSITES[head]}{dot}{rest}"}),
        status=Status.RETRACTED,
        rivals=lambda one: text_hash(one.value) == same,
        told=lambda by: f"no longer true: “{by.text}”",
    )


def _namesakes(statement: Statement) -> _Way | None:
    """Of a role that one fills at a time: what is known of it by its other names."""
    others = akin(statement.facet) - {statement.facet}
    if not statement.single_valued or not others:
        return None
    ref = statement.evidence.ref
    return _Way(
        facets=others,
        status=Status.SUPERSEDED,
        rivals=lambda one: all(seen.ref != ref for seen in one.evidence),
        told=lambda by: f"replaced by “{by.value or by.text}”",
    )


def _end(journal: Journal, way: _Way, statement: Statement, done: Resolution) -> Resolution:
    for memory in _live(journal, statement, way.facets):
        if not way.rivals(memory):
            continue
        if outranks(memory.trust, statement.trust):
            reason = f"disagrees with {memory.id}, whose source is trusted more"
            contested = replace(done.memory, status=Status.CONTESTED)
            journal.amend(done.memory, contested, reason=reason)
            return Resolution(Action.CONTESTED, contested, reason)
        if memory.valid_from > max(
            statement.valid_from, statement.holds_at or statement.valid_from
        ):
            _close(journal, way, done.memory, memory)
            return Resolution(Action.LATE, done.memory, f"was true before {memory.id}")
        _close(journal, way, memory, done.memory)
    return done


def _close(journal: Journal, way: _Way, ended: Memory, by: Memory) -> None:
    until = max(ended.valid_from, by.valid_from)
    journal.close(ended, status=way.status, reason=way.told(by), valid_to=until)


def _live(journal: Journal, statement: Statement, facets: frozenset[str]) -> list[Memory]:
    where = and_(
        table.c.scope_kind == statement.scope.kind,
        table.c.scope_id == statement.scope.id,
        table.c.form == Form.FACT,
        table.c.status.in_(LIVE),
        table.c.facet.in_(sorted(facets)),
    )
    return memories.select_memories(journal.connection, where)
