"""Runs of consolidation: when, for whom, how far they came, who works on them, what came of them.

A run is worked on under a lease: who takes it up raises its fence, and every item is committed
under the fence it was begun with. So a worker that was thought dead can't write beside another.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, RowMapping, delete, insert, select, update

from stratal_memory.errors import ConsolidationBusy, LeaseLost
from stratal_memory.records import new_id
from stratal_memory.truth.schema import runs
from stratal_memory.truth.schema_consolidation import run_changes, run_steps

# Longer than any one item takes, a model's slow answer and a retry among them; renewed as items
# are committed. On one machine a dead owner is seen at once, whatever the lease says.
LEASE = timedelta(minutes=10)
DONE, OPEN, PAUSED = "done", "open", "paused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run; `report` is its JSON."""

    id: str
    kind: str
    user: str
    started: datetime
    ended: datetime | None
    undone: datetime | None
    report: str
    agent: str = ""
    state: str = DONE
    watermark: int = 0  # the last event there was when it began
    wake: datetime | None = None  # when time alone gives the next run something to do
    owner: str = ""
    lease_until: datetime | None = None
    fence: int = 0


def start(connection: Connection, *, kind: str, user: str, at: datetime) -> str:
    """The id of a new run that is done in one transaction."""
    id = new_id("run")
    connection.execute(insert(runs).values(id=id, kind=kind, user=user, started=at))
    return id


def begin(connection: Connection, id: str, *, kind: str, user: str, at: datetime) -> None:
    """Note a run whose id is known already, unless it was noted before."""
    if connection.execute(select(runs.c.id).where(runs.c.id == id)).first() is None:
        connection.execute(insert(runs).values(id=id, kind=kind, user=user, started=at))


def finish(connection: Connection, run: str, *, report: str, at: datetime) -> None:
    """Keep what a run reported."""
    connection.execute(update(runs).where(runs.c.id == run).values(report=report, ended=at))


def open_run(connection: Connection, new: Run) -> None:
    """A run that goes by steps, with its lease; one of a user and agent at a time."""
    connection.execute(
        insert(runs).values(
            id=new.id,
            kind=new.kind,
            user=new.user,
            agent=new.agent,
            started=new.started,
            state=OPEN,
            watermark=new.watermark,
            owner=new.owner,
            lease_until=new.lease_until,
            fence=1,
        )
    )


def take_up(connection: Connection, run: Run, *, owner: str, now: datetime) -> int:
    """The new fence of a run that nobody works on any more."""
    fence = run.fence + 1
    mine = update(runs).where(runs.c.id == run.id)
    connection.execute(mine.values(state=OPEN, owner=owner, lease_until=now + LEASE, fence=fence))
    return fence


def hold_fast(connection: Connection, run: str, *, fence: int, now: datetime) -> None:
    """Renew the lease inside an item's transaction; `LeaseLost` when another has the run."""
    here = (runs.c.id == run) & (runs.c.fence == fence) & (runs.c.state == OPEN)
    renewed = update(runs).where(here).values(lease_until=now + LEASE)
    if connection.execute(renewed).rowcount != 1:
        raise LeaseLost(
            f"{run} was taken up by another process, or taken back",
            hint="Nothing is lost: that one goes on with it.",
        )


def wait(connection: Connection, run: str, *, state: str, report: str) -> None:
    """End a slice: the run waits, with its report so far, for whoever takes it up next."""
    connection.execute(update(runs).where(runs.c.id == run).values(state=state, report=report))


def let_go(connection: Connection, run: str, *, fence: int) -> None:
    """End the lease, if it is this one: anybody may take the run up at once."""
    mine = (runs.c.id == run) & (runs.c.fence == fence)
    connection.execute(update(runs).where(mine).values(owner="", lease_until=None))


