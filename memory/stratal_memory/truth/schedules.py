"""How due times become slots: who there is, how far each is planned, what is paused."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from stratal_memory.truth.schema import Utc, sessions
from stratal_memory.truth.schema_jobs import pauses, schedules, slots, timers
from stratal_memory.truth.slots import EVERYBODY, NEVER, SKIPPED, WAITING

Row = Mapping[str, str | int | datetime | None]
Who = tuple[str, str]  # a user, and the name of an agent of theirs


@dataclass(frozen=True, slots=True, kw_only=True)
class Timer:
    """A job's place in time: first served at `since`, planned for everybody up to `swept`."""

    job: str
    since: datetime
    swept: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A due time that becomes a slot, and those before it that do not.

    `after` is how far it was planned before; None for who had no due time yet.
    """

    job: str
    user: str
    agent: str
    after: datetime | None
    due: datetime
    first: datetime  # of the due times since; `due` itself when it is the only one
    skipped: int
    words: str  # why those have no run of their own


def people(connection: Connection, *, user: str | None = None) -> dict[Who, datetime]:
    """Everybody who ever talked, or one user, with each of their agents and since when."""
    query = (
        select(sessions.c.user, sessions.c.agent, func.min(sessions.c.started).label("first"))
        .group_by(sessions.c.user, sessions.c.agent)
        .order_by(sessions.c.user, sessions.c.agent)
    )
    if user is not None:
        query = query.where(sessions.c.user == user)
    return {(row.user, row.agent): row.first for row in connection.execute(query)}


def fell_silent(
    connection: Connection, *, after: datetime, until: datetime
) -> list[tuple[Who, datetime]]:
    """Whose conversations were last active in (after, until], and when; earliest first."""
    query = (
        select(sessions.c.user, sessions.c.agent, sessions.c.last_active)
        .where(sessions.c.last_active > after, sessions.c.last_active <= until)
        .order_by(sessions.c.last_active)
    )
    return [((row.user, row.agent), row.last_active) for row in connection.execute(query)]


def next_silence(connection: Connection, *, after: datetime) -> datetime | None:
    """The earliest last activity later than `after`; None when there is none."""
    query = select(func.min(sessions.c.last_active)).where(sessions.c.last_active > after)
    found: datetime | None = connection.execute(query).scalar_one()
    return found


def timer(connection: Connection, job: str) -> Timer | None:
    """How far a job is planned; None before it is served for the first time."""
    found = connection.execute(select(timers).where(timers.c.job == job)).first()
    return None if found is None else Timer(job=found.job, since=found.since, swept=found.swept)


def keep_timer(connection: Connection, job: str, *, swept: datetime) -> None:
    """Note that a job is planned for everybody up to `swept`, or that it begins to be."""
    moved = update(timers).where(timers.c.job == job).values(swept=swept)
    if connection.execute(moved).rowcount == 0:
        connection.execute(insert(timers).values(job=job, since=swept, swept=swept))


def planned(connection: Connection, job: str) -> dict[Who, datetime]:
    """How far the due times of a job have become slots, by user and agent."""
    query = select(schedules.c.user, schedules.c.agent, schedules.c.planned_to)
    found = connection.execute(query.where(schedules.c.job == job))
    return {(row.user, row.agent): row.planned_to for row in found}


def carry_out(connection: Connection, plans: Sequence[Plan], *, now: datetime) -> int:
    """How many of the plans, which are of one job, were made into slots.

    Those that another process was faster with are not. An earlier slot that nobody began is
    overtaken, so that what was missed is one run.
    """
    plans = _current(connection, plans)
    if not plans:
        return 0
    _advance(connection, plans)
    connection.execute(_OVERTAKE, [_overtaken(plan, now) for plan in plans])
    served = _served(connection, {plan.user for plan in plans})
    rows = [_skipped(plan, now) for plan in plans if plan.skipped]
    rows += [_waiting(plan, now, served.get(plan.user, NEVER)) for plan in plans]
    taken = _taken(connection, rows)
    fresh = [row for row in rows if (row["user"], row["agent"], row["due"]) not in taken]
    if fresh:
        connection.execute(insert(slots), fresh)
    return len(plans)


def _current(connection: Connection, plans: Sequence[Plan]) -> list[Plan]:
    """Those whose user's agent is planned as far as they take it."""
    jobs, users = {plan.job for plan in plans}, {plan.user for plan in plans}
    theirs = (schedules.c.job.in_(jobs), schedules.c.user.in_(users))
    query = select(schedules.c.user, schedules.c.agent, schedules.c.planned_to).where(*theirs)
    found = connection.execute(query.with_for_update())
    reached = {(row.user, row.agent): row.planned_to for row in found}
    return [plan for plan in plans if reached.get((plan.user, plan.agent)) == plan.after]


