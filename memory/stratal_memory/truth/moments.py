"""Memory at another time: what was true then, and what was known then."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, and_, or_, select

from stratal_memory.errors import InputError
from stratal_memory.records import Memory, Status
from stratal_memory.truth import events, memories
from stratal_memory.truth.mutable import Mutable
from stratal_memory.truth.schema import events as log
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.vectors import LIVE

# Believed now, and believed at least for the time they cover; what is provisional is neither.
NOW = (Status.ACTIVE, Status.CONTESTED)
ONCE = (*NOW, Status.SUPERSEDED, Status.RETRACTED)
GRACE = timedelta(days=1)  # a day that has passed has passed everywhere on earth


def zoned(at: datetime) -> datetime:
    """`at`, which must name its zone; `InputError` otherwise: no machine's zone is meant."""
    if at.utcoffset() is None:
        raise InputError(
            f"the time {at.isoformat()} has no zone",
            hint="Give it one, as in datetime(2026, 5, 1, tzinfo=UTC).",
        )
    return at


def true_at(at: datetime) -> ColumnElement[bool]:
    """The versions that were true at `at`, by what is known today.

    A version that was corrected or taken back covers no time; one that ended without a date
    (it said the same as another) is told by that other.
    """
    open_ = and_(table.c.status.in_(NOW), table.c.valid_to.is_(None))
    return and_(
        table.c.status.in_(ONCE), table.c.valid_from <= at, or_(open_, table.c.valid_to > at)
    )


def true_then(
    connection: Connection, within: ColumnElement[bool], at: datetime, *, limit: int | None = None
) -> list[Memory]:
    """The versions inside `within` that were true at `at`, the latest to begin first."""
    seqs = connection.execute(
        select(table.c.seq)
        .where(within, true_at(at))
        .order_by(table.c.valid_from.desc(), table.c.recorded_at.desc(), table.c.seq)
        .limit(limit)
    ).scalars()
    ordered = list(seqs)
    found = memories.by_seq(connection, ordered, within)
    return [found[seq] for seq in ordered]


def touched_since(at: datetime) -> ColumnElement[bool]:
    """The versions of every memory that something happened to after `at`: no other one differs."""
    written = select(table.c.key).where(or_(table.c.recorded_at > at, table.c.retired_at > at))
    told = select(log.c.key).where(or_(log.c.at > at, log.c.undone > at), log.c.key != "")
    return or_(table.c.key.in_(written), table.c.key.in_(told))


def held_at(
    connection: Connection,
    within: ColumnElement[bool],
    at: datetime,
    *,
    statuses: Sequence[Status] = LIVE,
) -> list[Memory]:
    """The versions inside `within` that memory held at `at`, exactly as they stood then.

    `within` must allow every status: what stood then may be superseded now. In the order they
    were recorded. What an undo took out was never held.
    """
    recorded = and_(
        within,
        table.c.recorded_at <= at,
        or_(table.c.retired_at.is_(None), table.c.retired_at > at),
    )
    found = memories.select_memories(connection, recorded)
    before = events.before(connection, [one.id for one in found], after=at)
    stood = [
        Mutable.from_json(before[one.id]).on(one) if one.id in before else one for one in found
    ]
    return [one for one in stood if one.status in statuses and one.retired_at is None]
