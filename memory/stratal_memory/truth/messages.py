"""Messages: what was said, append-only, and what stays when all else is rebuilt."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    bindparam,
    func,
    insert,
    or_,
    select,
    true,
    update,
)

from stratal_memory.records import (
    Media,
    MediaKind,
    Message,
    Role,
    Session,
    ToolCall,
    TurnState,
    new_id,
)
from stratal_memory.text import content_hash, storable
from stratal_memory.truth.schema import messages, sessions, turns
from stratal_memory.truth.sessions import find_sessions
from stratal_memory.truth.turns import Turn

EMPTY = "[]"  # what most messages have of calls and media: not worth a parser
PAGE = 16  # turns read at once; a window rarely holds fewer
_DIGEST = re.compile(r"[0-9a-f]{8,32}")


# Statements are built once: building them anew is most of the time of a short write. Measured
# with the commit itself left out: 0.18 ms built each time, 0.03 ms like this.
_INSERT = insert(messages).values(
    {column.name: bindparam(column.name) for column in messages.c if column.name != "seq"}
)
_BEGIN = (
    update(turns)
    .where(turns.c.id == bindparam("turn_id"), turns.c.first_seq.is_(None))
    .values(first_seq=bindparam("began"))
)
_OF_TURN = select(messages).where(messages.c.turn == bindparam("turn_id")).order_by(messages.c.seq)
_ACTIVE = (
    update(sessions)
    .where(sessions.c.id == bindparam("session_id"))
    .values(last_active=bindparam("at"))
)


def append(
    connection: Connection, turn: Turn, items: Sequence[Message], *, at: datetime
) -> list[Message]:
    """`items` as they are stored, with their ids, at the end of the conversation, in this order.

    Only user, assistant and tool messages are history (P7, P8).
    """
    kept = [_append(connection, turn, item, at=at) for item in items]
    if kept:
        connection.execute(_BEGIN, {"turn_id": turn.id, "began": kept[0].seq})
    connection.execute(_ACTIVE, {"session_id": turn.session, "at": at})
    return kept


def _append(connection: Connection, turn: Turn, item: Message, *, at: datetime) -> Message:
    """One message as `of_turn` would read it; it is not read back."""
    assert item.role in (Role.USER, Role.ASSISTANT, Role.TOOL), item.role
    stored = replace(
        item,
        id=item.id or new_id("msg"),
        text=storable(item.text),
        reasoning=storable(item.reasoning),
        created=at.astimezone(UTC),
    )
    made = connection.execute(
        _INSERT,
        {
            "id": stored.id,
            "session": turn.session,
            "turn": turn.id,
            "role": stored.role,
            "text": stored.text,
            "content_hash": content_hash(stored.text),
            "tool_calls": _json(stored.tool_calls),
            "tool_call_id": stored.tool_call_id,
            "tool_failed": stored.tool_failed,
            "reasoning": stored.reasoning,
            "opaque": stored.opaque,
            "media": _json(stored.media),
            "remembered": stored.role is Role.TOOL,
            "created": at,
        },
    )
    return replace(stored, seq=int(made.lastrowid))


def _json(parts: Sequence[ToolCall | Media]) -> str:
    return json.dumps([asdict(part) for part in parts]) if parts else EMPTY


def of_session(connection: Connection, session: str, *, after: int = 0) -> list[Message]:
    """The messages of a conversation turn by turn, those of turns that began after row `after`.

    Two turns of one conversation may go on at once; their messages are never mixed.
    """
    found = connection.execute(
        select(messages)
        .join(turns, turns.c.id == messages.c.turn)
        .where(turns.c.session == session, turns.c.first_seq > after)
        .order_by(turns.c.first_seq, messages.c.seq)
    )
    return [_message(row) for row in found.mappings()]


def newest_turns(
    connection: Connection, session: str, *, after: int = 0, page: int = PAGE
) -> Iterator[tuple[Message, ...]]:
    """The turns of a conversation that began after row `after`, newest first, each one whole.

    Read `page` turns at a time and only when asked for: the newest few of a conversation cost
    the same however long it is. A turn's messages are oldest first, and never another turn's.
    """
    before: int | None = None
    while began := _newest(connection, session, after=after, before=before, limit=page):
        said: dict[str, list[Message]] = {turn: [] for turn, _ in began}
        found = connection.execute(
            select(messages).where(messages.c.turn.in_(said)).order_by(messages.c.seq)
        )
        for row in found.mappings().all():  # nothing stays open while the caller thinks
            said[row["turn"]].append(_message(row))
        yield from (tuple(one) for one in said.values())
        before = began[-1][1]


def _newest(
    connection: Connection, session: str, *, after: int, before: int | None, limit: int
) -> list[tuple[str, int]]:
    """The last `limit` turns that began between two rows, with where, newest first."""
    query = (
        select(turns.c.id, turns.c.first_seq)
        .where(turns.c.session == session, turns.c.first_seq > after)
        .order_by(turns.c.first_seq.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(turns.c.first_seq < before)
    return [(row.id, row.first_seq) for row in connection.execute(query)]


def of_turn(connection: Connection, turn: str) -> list[Message]:
    """The messages of one turn, oldest first."""
    found = connection.execute(_OF_TURN, {"turn_id": turn})
    return [_message(row) for row in found.mappings()]


def of_ids(connection: Connection, session: str, ids: Sequence[str]) -> list[Message]:
    """Those of `ids` that are messages of this conversation, oldest first."""
    return _messages(connection, (messages.c.session == session) & messages.c.id.in_(ids))


def by_hash(connection: Connection, session: str, digest: str) -> Message | None:
    """The tool result of this conversation whose text has this content hash; the newest of equals.

    A prefix of at least 8 hex digits will do. None when this conversation has no such result:
    the digest may be a model's invention.
    """
    digest = digest.strip().lower()
    if not _DIGEST.fullmatch(digest):
        return None
    found = connection.execute(
        select(messages)
        .where(
            messages.c.session == session,
            messages.c.content_hash >= digest,
            messages.c.content_hash < digest + "g",  # past every hex digit: an index range
            messages.c.role == Role.TOOL,
        )
        .order_by(messages.c.seq.desc())
        .limit(1)
    )
    row = found.mappings().first()
    return None if row is None else _message(row)


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
            for call in (() if fields["tool_calls"] == EMPTY else json.loads(fields["tool_calls"]))
        ),
        tool_call_id=fields["tool_call_id"],
        tool_failed=fields["tool_failed"],
        reasoning=fields["reasoning"],
        opaque=fields["opaque"],
        media=tuple(
            Media(**(media | {"kind": MediaKind(media["kind"])}))
            for media in (() if fields["media"] == EMPTY else json.loads(fields["media"]))
        ),
        created=fields["created"],
        seq=fields["seq"],
    )


MOST_TERMS = 500  # of one condition; SQLite takes a depth of 1,000


def used_call_ids(connection: Connection, session: str, ids: Sequence[str]) -> frozenset[str]:
    """Those of `ids` that tool calls of a conversation have already."""
    if not ids:
        return frozenset()
    # Not LIKE: SQLite refuses patterns above 50,000 bytes, and an id may be longer.
    holds = [func.instr(messages.c.tool_calls, json.dumps(id)) > 0 for id in ids]
    named = or_(*holds) if len(holds) <= MOST_TERMS else true()
    found = connection.execute(
        select(messages.c.tool_calls).where(
            messages.c.session == session, messages.c.tool_calls != "[]", named
        )
    ).scalars()
    used = {call["id"] for calls in found for call in json.loads(calls)}
    return frozenset(used.intersection(ids))


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
            sessions.c.parent == "",  # what a model asked a sub-agent is nobody's word
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
