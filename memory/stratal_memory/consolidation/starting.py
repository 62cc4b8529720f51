"""Beginning a run, or taking one up again; and knowing when there is nothing to do."""

from dataclasses import dataclass, replace

from sqlalchemy import Connection

from stratal_memory.consolidation.report import Report, State
from stratal_memory.records import new_id
from stratal_memory.store import Store
from stratal_memory.truth import events, runs, sessions, waiting
from stratal_memory.truth.runs import Run

KIND = "consolidation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A run this process works on now."""

    run: Run
    fence: int
    resumed: bool


def unchanged(store: Store, *, model: bool) -> bool:
    """Whether nothing has happened that a run could settle: costs a few reads.

    That is: the last run is over, nobody wrote since but that run itself, no conversation waits
    for its episode, no message waits for the model there is, and no time has come.
    """
    who = store.reach.principal
    with store.read() as connection:
        if runs.unfinished(connection, user=who.user, agent=who.agent) is not None:
            return False
        last = runs.latest(connection, kind=KIND, user=who.user, agent=who.agent)
        if last is None or (last.wake is not None and last.wake <= store.clock()):
            return False
        return not (
            events.any_since(connection, user=who.user, seq=last.watermark, but=last.id)
            or sessions.any_unsettled(connection, user=who.user, agent=who.agent)
            or (model and bool(waiting.waiting(connection, user=who.user, limit=1)))
        )


def begin(store: Store) -> Begun:
    """A new run, or the one that was not ended; `ConsolidationBusy` while somebody works on it."""
    who, owner = store.reach.principal, store.database.owner
    with store.write() as journal:
        connection, now = journal.connection, journal.at
        found = runs.unfinished(connection, user=who.user, agent=who.agent)
        if found is not None:
            if _at_work(store, found):
                raise runs.busy(found)
            fence = runs.take_up(connection, found, owner=owner, now=now)
            begun = Begun(run=found, fence=fence, resumed=True)
        else:
            begun = Begun(run=_new(connection, store, owner), fence=1, resumed=False)
        store.database.working.add(begun.run.id)
    return begun


def _at_work(store: Store, run: Run) -> bool:
    """Whether the lease holds: its time is not over, and its owner is there."""
    if run.lease_until is None or run.lease_until <= store.clock():
        return False
    return store.database.is_at_work(owner=run.owner, turn=run.id)


def _new(connection: Connection, store: Store, owner: str) -> Run:
    who, now = store.reach.principal, store.clock()
    run = Run(
        id=new_id("run"),
        kind=KIND,
        user=who.user,
        agent=who.agent,
        started=now,
        ended=None,
        undone=None,
        report=Report(run="", user=who.user, steps=(), changes=(), state=State.OPEN).to_json(),
        state=runs.OPEN,
        watermark=events.latest_seq(connection),
        owner=owner,
        lease_until=now + runs.LEASE,
    )
    runs.open_run(connection, run)
    return replace(run, fence=1)


def release(store: Store, begun: Begun) -> None:
    """Nobody works on the run any more, however the call ended; what it did stays."""
    try:
        with store.write() as journal:
            runs.let_go(journal.connection, begun.run.id, fence=begun.fence)
    finally:
        store.database.working.discard(begun.run.id)
