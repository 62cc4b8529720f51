"""What was spent at models for a user's memory, day by day; a day is one of UTC."""

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, insert, select, update

from stratal_memory.records import Cost
from stratal_memory.truth.schema_consolidation import spending


def spent(connection: Connection, *, user: str, at: datetime) -> Cost:
    """What was spent for `user` on the day of `at`."""
    return _spent(connection, user=user, at=at) or Cost()


def _spent(connection: Connection, *, user: str, at: datetime) -> Cost | None:
    row = connection.execute(select(spending).where(_of(user, at))).first()
    if row is None:
        return None
    return Cost(
        calls=row.calls,
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        usd=row.usd,
    )


def spend(connection: Connection, cost: Cost, *, user: str, at: datetime) -> None:
    """Add `cost` to the day's; what was held for a call and not spent is a cost below zero."""
    before = _spent(connection, user=user, at=at)
    now = (before or Cost()) + cost
    values = {
        "calls": now.calls,
        "input_tokens": now.input_tokens,
        "output_tokens": now.output_tokens,
        "usd": now.usd,
    }
    if before is not None:
        connection.execute(update(spending).where(_of(user, at)).values(values))
    else:
        connection.execute(insert(spending).values(user=user, day=_day(at), **values))


def _of(user: str, at: datetime) -> ColumnElement[bool]:
    return and_(spending.c.user == user, spending.c.day == _day(at))


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"
