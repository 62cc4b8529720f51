"""Messages a model has yet to read for facts: kept in the log of events, so a crash loses none."""

import json
from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from stratal_memory.truth.schema import events

WAITING, SETTLED, FAILED = "extraction.waiting", "extraction.settled", "extraction.failed"
UNREADABLE = "extraction.unreadable"  # a model answered, and nobody could read it

Place = tuple[str, str]  # ids of a message and of its session


def detail(message: str, session: str) -> tuple[tuple[str, str], ...]:
    """What the events of a waiting message say of it; equal for one message."""
    return (("message", message), ("session", session))


def waiting(connection: Connection, *, user: str, limit: int = 1_000) -> list[Place]:
    """The messages of `user` that wait to be read, oldest first, each with its session."""
    found = connection.execute(
        select(events.c.detail)
        .where(events.c.user == user, events.c.kind.in_((WAITING, SETTLED)))
        .group_by(events.c.detail)
        .having(func.min(events.c.kind) == WAITING)  # "settled" sorts before it
        .order_by(func.min(events.c.seq))
        .limit(limit)
    ).scalars()
    told = [dict(json.loads(text)) for text in found]
    return [(one["message"], one["session"]) for one in told]


def failures(connection: Connection, *, user: str, places: Sequence[Place]) -> dict[str, str]:
    """Why reading these messages failed last, by message id; without those that never failed."""
    wanted = {json.dumps(detail(*place)): place[0] for place in places}
    found = connection.execute(
        select(events.c.detail, events.c.reason)
        .where(
            events.c.user == user,
            events.c.kind.in_((FAILED, UNREADABLE)),
            events.c.detail.in_(wanted),
        )
        .order_by(events.c.seq)
    ).all()
    return {wanted[row.detail]: row.reason for row in found}


def unreadable(connection: Connection, *, user: str, places: Sequence[Place]) -> dict[str, int]:
    """How often the answer to these messages could not be read, by message id; never 0."""
    wanted = {json.dumps(detail(*place)): place[0] for place in places}
    found = connection.execute(
        select(events.c.detail, func.count().label("times"))
        .where(events.c.user == user, events.c.kind == UNREADABLE, events.c.detail.in_(wanted))
        .group_by(events.c.detail)
    ).all()
    return {wanted[row.detail]: row.times for row in found}
