"""Messages a model has yet to read for facts: kept in the log of events, so a crash loses none."""

import json
from collections.abc import Sequence

from sqlalchemy import Connection, exists, select

from stratal_memory.truth.schema import events

WAITING, SETTLED, FAILED = "extraction.waiting", "extraction.settled", "extraction.failed"

Place = tuple[str, str]  # ids of a message and of its session


def detail(message: str, session: str) -> tuple[tuple[str, str], ...]:
    """What the events of a waiting message say of it; equal for one message."""
    return (("message", message), ("session", session))


def waiting(connection: Connection, *, user: str, limit: int = 1_000) -> list[Place]:
    """The messages of `user` that wait to be read, oldest first, each with its session."""
    settled = events.alias("settled")
    done = exists().where(
        settled.c.user == events.c.user,
        settled.c.kind == SETTLED,
        settled.c.detail == events.c.detail,
    )
    found = connection.execute(
        select(events.c.detail)
        .where(events.c.user == user, events.c.kind == WAITING, ~done)
        .group_by(events.c.detail)
        .order_by(events.c.seq)
        .limit(limit)
    ).scalars()
    told = [dict(json.loads(text)) for text in found]
    return [(one["message"], one["session"]) for one in told]


def failures(connection: Connection, *, user: str, places: Sequence[Place]) -> dict[str, str]:
    """Why reading these messages failed last, by message id; without those that never failed."""
    wanted = {json.dumps(detail(*place)): place[0] for place in places}
    found = connection.execute(
        select(events.c.detail, events.c.reason)
        .where(events.c.user == user, events.c.kind == FAILED, events.c.detail.in_(wanted))
        .order_by(events.c.seq)
    ).all()
    return {wanted[row.detail]: row.reason for row in found}
