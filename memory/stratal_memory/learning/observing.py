"""After a turn: what came of the memories it was given, noted in the log and in the counts."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from stratal_memory.learning.usefulness import Shown, denied, judge
from stratal_memory.outcomes import Decided, Outcome
from stratal_memory.records import Status
from stratal_memory.store import Store
from stratal_memory.truth import events, recalls, usefulness
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.recalls import Logged, Recalled
from stratal_memory.truth.usefulness import Turned

_DISPUTED = (Status.SUPERSEDED, Status.RETRACTED, Status.CONTESTED)
_RESTED_ON = (Outcome.USED, Outcome.QUOTED)
Log = Mapping[str, Outcome | None]  # what is known of each memory of a turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A turn that is over: what was asked and answered, and what the model was shown."""

    session: str
    turn: str
    started: datetime
    question: str
    reply: str
    shown: frozenset[str]  # ids of the memories that stood in the request, or that a tool gave
    quotes_only: bool = False  # the answer is made of recalled text alone


def observe(store: Store, journal: Journal, answered: Answered) -> list[Decided]:
    """What came of the memories of a turn, and of those of the turn before that it corrects.

    Noted in the journal's transaction, in which its message was learned from: what that ended is
    seen here. What was recalled and did not fit into the request is not judged.
    """
    here, last = recalls.lately(journal.connection, answered.session, answered.turn)
    there = last.outcomes if last else {}
    known = recalls.told(journal.connection, store.reach, {*here.outcomes, *there})
    if not known:
        return []
    closed = _closed(journal.connection, known.values())
    mine = answered.shown & here.outcomes.keys()
    ended = {id for id, at in closed.items() if at >= answered.started and id in mine}
    rested_on = [id for id, outcome in there.items() if outcome in _RESTED_ON]
    wrong = denied(_shown(known, rested_on), answered.question)
    now = _judged(answered, known, here.outcomes, ended=ended, apart=wrong)
    then: list[Decided] = []
    if last is not None:
        before = {id for id, at in closed.items() if at >= last.started} - ended
        then = _corrected((before | wrong) & there.keys() & known.keys(), there)
        _note(journal, last, then, known=known)
    _note(journal, here, now, known=known)
    return [*now, *then]


def _closed(connection: Connection, known: Iterable[Recalled]) -> dict[str, datetime]:
    """When those that do not stand undisputed were ended or contested by somebody's word."""
    found = {one.id: one.key for one in known if one.status in _DISPUTED}
    return events.disputed(connection, found) if found else {}


def _shown(known: Mapping[str, Recalled], ids: Iterable[str]) -> list[Shown]:
    found = (known[id] for id in ids if id in known)
    return [Shown(memory=one.id, text=one.text, value=one.value) for one in found]


def _judged(
    answered: Answered,
    known: Mapping[str, Recalled],
    log: Log,
    *,
    ended: Collection[str],
    apart: Collection[str],
) -> list[Decided]:
    """What came of the memories of this turn; `apart` was denied, and counts where it was used."""
    open_ = [id for id in log if log[id] is None and id in answered.shown and id not in apart]
    judged = judge(
        _shown(known, open_),
        question=answered.question,
        reply=answered.reply,
        quotes_only=answered.quotes_only,
    )
    found = {one.memory: one for one in judged}
    for id in (id for id in open_ if id in ended):
        found[id] = Decided(memory=id, outcome=Outcome.CORRECTED)
    return list(found.values())


def _corrected(ids: Collection[str], log: Log) -> list[Decided]:
    return [
        Decided(memory=id, outcome=Outcome.CORRECTED)
        for id in sorted(ids)
        if log[id] is not Outcome.CORRECTED
    ]


def _note(
    journal: Journal, log: Logged, found: Sequence[Decided], *, known: Mapping[str, Recalled]
) -> None:
    """Into the log of the turn, and into the counts of the user."""
    if not found:
        return
    recalls.decide(journal.connection, log.turn, found, at=journal.at)
    turned = [
        Turned(
            key=known[one.memory].key,
            memory=one.memory,
            before=log.outcomes[one.memory],
            after=one.outcome,
        )
        for one in found
    ]
    usefulness.count_in(journal.connection, turned, user=journal.user)
