"""What a crash or a missing model left undone is taken up: not part of what undo takes back."""

from collections.abc import Iterator
from dataclasses import dataclass

from stratal_memory.consolidation.night import Asking
from stratal_memory.consolidation.report import Change, Step
from stratal_memory.embedding.backlog import embed_backlog
from stratal_memory.learning.deciding import KEPT, statement_of
from stratal_memory.learning.gate import STILL_OPEN, UNLEARNABLE, catch_up
from stratal_memory.learning.hearing import heard
from stratal_memory.learning.injected import strip_injected
from stratal_memory.learning.judging import judged
from stratal_memory.learning.model_reading import read_waiting
from stratal_memory.learning.privacy import hidden
from stratal_memory.learning.recollecting import injections_of
from stratal_memory.learning.resolution import resolve
from stratal_memory.learning.statement import Action, Statement
from stratal_memory.records import Role
from stratal_memory.store import Store
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.messages import Unremembered, unremembered
from stratal_memory.truth.waiting import waiting

NAME = "pending"
MOST = 100_000  # messages that wait for a model, counted
# How a diff calls what would become of a statement; what only confirms is no change in it.
CALLED = {
    Action.ADDED: "added",
    Action.SUPERSEDED: "replaced",
    Action.CONTESTED: "contested",
    Action.LATE: "added",
    Action.RETRACTED: "closed",
    Action.QUARANTINED: "added",
}


def catch_up_with(store: Store, asking: Asking) -> Step:
    """Messages that were never taken in, those that wait for a model, and what lacks a vector.

    Each is committed by itself and is never done twice. What the model learns now is as if it had
    been learned in the conversation: `memory undo` takes it back one by one.
    """
    taken = catch_up(store, waits=asking.model is not None)
    read, note = _read(store, asking) if asking.model is not None else (0, "")
    embedded = embed_backlog(store)
    return Step(
        name=NAME,
        looked_at=taken + read + embedded,
        changed=taken + read,
        how="model" if read else "rules",
        note=note,
    )


def _read(store: Store, asking: Asking) -> tuple[int, str]:
    reading = read_waiting(store, asking.ask)
    note = f"{reading.pending} messages wait: {reading.failure}" if reading.pending else ""
    return reading.read, note


@dataclass(frozen=True, slots=True, kw_only=True)
class Untaken:
    """What waits to be learned, read without a write."""

    messages: int  # that were never taken in
    waiting: int  # for a model to read them too
    statements: tuple[Statement, ...]  # that the rules find in the former, oldest first


def untaken(store: Store) -> Untaken:
    """What waits now. Each message is read with what is known, not with what waits before it."""
    left = list(_left(store))
    with store.read() as connection:
        places = waiting(connection, user=store.user, limit=MOST)
    statements = tuple(one for item in left for one in _statements(store, item))
    return Untaken(messages=len(left), waiting=len(places), statements=statements)


def rehearse(journal: Journal, found: Untaken, *, model: bool) -> tuple[Step, list[Change]]:
    """What taking in would change, written to a journal that the caller rolls back.

    The rules alone: of what waits for a model it says how much there is, and whether there is one.
    """
    changes = [change for one in found.statements for change in _learned(journal, one)]
    reader = "a run reads them" if model else "none is set"
    notes = (
        f"messages not taken in yet: {found.messages}" if found.messages else "",
        f"messages that wait for a model: {found.waiting} ({reader})" if found.waiting else "",
    )
    step = Step(
        name=NAME,
        looked_at=found.messages + found.waiting,
        changed=len(changes),
        note="; ".join(note for note in notes if note),
    )
    return step, changes


def _left(store: Store) -> Iterator[Unremembered]:
    after = 0
    while True:
        with store.read() as connection:
            before = store.clock() - STILL_OPEN
            page = unremembered(connection, user=store.user, before=before, after=after)
        if not page:
            return
        yield from page
        after = page[-1].seq


def _statements(store: Store, item: Unremembered) -> list[Statement]:
    """What the rules find in a message; nothing in one that can't be taken in, as at night."""
    message, session = item.message, item.session
    if message.role is not Role.USER:
        return []
    injected = injections_of(store, session)
    stretches = hidden(message.text, store.gate.privacy)
    said = strip_injected(message.text, injected.verbatim(message.text))
    try:
        found = [
            judged(
                one,
                message.text,
                stretches=stretches,
                injected=injected,
                privacy=store.gate.privacy,
            )
            for one in heard(store, session, message, said)
        ]
    except UNLEARNABLE:
        return []
    return [statement_of(store, session, message, one) for one in found if one.verdict in KEPT]


def _learned(journal: Journal, said: Statement) -> list[Change]:
    done = resolve(journal, said, vector=None)
    if done.action not in CALLED:
        return []
    over = done.action is Action.RETRACTED
    change = Change(
        step=NAME,
        action=CALLED[done.action],
        before=done.memory.text if over else "",
        after="" if over else done.memory.text,
        reason=done.reason,
        evidence=(said.evidence.ref,),
    )
    return [change]
