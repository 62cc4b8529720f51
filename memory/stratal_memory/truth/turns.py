"""Turns: one request of a user and how far its answer came."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, RowMapping, bindparam, insert, select, update

from stratal_memory.records import Session, TurnState, new_id
from stratal_memory.truth.schema import turns

# Built once: see `messages`. What is not among them a new turn does not have yet.
_LATER = ("ended", "ledger", "usage", "first_seq", "attempt")
_START = insert(turns).values(
    {column.name: bindparam(column.name) for column in turns.c if column.name not in _LATER}
)
_WHOSE = select(turns).where(
    turns.c.user == bindparam("of_user"), turns.c.agent == bindparam("of_agent")
)
_BY_REQUEST = _WHOSE.where(turns.c.request_id == bindparam("name"))
_BY_ID = _WHOSE.where(turns.c.id == bindparam("name"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn as it stands in the truth."""

    id: str
    session: str
    request_id: str
    state: TurnState
    model: str
    owner: str  # the process that works on it, or did
    started: datetime
    ledger: str  # JSON; empty until a request was assembled
    usage: str
    first_seq: int = 0  # the row of its first message; 0 before there is one
    attempt: str = ""  # the beginning of an answer that was cut off; never the answer


def start_turn(
    connection: Connection,
    session: Session,
    *,
    request_id: str,
    model: str,
    at: datetime,
    owner: str = "",
) -> Turn:
    """A new open turn; the caller checked that the request id is new."""
    turn = Turn(
        id=new_id("turn"),
        session=session.id,
        request_id=request_id,
        state=TurnState.OPEN,
        model=model,
        owner=owner,
        started=at,
        ledger="",
        usage="",
    )
    connection.execute(
        _START,
        {
            "id": turn.id,
            "session": session.id,
            "user": session.user,
            "agent": session.agent,
            "request_id": request_id,
            "state": turn.state,
            "model": model,
            "owner": owner,
            "started": at,
        },
    )
    return turn


def find_turn(
    connection: Connection,
    *,
    user: str,
    agent: str,
    request_id: str | None = None,
    id: str | None = None,
) -> Turn | None:
    """A turn of this user and agent by its request id or its id."""
    whose = {"of_user": user, "of_agent": agent, "name": request_id if id is None else id}
    found = connection.execute(_BY_REQUEST if id is None else _BY_ID, whose)
    row = found.mappings().first()
    return None if row is None else _turn(row)


def last_turn(connection: Connection, session: str) -> Turn | None:
    """The turn of a conversation that began last; None before anything was said."""
    row = (
        connection.execute(
            select(turns)
            .where(turns.c.session == session, turns.c.first_seq.is_not(None))
            .order_by(turns.c.first_seq.desc())  # a clock may stand still or go back
            .limit(1)
        )
        .mappings()
        .first()
    )
    return None if row is None else _turn(row)


def _turn(fields: RowMapping) -> Turn:
    return Turn(
        id=fields["id"],
        session=fields["session"],
        request_id=fields["request_id"],
        state=TurnState(fields["state"]),
        model=fields["model"],
        owner=fields["owner"],
        started=fields["started"],
        ledger=fields["ledger"] or "",
        usage=fields["usage"] or "",
        first_seq=fields["first_seq"] or 0,
        attempt=fields["attempt"] or "",
    )


def close_turn(
    connection: Connection, turn: str, *, state: TurnState, at: datetime, usage: str
) -> None:
    """End a turn."""
    connection.execute(
        update(turns).where(turns.c.id == turn).values(state=state, ended=at, usage=usage)
    )


def open_turns(connection: Connection, session: str) -> list[Turn]:
    """The turns of a conversation that have no answer yet: going on, or cut off by a crash."""
    found = connection.execute(
        select(turns).where(turns.c.session == session, turns.c.state == TurnState.OPEN)
    )
    return [_turn(row) for row in found.mappings()]


def reopen_turn(connection: Connection, turn: str, *, owner: str) -> None:
    """Let a turn that was cut off go on, in the hands of `owner`."""
    connection.execute(
        update(turns)
        .where(turns.c.id == turn)
        .values(state=TurnState.OPEN, ended=None, owner=owner)
    )


def abort_turn(connection: Connection, turn: str, *, at: datetime, attempt: str = "") -> None:
    """Mark a turn as cut off, if it is open; a finished one stays finished.

    `attempt` is what was written of its answer by then; the last such beginning is kept.
    """
    ended = {"state": TurnState.ABORTED, "ended": at}
    connection.execute(
        update(turns)
        .where(turns.c.id == turn, turns.c.state == TurnState.OPEN)
        .values(ended | ({"attempt": attempt} if attempt else {}))
    )
