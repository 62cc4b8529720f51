"""Calibrations: what was learned of how a model's own count differs from ours; no user data."""

from datetime import datetime

from sqlalchemy import Connection, insert, select, update

from stratal_memory.truth.schema import calibrations


def load(connection: Connection, model: str, counter: str) -> str | None:
    """The values stored last for a model and a counter, as they were; None before the first."""
    found = connection.execute(
        select(calibrations.c["values"]).where(
            calibrations.c.model == model, calibrations.c.counter == counter
        )
    )
    return found.scalar_one_or_none()


def store(connection: Connection, model: str, counter: str, values: str, *, at: datetime) -> None:
    """Keep `values`, JSON that only the counter reads, in place of what was there."""
    changed = connection.execute(
        update(calibrations)
        .where(calibrations.c.model == model, calibrations.c.counter == counter)
        .values({"values": values, "updated": at})
    )
    if changed.rowcount == 0:
        connection.execute(
            insert(calibrations).values(
                {"model": model, "counter": counter, "values": values, "updated": at}
            )
        )
