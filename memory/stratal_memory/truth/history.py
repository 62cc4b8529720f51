"""Sessions, turns, messages and summaries: append-only, and what stays when all else is rebuilt."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, RowMapping, func, insert, or_, select, update

from stratal_memory.records import (
    Message,
    Role,
    Session,
    Summary,
    ToolCall,
    TurnState,
    new_id,
)
from stratal_memory.text import storable
from stratal_memory.truth.schema import messages, recalls, sessions, summaries, turns


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


def start_session(connection: Connection, *, user: str, agent: str, at: datetime) -> Session:
    """A new, empty conversation."""
    session = Session(id=new_id("ses"), user=user, agent=agent, started=at, last_active=at)
    connection.execute(
        insert(sessions).values(
            id=session.id, user=user, agent=agent, title="", started=at, last_active=at
        )
    )
    return session


def find_sessions(
    connection: Connection, *, user: str, agent: str | None = None, id: str | None = None
) -> list[Session]:
    """The conversations of one user, latest first; narrowed to one agent or one id."""
    counted = (
        select(messages.c.session, func.count().label("messages"))
        .group_by(messages.c.session)
        .subquery()
    )
    query = (
        select(sessions, func.coalesce(counted.c.messages, 0).label("messages"))
        .join(counted, counted.c.session == sessions.c.id, isouter=True)
        .where(sessions.c.user == user)
        .order_by(sessions.c.last_active.desc(), sessions.c.id)
    )
    if agent is not None:
        query = query.where(sessions.c.agent == agent)
    if id is not None:
        query = query.where(sessions.c.id == id)
    return [
        Session(
            id=row.id,
            user=row.user,
            agent=row.agent,
            title=row.title,
            started=row.started,
            last_active=row.last_active,
            messages=row.messages,
            episode_of=row.episode_of,
        )
        for row in connection.execute(query)
    ]


def mark_episode(connection: Connection, session: str, *, of: datetime | None) -> None:
    """Note up to which activity a session was turned into an episode."""
    connection.execute(update(sessions).where(sessions.c.id == session).values(episode_of=of))


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
        insert(turns).values(
            id=turn.id,
            session=session.id,
            user=session.user,
            agent=session.agent,
            request_id=request_id,
            state=turn.state,
            model=model,
            owner=owner,
            started=at,
        )
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
    query = select(turns).where(turns.c.user == user, turns.c.agent == agent)
    query = query.where(turns.c.request_id == request_id if id is None else turns.c.id == id)
    row = connection.execute(query).mappings().first()
    return None if row is None else _turn(row)


def last_turn(connection: Connection, session: str) -> Turn | None:
    """The newest turn of a conversation."""
    row = (
        connection.execute(
            select(turns)
            .join(messages, messages.c.turn == turns.c.id)
            .where(turns.c.session == session)
            .order_by(messages.c.seq.desc())  # a clock may stand still or go back
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


def abort_turn(connection: Connection, turn: str, *, at: datetime) -> None:
    """Mark a turn as cut off, if it is open; a finished one stays finished."""
    connection.execute(
        update(turns)
        .where(turns.c.id == turn, turns.c.state == TurnState.OPEN)
        .values(state=TurnState.ABORTED, ended=at)
    )


def keep_ledger(connection: Connection, turn: str, ledger: str) -> None:
    """The ledger of the turn's latest request, as JSON."""
    connection.execute(update(turns).where(turns.c.id == turn).values(ledger=ledger))


def append(
    connection: Connection, turn: Turn, items: Sequence[Message], *, at: datetime
) -> list[Message]:
    """`items` as they are stored, with their ids, at the end of the conversation, in this order.

    Only user, assistant and tool messages are history (P7, P8).
    """
    kept: list[Message] = []
    for item in items:
        assert item.role in (Role.USER, Role.ASSISTANT, Role.TOOL), item.role
        id = item.id or new_id("msg")
        connection.execute(
            insert(messages).values(
                id=id,
                session=turn.session,
                turn=turn.id,
                role=item.role,
                text=storable(item.text),
                tool_calls=json.dumps([asdict(call) for call in item.tool_calls]),
                tool_call_id=item.tool_call_id,
                tool_failed=item.tool_failed,
                reasoning=storable(item.reasoning),
                media=json.dumps(item.media),
                remembered=item.role is Role.TOOL,
                created=at,
            )
        )
        kept.extend(_messages(connection, messages.c.id == id))
    connection.execute(update(sessions).where(sessions.c.id == turn.session).values(last_active=at))
    return kept


def of_session(connection: Connection, session: str, *, after: int = 0) -> list[Message]:
    """The messages of a conversation turn by turn, those of turns that began after row `after`.

    Two turns of one conversation may go on at once; their messages are never mixed.
    """
    began = (
        select(messages.c.turn, func.min(messages.c.seq).label("first"))
        .where(messages.c.session == session)
        .group_by(messages.c.turn)
        .subquery()
    )
    found = connection.execute(
        select(messages)
        .join(began, began.c.turn == messages.c.turn)
        .where(began.c.first > after)
        .order_by(began.c.first, messages.c.seq)
    )
    return [_message(row) for row in found.mappings()]


