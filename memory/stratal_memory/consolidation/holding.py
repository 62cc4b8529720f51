"""Changes that wait for a person's word, and the word."""

from sqlalchemy import Connection

from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.operations import operation_json, operation_of, perform
from stratal_memory.consolidation.report import Change, Held, change_json, change_of
from stratal_memory.consolidation.step import Doubt
from stratal_memory.errors import NotFound
from stratal_memory.records import new_id
from stratal_memory.store import Store
from stratal_memory.text import storable
from stratal_memory.tiers.editing import acting
from stratal_memory.truth import held
from stratal_memory.truth.held import HeldRow
from stratal_memory.truth.journal import Journal

PREFIX = "held_"


def hold(night: Night, journal: Journal, step: str, doubt: Doubt) -> Held | None:
    """What is kept for a person; None when the same waits already or was decided on."""
    principal = night.store.reach.principal
    row = HeldRow(
        id=new_id(PREFIX.rstrip("_")),
        run=night.run,
        user=principal.user,
        agent=principal.agent,
        step=step,
        operation=operation_json(doubt.operation),
        change=change_json(doubt.change),
        risk=doubt.risk,
        at=journal.at,
    )
    if not held.hold(journal.connection, row):
        return None
    return Held(id=row.id, risk=row.risk, change=doubt.change)


def waiting(store: Store) -> list[Held]:
    """What waits for the store's user, oldest first."""
    with store.read() as connection:
        found = held.waiting(connection, user=store.user)
    return [Held(id=row.id, risk=row.risk, change=change_of(row.change)) for row in found]


def waiting_of(connection: Connection, run: str) -> list[Held]:
    """What a run held back so far."""
    found = held.of_run(connection, run)
    return [Held(id=row.id, risk=row.risk, change=change_of(row.change)) for row in found]


def accept(store: Store, id: str) -> list[Change]:
    """Do what was held; the changes it made, undone by the act like any other.

    None are made, and it waits no more, when what it rests on has changed since.
    Raises `NotFound` for what waits for nobody or is not the user's.
    """
    with acting(store) as journal:
        row = _one(journal, id, user=store.user)
        made = perform(store, journal, operation_of(row.operation), planned=None)
        word = held.ACCEPTED if made else held.GONE
        held.decide(journal.connection, row.id, decision=word, at=journal.at)
        return made


def reject(store: Store, id: str) -> Change:
    """What will not be done, now or by a later run; `NotFound` as for `accept`."""
    with store.write() as journal:
        row = _one(journal, id, user=store.user)
        held.decide(journal.connection, row.id, decision=held.REJECTED, at=journal.at)
        return change_of(row.change)


def _one(journal: Journal, id: str, *, user: str) -> HeldRow:
    found = held.waiting(journal.connection, user=user, ids=(storable(id),))
    if not found:
        raise NotFound(
            f"no held change {id!r} waits for you", hint="`stratal memory review` lists them."
        )
    return found[0]
