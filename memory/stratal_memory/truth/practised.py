"""What was done with tools, turn by turn, and how it ended: what procedures are learned from."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Connection, RowMapping, Table, bindparam, insert, select, update

from stratal_memory.records import Trust
from stratal_memory.truth.schema import memories, recalls, turns
from stratal_memory.truth.schema_procedures import procedure_episodes, procedure_outcomes

UNTRUSTED = (Trust.TOOL, Trust.DOCUMENT, Trust.WEB)


class Outcome(StrEnum):
    """How a turn ended into which a procedure was put."""

    PENDING = "pending"  # the user has not said anything since
    SUCCESS = "success"
    FAILURE = "failure"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class PractisedTurn:
    """A turn of several tool calls; `steps` is JSON and holds no values."""

    turn: str
    session: str = ""  # known from the turn
    tools: str
    signature: str
    steps: str
    ok: bool | None  # None until the user's next message
    why: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """A turn into which a stored procedure was put, and how it ended."""

    turn: str
    procedure: str
    version: int
    outcome: Outcome
    why: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A turn whose end is not known yet."""

    turn: str
    session: str
    ended: datetime


_OPEN = (
    select(procedure_episodes.c.turn)
    .where(procedure_episodes.c.ok.is_(None))
    .union(select(procedure_outcomes.c.turn).where(procedure_outcomes.c.outcome == Outcome.PENDING))
    .subquery()
)
# From the few that are open to their turns: never through all turns of a user.
_WAITING = (
    select(turns.c.id, turns.c.session, turns.c.ended, turns.c.started)
    .select_from(_OPEN.join(turns, turns.c.id == _OPEN.c.turn))
    .where(
        turns.c.user == bindparam("of_user"),
        turns.c.agent == bindparam("of_agent"),
    )
    .order_by(turns.c.first_seq)
)


def waiting(connection: Connection, *, user: str, agent: str) -> list[Waiting]:
    """The turns of one user and agent whose end is not known yet, oldest first."""
    found = connection.execute(_WAITING, {"of_user": user, "of_agent": agent})
    return [
        Waiting(turn=row.id, session=row.session, ended=row.ended or row.started) for row in found
    ]


def note_episode(connection: Connection, episode: PractisedTurn) -> None:
    """Keep what was done in a turn; once a turn."""
    values = {
        "turn": episode.turn,
        "tools": episode.tools,
        "signature": episode.signature,
        "steps": episode.steps,
        "ok": episode.ok,
        "why": episode.why,
        "at": episode.at,
    }
    _once(connection, procedure_episodes, values)


def _once(connection: Connection, table: Table, values: Mapping[str, object]) -> None:
    """A row about a turn, unless there is one."""
    known = select(table.c.turn).where(table.c.turn == values["turn"])
    if connection.execute(known).first() is None:
        connection.execute(insert(table).values(values))


def of_tools(
    connection: Connection, *, user: str, agent: str, tools: str, limit: int
) -> list[PractisedTurn]:
    """The latest episodes with these tools in this order, newest first, whatever their end."""
    query = (
        select(procedure_episodes, turns.c.session)
        .join(turns, turns.c.id == procedure_episodes.c.turn)
        .where(procedure_episodes.c.tools == tools, turns.c.user == user, turns.c.agent == agent)
        .order_by(procedure_episodes.c.at.desc(), procedure_episodes.c.turn)
        .limit(limit)
    )
    return [_episode(row) for row in connection.execute(query).mappings()]


def of_signature(
    connection: Connection, *, user: str, agent: str, signature: str
) -> list[PractisedTurn]:
    """The episodes of one bucket, oldest first, whatever their end."""
    query = (
        select(procedure_episodes, turns.c.session)
        .join(turns, turns.c.id == procedure_episodes.c.turn)
        .where(
            procedure_episodes.c.signature == signature,
            turns.c.user == user,
            turns.c.agent == agent,
        )
        .order_by(procedure_episodes.c.at, procedure_episodes.c.turn)
    )
    return [_episode(row) for row in connection.execute(query).mappings()]


def episode_of(connection: Connection, turn: str) -> PractisedTurn | None:
    """What is kept of a turn; None when it was no episode."""
    query = (
        select(procedure_episodes, turns.c.session)
        .join(turns, turns.c.id == procedure_episodes.c.turn)
        .where(procedure_episodes.c.turn == turn)
    )
    row = connection.execute(query).mappings().first()
    return None if row is None else _episode(row)


def settle_episode(connection: Connection, turn: str, *, ok: bool, why: str) -> None:
    """Say how an episode ended, unless that is known."""
    connection.execute(
        update(procedure_episodes)
        .where(procedure_episodes.c.turn == turn, procedure_episodes.c.ok.is_(None))
        .values(ok=ok, why=why)
    )


def refuse_episode(connection: Connection, turn: str, *, why: str) -> None:
    """Nothing is ever learned from this episode, however it ended."""
    connection.execute(
        update(procedure_episodes)
        .where(procedure_episodes.c.turn == turn)
        .values(ok=False, why=why)
    )


def note_outcome(connection: Connection, used: Used) -> None:
    """Keep that a procedure was put into a turn; once a turn."""
    values = {
        "turn": used.turn,
        "procedure": used.procedure,
        "version": used.version,
        "outcome": used.outcome,
        "why": used.why,
        "at": used.at,
    }
    _once(connection, procedure_outcomes, values)


def settle_outcome(
    connection: Connection, turn: str, *, outcome: Outcome, why: str, at: datetime
) -> None:
    """Say how a turn with a procedure ended, unless that is known."""
    connection.execute(
        update(procedure_outcomes)
        .where(
            procedure_outcomes.c.turn == turn,
            procedure_outcomes.c.outcome == Outcome.PENDING,
        )
        .values(outcome=outcome, why=why, at=at)
    )


def outcomes_of(connection: Connection, procedure: str) -> list[Used]:
    """The turns into which any version of a procedure was put, oldest first."""
    c = procedure_outcomes.c
    found = connection.execute(
        select(procedure_outcomes).where(c.procedure == procedure).order_by(c.at, c.turn)
    )
    return [_used(row) for row in found.mappings()]


def outcome_of(connection: Connection, turn: str) -> Used | None:
    """The procedure that was put into a turn, and how that ended; None when none was."""
    query = select(procedure_outcomes).where(procedure_outcomes.c.turn == turn)
    row = connection.execute(query).mappings().first()
    return None if row is None else _used(row)


def untrusted_recalled(connection: Connection, session: str) -> list[str]:
    """The texts of memories below the assistant's trust that a conversation was shown."""
    shown = select(recalls.c.memory).join(turns, turns.c.id == recalls.c.turn)
    found = connection.execute(
        select(memories.c.text)
        .where(
            memories.c.id.in_(shown.where(turns.c.session == session)),
            memories.c.trust.in_(UNTRUSTED),
        )
        .order_by(memories.c.seq)
    )
    return list(found.scalars())


def _episode(fields: RowMapping) -> PractisedTurn:
    return PractisedTurn(
        turn=fields["turn"],
        session=fields["session"],
        tools=fields["tools"],
        signature=fields["signature"],
        steps=fields["steps"],
        ok=fields["ok"],
        why=fields["why"],
        at=fields["at"],
    )


def _used(fields: RowMapping) -> Used:
    return Used(
        turn=fields["turn"],
        procedure=fields["procedure"],
        version=fields["version"],
        outcome=Outcome(fields["outcome"]),
        why=fields["why"],
        at=fields["at"],
    )