def _taken(connection: Connection, rows: Sequence[Row]) -> set[tuple[str, str, datetime]]:
    """The names of slots there are already: somebody asked for a run of just that time."""
    named = {name: {row[name] for row in rows} for name in ("job", "user", "due")}
    query = select(slots.c.user, slots.c.agent, slots.c.due).where(
        *(slots.c[name].in_(values) for name, values in named.items())
    )
    return {(row.user, row.agent, row.due) for row in connection.execute(query)}


def _advance(connection: Connection, plans: Sequence[Plan]) -> None:
    new = [plan for plan in plans if plan.after is None]
    if new:
        rows = [{**_name(plan), "planned_to": plan.due, "served": NEVER} for plan in new]
        connection.execute(insert(schedules), rows)
    old = [_moved(plan) for plan in plans if plan.after is not None]
    if old:
        connection.execute(_ADVANCE, old)


_ADVANCE = (
    update(schedules)
    .where(
        schedules.c.job == bindparam("of_job"),
        schedules.c.user == bindparam("of_user"),
        schedules.c.agent == bindparam("of_agent"),
    )
    .values(planned_to=bindparam("to"))
)
_OVERTAKE = (
    update(slots)
    .where(
        slots.c.job == bindparam("of_job"),
        slots.c.user == bindparam("of_user"),
        slots.c.agent == bindparam("of_agent"),
        slots.c.state == WAITING,
        slots.c.started.is_(None),
        slots.c.due < bindparam("to", type_=Utc),
    )
    .values(state=SKIPPED, ended=bindparam("at"), outcome=bindparam("why"))
)


def _name(plan: Plan) -> dict[str, str]:
    return {"job": plan.job, "user": plan.user, "agent": plan.agent}


def _moved(plan: Plan) -> Row:
    return {**{f"of_{name}": value for name, value in _name(plan).items()}, "to": plan.due}


def _overtaken(plan: Plan, now: datetime) -> Row:
    why = f"overtaken by {plan.due:%Y-%m-%d %H:%M} UTC before anybody began"
    return {**_moved(plan), "at": now, "why": why}


def _skipped(plan: Plan, now: datetime) -> Row:
    row = _waiting(plan, now, NEVER)
    over: Row = {"due": plan.first, "state": SKIPPED, "ended": now, "outcome": plan.words}
    return {**row, **over, "covers": plan.skipped}


def _waiting(plan: Plan, now: datetime, served: datetime) -> Row:
    row: Row = {"due": plan.due, "state": WAITING, "ready": now, "served": served}
    return {**_name(plan), **row, "ended": None, "outcome": "", "covers": 1}


def _served(connection: Connection, users: Collection[str]) -> dict[str, datetime]:
    """When each of these users had their last slice of anything."""
    query = select(schedules.c.user, func.max(schedules.c.served).label("last"))
    query = query.where(schedules.c.user.in_(users)).group_by(schedules.c.user)
    return {row.user: row.last for row in connection.execute(query)}


def add(connection: Connection, due: datetime, *, job: str, user: str, agent: str) -> bool:
    """Whether a slot was made that may begin at once; False when there is one of that name."""
    name = {"job": job, "user": user, "agent": agent, "due": due}
    mine = [slots.c[column] == value for column, value in name.items()]
    if connection.execute(select(slots.c.seq).where(*mine)).first() is not None:
        return False
    served = _served(connection, {user}).get(user, NEVER)
    connection.execute(insert(slots).values(**name, state=WAITING, ready=NEVER, served=served))
    return True


def paused(connection: Connection, job: str) -> dict[str, datetime]:
    """For whom a job is paused, and since when; `EVERYBODY` among them for all."""
    found = connection.execute(select(pauses).where(pauses.c.job == job).order_by(pauses.c.user))
    return {row.user: row.since for row in found}


def pause(connection: Connection, job: str, *, user: str = EVERYBODY, now: datetime) -> bool:
    """Whether a job was paused; False when it was already."""
    if user in paused(connection, job):
        return False
    connection.execute(insert(pauses).values(job=job, user=user, since=now))
    return True


def resume(connection: Connection, job: str, *, user: str = EVERYBODY) -> bool:
    """Whether a pause ended; what came due in it is made up for, so that is looked at again."""
    since = paused(connection, job).get(user)
    if since is None:
        return False
    connection.execute(delete(pauses).where(pauses.c.job == job, pauses.c.user == user))
    late = (timers.c.job == job, timers.c.swept > since)
    connection.execute(update(timers).where(*late).values(swept=since))
    return True
