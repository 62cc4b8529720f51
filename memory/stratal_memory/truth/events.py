"""The log of changes to memory and of decisions not to change it."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, RowMapping, and_, bindparam, func, insert, or_, select, update

from stratal_memory.records import Event, new_id
from stratal_memory.truth.schema import events

PAGE = 500  # ids of one IN (...) list
BELATED = "belated"  # the detail of an event that joined its run when another was taken back
# Built once: see `messages`. A new event has not been undone, and did not come with an import.
_RECORD = insert(events).values(
    {
        column.name: bindparam(column.name)
        for column in events.c
        if column.name not in ("seq", "undone", "imported")
    }
)


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
    record_all(connection, [event])
    return event


def record_all(connection: Connection, found: Sequence[Event]) -> None:
    """These events, written in the caller's transaction."""
    rows = [
        {
            "id": event.id,
            "at": event.at,
            "kind": event.kind,
            "user": event.user,
            "reason": event.reason,
            "memory": event.memory,
            "key": event.key,
            "run": event.run,
            "detail": json.dumps(event.detail),
        }
        for event in found
    ]
    if rows:
        connection.execute(_RECORD, rows)


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


def of_memory(connection: Connection, key: str) -> list[Event]:
    """What happened to one memory, whoever did it, oldest first: who may see it may know that."""
    found = connection.execute(select(events).where(events.c.key == key).order_by(events.c.seq))
    return [_event(row) for row in found.mappings()]


def find(connection: Connection, id: str, *, user: str) -> Event | None:
    """One event of a user; None when there is none of that id."""
    found = connection.execute(select(events).where(events.c.id == id, events.c.user == user))
    row = found.mappings().first()
    return None if row is None else _event(row)


def of_act(connection: Connection, event: Event) -> list[Event]:
    """The events of the transaction that `event` belongs to, oldest first.

    An event of before transactions had ids belongs with those of its time.
    """
    together = and_(
        events.c.user == event.user,
        events.c.run == event.run,
        events.c.undone.is_(None),
        events.c.imported.is_(False),
    )
    if not event.run:
        together = and_(together, events.c.at == event.at)
    found = connection.execute(select(events).where(together).order_by(events.c.seq))
    return [_event(row) for row in found.mappings()]


def came_with_import(connection: Connection, found: Sequence[Event]) -> bool:
    """Whether any of these events came with an import: it tells what another store did."""
    ids = [event.id for event in found]
    for start in range(0, len(ids), PAGE):
        page = and_(events.c.id.in_(ids[start : start + PAGE]), events.c.imported)
        if connection.execute(select(events.c.id).where(page).limit(1)).first():
            return True
    return False


def latest_seq(connection: Connection) -> int:
    """The number of the newest event of anybody; 0 when there is none."""
    return connection.execute(select(func.max(events.c.seq))).scalar() or 0


def any_since(connection: Connection, *, user: str, seq: int, but: str) -> bool:
    """Whether anything of the user happened after event `seq`, apart from the run `but`."""
    later = select(events.c.seq).where(
        events.c.user == user, events.c.seq > seq, events.c.run != but
    )
    return connection.execute(later.limit(1)).first() is not None


def touched_after(connection: Connection, done: Sequence[Event]) -> list[str]:
    """The keys of `done` that anybody changed after its last event of that key.

    What was undone since does not count: it left things as they were. Nor does what an import
    tells: that changed nothing here.
    """
    belated = {event.id for event in done if BELATED in dict(event.detail)}
    known = {event.id for event in done}
    own = {event.key: event.id for event in done if BELATED not in dict(event.detail)}
    keys = sorted({event.key for event in done})
    found: set[str] = set()
    newest = max(_seqs(connection, list(own.values())[-1:]).values(), default=0)
    for start in range(0, len(keys), PAGE):
        page = keys[start : start + PAGE]
        last = _seqs(connection, [own[key] for key in page if key in own])
        rows = connection.execute(
            select(events.c.key, events.c.id, events.c.seq).where(
                events.c.key.in_(page),
                or_(events.c.kind.startswith("memory."), events.c.kind.startswith("document.")),
                events.c.undone.is_(None),
                events.c.imported.is_(False),
            )
        )
        found.update(
            row.key
            for row in rows
            if row.id not in belated
            and row.id not in known
            and row.seq > last.get(own.get(row.key, ""), newest)
        )
    return sorted(found)


def _seqs(connection: Connection, ids: Sequence[str]) -> dict[str, int]:
    found = connection.execute(select(events.c.id, events.c.seq).where(events.c.id.in_(ids)))
    return {row.id: row.seq for row in found}


def disputed(connection: Connection, versions: Mapping[str, str]) -> dict[str, datetime]:
    """When versions were last ended or contested other than by a run, by id.

    `versions` are keys by id. What was undone since does not count, nor what an import tells.
    """
    found: dict[str, datetime] = {}
    keys = sorted(set(versions.values()))
    for start in range(0, len(keys), PAGE):
        rows = connection.execute(
            select(events.c.memory, events.c.at)
            .where(
                events.c.key.in_(keys[start : start + PAGE]),
                events.c.kind.in_(("memory.closed", "memory.amended")),
                events.c.run.not_like("run~_%", escape="~"),
                events.c.undone.is_(None),
                events.c.imported.is_(False),
            )
            .order_by(events.c.seq)
        )
        found.update((row.memory, row.at) for row in rows if row.memory in versions)
    return found


def mark_undone(connection: Connection, done: Sequence[Event], *, at: datetime) -> None:
    """Note that these events were taken back."""
    ids = [event.id for event in done]
    for start in range(0, len(ids), PAGE):
        page = ids[start : start + PAGE]
        connection.execute(update(events).where(events.c.id.in_(page)).values(undone=at))


def before(connection: Connection, versions: Sequence[str], *, after: datetime) -> dict[str, str]:
    """What versions were at a time, by id: the detail of the first change after it.

    Versions that did not change since are not among them.
    """
    found: dict[str, str] = {}
    for start in range(0, len(versions), PAGE):
        page = list(versions[start : start + PAGE])
        rows = connection.execute(
            select(events.c.memory, events.c.detail)
            .where(events.c.memory.in_(page), events.c.at > after, events.c.kind != "memory.added")
            .order_by(events.c.seq)
        )
        for memory, detail in rows:
            kept = dict(json.loads(detail)).get("before")
            if kept:
                found.setdefault(memory, kept)
    return found


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
        undone=fields["undone"],
        detail=tuple((name, value) for name, value in json.loads(fields["detail"])),
    )