def of_turn(connection: Connection, turn: str) -> list[Message]:
    """The messages of one turn, oldest first."""
    return _messages(connection, messages.c.turn == turn)


def _messages(connection: Connection, where: ColumnElement[bool]) -> list[Message]:
    found = connection.execute(select(messages).where(where).order_by(messages.c.seq))
    return [_message(row) for row in found.mappings()]


def _message(fields: RowMapping) -> Message:
    return Message(
        id=fields["id"],
        role=Role(fields["role"]),
        text=fields["text"],
        tool_calls=tuple(
            ToolCall(id=call["id"], name=call["name"], arguments=call["arguments"])
            for call in json.loads(fields["tool_calls"])
        ),
        tool_call_id=fields["tool_call_id"],
        tool_failed=fields["tool_failed"],
        reasoning=fields["reasoning"],
        media=tuple(json.loads(fields["media"])),
        created=fields["created"],
    )


def call_ids(connection: Connection, session: str) -> frozenset[str]:
    """The ids of all tool calls of a conversation."""
    found = connection.execute(
        select(messages.c.tool_calls).where(
            messages.c.session == session, messages.c.tool_calls != "[]"
        )
    ).scalars()
    return frozenset(call["id"] for calls in found for call in json.loads(calls))


@dataclass(frozen=True, slots=True)
class Unremembered:
    """A message that is not searchable yet, with whose it is."""

    message: Message
    session: Session
    seq: int  # its row


def unremembered(
    connection: Connection, *, user: str, before: datetime, after: int = 0, limit: int = 200
) -> list[Unremembered]:
    """The oldest messages of `user` that a crash kept from being taken in, after row `after`.

    Those of open turns count only when they are older than `before`: a turn may be going on.
    """
    found = connection.execute(
        select(messages.c.id, messages.c.session, messages.c.seq)
        .join(sessions, sessions.c.id == messages.c.session)
        .join(turns, turns.c.id == messages.c.turn)
        .where(
            sessions.c.user == user,
            messages.c.remembered.is_(False),
            messages.c.seq > after,
            or_(turns.c.state != TurnState.OPEN, messages.c.created < before),
        )
        .order_by(messages.c.seq)
        .limit(limit)
    ).all()
    return [
        Unremembered(
            _messages(connection, messages.c.id == row.id)[0],
            find_sessions(connection, user=user, id=row.session)[0],
            row.seq,
        )
        for row in found
    ]


def not_remembered(connection: Connection, ids: Sequence[str]) -> frozenset[str]:
    """Those of `ids` that are stored messages and not searchable yet."""
    found = connection.execute(
        select(messages.c.id).where(messages.c.id.in_(ids), messages.c.remembered.is_(False))
    )
    return frozenset(found.scalars())


def mark_remembered(connection: Connection, ids: Sequence[str]) -> None:
    """These messages are searchable now, or hold nothing to search for."""
    connection.execute(update(messages).where(messages.c.id.in_(ids)).values(remembered=True))


def summarize(
    connection: Connection, session: str, dropped: Sequence[Message], *, text: str, at: datetime
) -> Summary:
    """`text` stands for `dropped` from now on; the messages stay in the truth."""
    first, last = (_began(connection, message.id) for message in (dropped[0], dropped[-1]))
    summary = Summary(
        id=new_id("sum"),
        session=session,
        first_message=dropped[0].id,
        last_message=dropped[-1].id,
        text=text,
        created=at,
    )
    connection.execute(
        insert(summaries).values(
            id=summary.id,
            session=session,
            first_seq=first,
            last_seq=last,
            text=text,
            created=at,
        )
    )
    return summary


def _began(connection: Connection, message: str) -> int:
    """The row of the first message of the turn that `message` belongs to."""
    turn = select(messages.c.turn).where(messages.c.id == message).scalar_subquery()
    found = connection.execute(select(func.min(messages.c.seq)).where(messages.c.turn == turn))
    return int(found.scalar_one())


@dataclass(frozen=True, slots=True)
class View:
    """A conversation as the next request may show it: summary text, then the messages after it."""

    summary: str
    messages: tuple[Message, ...]


def view(connection: Connection, session: str) -> View:
    """The latest summary of a conversation and the messages it does not stand for."""
    row = connection.execute(
        select(summaries)
        .where(summaries.c.session == session)
        .order_by(summaries.c.last_seq.desc())
    ).first()
    if row is None:
        return View("", tuple(of_session(connection, session)))
    return View(row.text, tuple(of_session(connection, session, after=row.last_seq)))


def keep_recalls(connection: Connection, turn: str, scored: Sequence[tuple[str, float]]) -> None:
    """Which memories were put before the model in a turn, so that they are never learned again."""
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
