"""Recalls: which memories were put before the model, and what came of each.

They are never learned again, and what the answer did with them tells how useful they are.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, insert, select, update

from stratal_memory.outcomes import Decided, Outcome
from stratal_memory.records import Status
from stratal_memory.truth import sqlite
from stratal_memory.truth.access import Reach, visible
from stratal_memory.truth.schema import memories, recalls, turns
from stratal_memory.truth.sqlite import Prepared

NEVER = datetime.max.replace(tzinfo=UTC)
_ANY = tuple(status for status in Status if status is not Status.ERASED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """The memories of a turn, and what came of each; None while that is not known."""

    turn: str
    started: datetime = NEVER  # as far as the log knows
    outcomes: dict[str, Outcome | None] = field(default_factory=dict[str, Outcome | None])


class Recalled(NamedTuple):
    """A version of a memory as far as it is needed to tell what came of it."""

    id: str
    key: str
    text: str
    value: str
    status: str


_DECIDE = (
    update(recalls)
    .where(recalls.c.turn == bindparam("in_turn"), recalls.c.memory == bindparam("which"))
    .values(
        outcome=bindparam("new_outcome"),
        overlap=bindparam("new_overlap"),
        decided_at=bindparam("at"),
    )
)
_BEGAN = select(turns.c.first_seq).where(turns.c.id == bindparam("in_turn")).scalar_subquery()
_EARLIER = (
    select(turns.c.id)
    .where(turns.c.session == bindparam("in_session"), turns.c.first_seq < _BEGAN)
    .order_by(turns.c.first_seq.desc())
    .limit(1)
    .scalar_subquery()
)
_LATELY = (
    select(turns.c.id, turns.c.started, recalls.c.memory, recalls.c.outcome)
    .join(recalls, recalls.c.turn == turns.c.id)
    .where(turns.c.id.in_([bindparam("in_turn"), _EARLIER]))
)


def keep_recalls(connection: Connection, turn: str, scored: Sequence[tuple[str, float]]) -> None:
    """Note the memories, with their scores, that a turn put before the model; once a turn each."""
    known = set(
        connection.execute(select(recalls.c.memory).where(recalls.c.turn == turn)).scalars()
    )
    rows = [
        {"turn": turn, "memory": memory, "score": score}
        for memory, score in dict(scored).items()
        if memory not in known
    ]
    if rows:
        connection.execute(insert(recalls), rows)


def recalled_in(connection: Connection, session: str) -> list[str]:
    """The ids of all memories recalled in a conversation."""
    found = connection.execute(
        select(recalls.c.memory)
        .distinct()
        .join(turns, turns.c.id == recalls.c.turn)
        .where(turns.c.session == session)
        .order_by(recalls.c.memory)
    )
    return list(found.scalars())


def lately(connection: Connection, session: str, turn: str) -> tuple[Logged, Logged | None]:
    """What is logged of a turn, and of the one of its conversation that began last before it.

    None for the second where nothing was recalled in it.
    """
    found = connection.execute(_LATELY, {"in_session": session, "in_turn": turn}).all()
    here, there = Logged(turn=turn), None
    for id, started, memory, outcome in found:
        if id == turn:
            here.outcomes[memory] = Outcome(outcome) if outcome else None
        else:
            there = there or Logged(turn=id, started=started)
            there.outcomes[memory] = Outcome(outcome) if outcome else None
    return here, there


def told(connection: Connection, reach: Reach, ids: Collection[str]) -> dict[str, Recalled]:
    """Those of the memories that are within reach, by id, whatever became of them."""
    if not ids:
        return {}
    found = _told(reach).run(connection, sorted(ids))
    return {row[0]: Recalled._make(row) for row in found}


@lru_cache(maxsize=1_024)
def _told(reach: Reach) -> Prepared:
    wanted, column = sqlite.listed(), memories.c
    columns = [column.id, column.key, column.text, column.value, column.status]
    rows = wanted.join(memories, column.id == wanted.c.value)
    return Prepared(select(*columns).select_from(rows).where(visible(reach, statuses=_ANY)))


def decide(connection: Connection, turn: str, found: Sequence[Decided], *, at: datetime) -> None:
    """Note what came of memories in a turn; what was noted before is replaced."""
    rows = [
        {
            "in_turn": turn,
            "which": one.memory,
            "new_outcome": one.outcome,
            "new_overlap": one.overlap,
            "at": at,
        }
        for one in found
    ]
    if rows:
        connection.execute(_DECIDE, rows)
