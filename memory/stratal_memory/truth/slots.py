"""Slots: due times of jobs, shared out among workers under leases, each settled exactly once.

Whoever claims a slot raises its fence, and everything done for it is committed under that fence:
inside each item's transaction, and when it is settled. So a worker that was thought dead writes
nothing beside the one that took the slot over.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    RowMapping,
    ScalarSelect,
    Update,
    and_,
    bindparam,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.sql.dml import ReturningUpdate

from stratal_memory.errors import LeaseLost
from stratal_memory.truth.runs import LEASE
from stratal_memory.truth.schema import Utc
from stratal_memory.truth.schema_jobs import pauses, schedules, slots

WAITING, RUNNING, DONE, FAILED, SKIPPED = "waiting", "running", "done", "failed", "skipped"
OPEN = (WAITING, RUNNING)
EVERYBODY = ""  # the user of a pause that holds for all; no user has this name
NEVER = datetime(1, 1, 1, tzinfo=UTC)

Guard = Callable[[Connection], None]
Now = Callable[[], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One due time of a job for a user's agent; `due` is UTC, and its name with the three."""

    seq: int
    job: str
    user: str
    agent: str
    due: datetime
    state: str
    ready: datetime  # no slice begins before
    fence: int
    owner: str
    lease_until: datetime | None
    attempts: int  # that failed
    slices: int  # that ended with something left to do
    started: datetime | None
    ended: datetime | None
    changes: int
    covers: int  # how many due times it stands for; more than one only when skipped
    run: str
    outcome: str


_NAMES = tuple(field.name for field in fields(Slot))
# What a worker may change of a slot it holds.
_SETTLED = (
    *("state", "ready", "attempts", "slices", "ended"),
    *("changes", "run", "outcome"),
)


