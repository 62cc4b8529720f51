"""The log of changes to memory and of decisions not to change it."""

import json
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, RowMapping, insert, select

from stratal_memory.records import Event, new_id
from stratal_memory.truth.schema import events, runs


def record(
    connection: Connection,
    *,
    at: datetime,
    kind: str,
    user: str,
    reason: str,
    memory: str = "",
    key: str = "",
    run: str = "",
    detail: Sequence[tuple[str, str]] = (),
) -> Event:
    """The event, written in the caller's transaction."""
    event = Event(
        id=new_id("evt"),
        at=at,
        kind=kind,
        user=user,
        reason=reason,
        memory=memory,
        key=key,
        run=run,
        detail=tuple(detail),
    )
    connection.execute(
        insert(events).values(
            id=event.id,
            at=at,
            kind=kind,
            user=user,
            reason=reason,
            memory=memory,
            key=key,
            run=run,
            detail=json.dumps(event.detail),
        )
    )
    return event


def of_run(connection: Connection, run: str) -> list[Event]:
    """The events of one run, oldest first."""
    found = connection.execute(select(events).where(events.c.run == run).order_by(events.c.seq))
    return [_event(row) for row in found.mappings()]


def of_user(connection: Connection, user: str, *, limit: int = 100) -> list[Event]:
    """The newest events of one user, newest first."""
    found = connection.execute(
        select(events).where(events.c.user == user).order_by(events.c.seq.desc()).limit(limit)
    )
    return [_event(row) for row in found.mappings()]


def of_key(connection: Connection, key: str, *, user: str) -> list[Event]:
    """What happened to one memory of one user, oldest first."""
    found = connection.execute(
        select(events).where(events.c.key == key, events.c.user == user).order_by(events.c.seq)
    )
    return [_event(row) for row in found.mappings()]


def touched_after(connection: Connection, keys: Sequence[str], *, run: str) -> list[str]:
    """Those of `keys` that changed after the last event of `run`, outside it.

    What was undone since does not count: it left things as they were.
    """
    undone = select(runs.c.id).where(runs.c.undone.is_not(None))
    last = select(events.c.seq).where(events.c.run == run).order_by(events.c.seq.desc()).limit(1)
    found = connection.execute(
        select(events.c.key)
        .distinct()
        .where(
            events.c.key.in_(keys),
            events.c.run != run,
            events.c.run.not_in(undone),
            events.c.kind.startswith("memory."),
            events.c.seq > last.scalar_subquery(),
        )
        .order_by(events.c.key)
    )
    return list(found.scalars())


def _event(fields: RowMapping) -> Event:
    return Event(
        id=fields["id"],
        at=fields["at"],
        kind=fields["kind"],
        user=fields["user"],
        reason=fields["reason"],
        memory=fields["memory"],
        key=fields["key"],
        run=fields["run"],
        detail=tuple((name, value) for name, value in json.loads(fields["detail"])),
    )
