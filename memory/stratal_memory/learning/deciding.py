"""What becomes of a judged candidate: remembered or refused, each with its event and reason."""

from dataclasses import dataclass
from enum import StrEnum

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.learning.judging import Judged
from stratal_memory.learning.resolution import Action, Statement, resolve
from stratal_memory.learning.tense import holds_at
from stratal_memory.learning.worth import Verdict
from stratal_memory.records import (
    SAID_BY_USER,
    Evidence,
    Message,
    ScopeKind,
    Session,
    Status,
    Trust,
)
from stratal_memory.store import Store
from stratal_memory.truth.journal import Journal

REFUSED, RESTATED = "candidate.refused", "candidate.restated"
ACCEPTED, HELD, QUARANTINED = "candidate.accepted", "candidate.held", "candidate.quarantined"


class Fate(StrEnum):
    """What became of a candidate."""

    ENDED = "ended"  # it told that something is true no more
    CONTESTED = "contested"  # it disagrees with something more trusted
    PAST = "past"  # it was true once, and is kept as that
    QUARANTINED = "quarantined"  # a person decides

    LEARNED = "learned"
    KNOWN = "known"
    HELD = "held"
    REFUSED = "refused"


# Where the resolution says more than the gate knew.
FATES = {
    Action.RETRACTED: Fate.ENDED,
    Action.CONTESTED: Fate.CONTESTED,
    Action.LATE: Fate.PAST,
}
# What a verdict makes of a candidate: its fate, its status, and the event that tells of it.
KEPT = {
    Verdict.ACCEPT: (Fate.LEARNED, Status.ACTIVE, ACCEPTED),
    Verdict.PROVISIONAL: (Fate.HELD, Status.PROVISIONAL, HELD),
    Verdict.QUARANTINE: (Fate.QUARANTINED, Status.QUARANTINED, QUARANTINED),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One candidate, its fate, and why; `memory` names the memory it ended in, if any."""

    fate: Fate
    text: str
    reason: str
    memory: str = ""


def refuse(journal: Journal, one: Judged, message: Message) -> Decision:
    """Note why a candidate becomes no memory; what it says is written down without its secret."""
    text = one.quote if one.quote != one.found.quote else one.found.text
    told = (("text", text), ("rule", one.found.rule), ("message", message.id))
    if one.restated is not None:
        memory = (("memory", one.restated),) if one.restated else ()
        journal.note(RESTATED, reason=one.worth.reason, detail=(*told, *memory))
        return Decision(fate=Fate.KNOWN, text=text, reason=one.worth.reason, memory=one.restated)
    journal.note(REFUSED, reason=one.worth.reason, detail=told)
    return Decision(fate=Fate.REFUSED, text=text, reason=one.worth.reason)


def keep(journal: Journal, statement: Statement, one: Judged, row: Vectors | None) -> Decision:
    """Remember a candidate in the journal's transaction, and note why."""
    fate, _, event = KEPT[one.verdict]
    done = resolve(journal, statement, vector=row)
    told = (
        ("text", statement.text),
        ("rule", one.found.rule),
        ("memory", done.memory.id),
        ("message", statement.evidence.ref),
    )
    journal.note(event, reason=one.worth.reason, detail=told)
    return Decision(
        fate=FATES.get(done.action, fate),
        text=done.memory.text,
        reason=done.reason,
        memory=done.memory.id,
    )


def statement_of(store: Store, session: Session, message: Message, one: Judged) -> Statement:
    """The candidate as a statement of the user's, with the words it rests on."""
    found = one.found
    start, end = found.span
    assert message.created is not None
    return Statement(
        text=found.text,
        scope=store.reach.principal.scope(ScopeKind.USER),
        trust=Trust.USER,
        source=SAID_BY_USER,
        valid_from=found.valid_from or message.created,
        holds_at=holds_at(found.quote, found.valid_from, message.created),
        valid_to=found.valid_to,
        evidence=Evidence(ref=message.id, start=start, end=end, quote=one.quote),
        facet=found.facet,
        value=found.value,
        single_valued=found.single_valued,
        correction=found.correction,
        retracts=found.retracts,
        instead_of=found.instead_of,
        session=session.id,
        status=KEPT[one.verdict][1],
    )