def slot_of(row: RowMapping) -> Slot:
    """The slot a row holds."""
    return Slot(**{name: row[name] for name in _NAMES})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which slots a worker takes; with `due` those of that time alone, paused or not."""

    jobs: tuple[str, ...]
    due: datetime | None = None


def claim(connection: Connection, wanted: Wanted, *, owner: str, now: datetime) -> Slot | None:
    """The slot that is `owner`'s for a slice now; None when nothing is to be done.

    The user who was served longest ago comes first, then the earliest due time. Never two slots
    of a user at a time, and none behind an earlier one of the same job that was begun.
    """
    values = {"jobs": list(wanted.jobs), "at": now, "until": now + LEASE, "by": owner}
    if wanted.due is not None:
        values["asked"] = wanted.due
    found = connection.execute(claiming(wanted.due is None), values).mappings().first()
    return None if found is None else slot_of(found)


@cache
def claiming(scheduled: bool) -> ReturningUpdate[Any]:
    """One statement: of N workers that run it at once each gets another slot, or none."""
    now = bindparam("at", type_=Utc)
    free = and_(slots.c.state == WAITING, slots.c.ready <= now)
    return (
        update(slots)
        # Said twice: PostgreSQL looks at a row again after it has waited for it.
        .where(slots.c.seq == _first(free, scheduled=scheduled), free)
        .values(
            state=RUNNING,
            owner=bindparam("by"),
            lease_until=bindparam("until"),
            fence=slots.c.fence + 1,
            started=func.coalesce(slots.c.started, now),
        )
        .returning(slots)
    )


def _first(free: ColumnElement[bool], *, scheduled: bool) -> ScalarSelect[int]:
    other = slots.alias()
    at_work = other.c.state == RUNNING
    before = select(other.c.seq).where(
        other.c.user == slots.c.user,
        other.c.seq != slots.c.seq,
        or_(at_work, _begun_earlier(other)) if scheduled else at_work,
    )
    wanted = slots.c.job.in_(bindparam("jobs", expanding=True))
    query = select(slots.c.seq).where(free, wanted, ~before.exists())
    if scheduled:
        held = pauses.c.user.in_((EVERYBODY, slots.c.user))
        paused = select(pauses.c.job).where(pauses.c.job == slots.c.job, held)
        query = query.where(~paused.exists())
    else:
        query = query.where(slots.c.due == bindparam("asked", type_=Utc))
    order = (slots.c.served, slots.c.due, slots.c.seq)
    return query.order_by(*order).limit(1).with_for_update(skip_locked=True).scalar_subquery()


def _begun_earlier(other: FromClause) -> ColumnElement[bool]:
    return and_(
        other.c.state == WAITING,
        other.c.job == slots.c.job,
        other.c.agent == slots.c.agent,
        other.c.due < slots.c.due,
        other.c.started.is_not(None),
    )


def is_work(connection: Connection, wanted: Wanted, *, now: datetime) -> bool:
    """Whether a claim might find something: asked first, because a claim takes the write lock."""
    mine = and_(slots.c.job.in_(wanted.jobs), *_due(wanted))
    free = and_(slots.c.state == WAITING, slots.c.ready <= now)
    over = and_(slots.c.state == RUNNING, slots.c.lease_until <= now)
    query = select(slots.c.seq).where(mine, or_(free, over)).limit(1)
    return connection.execute(query).first() is not None


def _due(wanted: Wanted) -> Sequence[ColumnElement[bool]]:
    return () if wanted.due is None else (slots.c.due == wanted.due,)


def owners(connection: Connection) -> set[str]:
    """Who holds a lease, by presence."""
    query = select(slots.c.owner).distinct().where(slots.c.state == RUNNING)
    return set(connection.execute(query).scalars())


def give_up(connection: Connection, *, now: datetime, gone: Collection[str] = ()) -> int:
    """How many slots wait again because their lease ran out, or their owner is among `gone`."""
    over = or_(slots.c.lease_until <= now, slots.c.owner.in_(tuple(gone)))
    waits = update(slots).where(slots.c.state == RUNNING, over)
    return connection.execute(waits.values(state=WAITING, lease_until=None)).rowcount


def guard(slot: Slot, *, clock: Now) -> Guard:
    """What is called inside every transaction that is made for `slot`.

    It renews the lease, so that work goes on as long as something is committed, and raises
    `LeaseLost` when another worker has the slot, or when it was erased. A lease that merely ran
    out is taken up again: nobody was faster.
    """

    def renew(connection: Connection) -> None:
        held = _held(slot).values(state=RUNNING, lease_until=clock() + LEASE)
        _must_be_mine(connection.execute(held).rowcount, slot)

    return renew


def _held(slot: Slot) -> Update:
    mine = (slots.c.seq == slot.seq, slots.c.fence == slot.fence, slots.c.state.in_(OPEN))
    return update(slots).where(*mine)


def _must_be_mine(rows: int, slot: Slot) -> None:
    if rows != 1:
        raise LeaseLost(
            f"{slot.job} of {slot.user}, due {slot.due:%Y-%m-%d %H:%M} UTC, was taken up by "
            "another worker",
            hint="Nothing is lost: that one goes on with it.",
        )


def settle(connection: Connection, slot: Slot, *, now: datetime) -> None:
    """Keep what a slice came to, and let go of the slot; `LeaseLost` when it is another's.

    The user stands behind everybody else now, with all that is open.
    """
    values = {name: getattr(slot, name) for name in _SETTLED}
    held = _held(slot).values(**values, owner="", lease_until=None)
    _must_be_mine(connection.execute(held).rowcount, slot)
    theirs = (slots.c.user == slot.user, slots.c.state.in_(OPEN))
    connection.execute(update(slots).where(*theirs).values(served=now))
    row = (
        schedules.c.user == slot.user,
        schedules.c.agent == slot.agent,
        schedules.c.job == slot.job,
    )
    connection.execute(update(schedules).where(*row).values(served=now))


def let_go(connection: Connection, slot: Slot) -> None:
    """Give a slot back as it is: who stops had no turn. `LeaseLost` when it is another's."""
    held = _held(slot).values(state=WAITING, owner="", lease_until=None)
    _must_be_mine(connection.execute(held).rowcount, slot)


def next_ready(connection: Connection, *, jobs: Sequence[str], after: datetime) -> datetime | None:
    """When the first slot that was put off is to be tried again; None when none was."""
    query = select(func.min(slots.c.ready)).where(
        slots.c.state == WAITING, slots.c.job.in_(jobs), slots.c.ready > after
    )
    found: datetime | None = connection.execute(query).scalar_one()
    return found


def waits_again(slot: Slot, *, wait: timedelta, now: datetime, outcome: str) -> Slot:
    """The slot put off by `wait`, with why."""
    return replace(slot, state=WAITING, ready=now + wait, outcome=outcome)