def taken_back(connection: Connection, run: str, *, at: datetime) -> None:
    """A run that was undone is over, however far it came; who works on it loses the lease."""
    for table in (run_steps, run_changes):
        connection.execute(delete(table).where(table.c.run == run))
    connection.execute(
        update(runs)
        .where(runs.c.id == run, runs.c.state != DONE)
        .values(state=DONE, ended=at, owner="", lease_until=None, fence=runs.c.fence + 1)
    )


def end(
    connection: Connection, run: str, *, report: str, at: datetime, wake: datetime | None
) -> None:
    """End a run that went by steps: its report holds everything now."""
    for table in (run_steps, run_changes):
        connection.execute(delete(table).where(table.c.run == run))
    values = {"state": DONE, "owner": "", "lease_until": None, "report": report, "ended": at}
    connection.execute(update(runs).where(runs.c.id == run).values(**values, wake=wake))


def unfinished(connection: Connection, *, user: str, agent: str) -> Run | None:
    """The run of a user and agent that is not over; None when all are."""
    here = (runs.c.user == user) & (runs.c.agent == agent) & (runs.c.state != DONE)
    found = connection.execute(select(runs).where(here)).mappings().first()
    return None if found is None else _run(found)


def latest(connection: Connection, *, kind: str, user: str, agent: str) -> Run | None:
    """The newest run of a user and agent that is over and stands."""
    query = (
        select(runs)
        .where(
            runs.c.kind == kind,
            runs.c.user == user,
            runs.c.agent == agent,
            runs.c.state == DONE,
            runs.c.undone.is_(None),
        )
        .order_by(runs.c.started.desc())
        .limit(1)
    )
    found = connection.execute(query).mappings().first()
    return None if found is None else _run(found)


def busy(run: Run) -> ConsolidationBusy:
    """The error for a run that somebody works on."""
    since = f"since {run.started:%Y-%m-%d %H:%M} UTC"
    return ConsolidationBusy(
        f"{run.id} of {run.user} is being worked on by another process ({since})",
        hint="Wait for it, or look at it: stratal jobs history",
    )


def keep_step(connection: Connection, run: str, name: str, step: str) -> None:
    """Note a step that is over; `step` is its JSON."""
    connection.execute(insert(run_steps).values(run=run, name=name, step=step))


def steps_of(connection: Connection, run: str) -> dict[str, str]:
    """The steps of a run that are over, by name, as JSON."""
    query = select(run_steps.c.name, run_steps.c.step).where(run_steps.c.run == run)
    found = connection.execute(query)
    return {row.name: row.step for row in found}


def keep_change(connection: Connection, run: str, change: str, *, ordinal: int) -> None:
    """Note the `ordinal`-th change in the transaction that made it; `change` is its JSON."""
    connection.execute(insert(run_changes).values(run=run, ordinal=ordinal, change=change))


def changes_of(connection: Connection, run: str) -> list[str]:
    """What a run that is not over has changed so far, in order, as JSON."""
    here = run_changes.c.run == run
    query = select(run_changes.c.change).where(here).order_by(run_changes.c.ordinal)
    return list(connection.execute(query).scalars())


def find(connection: Connection, *, user: str, id: str | None = None) -> list[Run]:
    """The runs of a user, newest first; only that one when `id` is given."""
    query = select(runs).where(runs.c.user == user).order_by(runs.c.started.desc(), runs.c.id)
    if id is not None:
        query = query.where(runs.c.id == id)
    return [_run(row) for row in connection.execute(query).mappings()]


def _run(fields: RowMapping) -> Run:
    return Run(
        id=fields["id"],
        kind=fields["kind"],
        user=fields["user"],
        started=fields["started"],
        ended=fields["ended"],
        undone=fields["undone"],
        report=fields["report"],
        agent=fields["agent"],
        state=fields["state"],
        watermark=fields["watermark"],
        wake=fields["wake"],
        owner=fields["owner"],
        lease_until=fields["lease_until"],
        fence=fields["fence"],
    )
