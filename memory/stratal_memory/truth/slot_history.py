"""What came of due times, and what stands open."""

from collections import Counter
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, func, select

from stratal_memory.truth.schema_jobs import slots
from stratal_memory.truth.slots import DONE, OPEN, Slot, slot_of


def past(
    connection: Connection, *, user: str | None = None, empty: bool = False, limit: int = 50
) -> list[Slot]:
    """The latest slots by due time, latest first; those that changed nothing only with `empty`."""
    query = select(slots).where(*_of(user))
    if not empty:
        query = query.where(~_empty())
    order = (slots.c.due.desc(), slots.c.user, slots.c.agent, slots.c.job)
    return [
        slot_of(row) for row in connection.execute(query.order_by(*order).limit(limit)).mappings()
    ]


def empty_runs(
    connection: Connection, *, user: str | None = None, since: datetime | None = None
) -> int:
    """How many slots changed nothing, of those due at `since` or later."""
    query = select(func.count()).select_from(slots).where(*_of(user), _empty())
    if since is not None:
        query = query.where(slots.c.due >= since)
    return connection.execute(query).scalar_one()


def _of(user: str | None) -> tuple[ColumnElement[bool], ...]:
    return () if user is None else (slots.c.user == user,)


def _empty() -> ColumnElement[bool]:
    return and_(slots.c.state == DONE, slots.c.changes == 0)


def at(connection: Connection, job: str, due: datetime) -> list[Slot]:
    """The slots of a job at one due time, by user and agent."""
    query = select(slots).where(slots.c.job == job, slots.c.due == due)
    found = connection.execute(query.order_by(slots.c.user, slots.c.agent)).mappings()
    return [slot_of(row) for row in found]


def standing(connection: Connection, *, user: str | None = None) -> Counter[tuple[str, str]]:
    """How many slots are open, by job and state."""
    query = (
        select(slots.c.job, slots.c.state, func.count().label("many"))
        .where(*_of(user), slots.c.state.in_(OPEN))
        .group_by(slots.c.job, slots.c.state)
    )
    return Counter({(row.job, row.state): row.many for row in connection.execute(query)})
