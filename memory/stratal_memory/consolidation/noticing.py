"""Episodes become facts: what a stretch of a conversation tells of known attributes is kept."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from sqlalchemy import Connection, and_, select

from stratal_memory.attributes.catalogue import Attribute
from stratal_memory.attributes.reader import reader_for
from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.report import Change
from stratal_memory.embedding.embedder import Vectors
from stratal_memory.learning.deciding import KEPT, keep, statement_of
from stratal_memory.learning.injected import strip_injected
from stratal_memory.learning.judging import Judged, judged
from stratal_memory.learning.noticing import Heard, Noticed, noticed
from stratal_memory.learning.privacy import hidden
from stratal_memory.learning.statement import found_by_text
from stratal_memory.learning.worth import Verdict
from stratal_memory.records import Form, Memory, Message, Session, Status
from stratal_memory.store import Store
from stratal_memory.truth import memories
from stratal_memory.truth.access import visible
from stratal_memory.truth.facets import about
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import evidence
from stratal_memory.truth.schema import memories as table


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A statement that is about to be remembered, and its vector."""

    message: Message
    judged: Judged
    vector: Vectors | None


def notice(night: Night, session: Session, said: Sequence[Message]) -> tuple[Kept, ...]:
    """What messages of the user tell and no rule has read; nothing without a fitting embedder.

    With a model to ask nothing either: it reads every message itself.
    """
    store = night.store
    reader = reader_for(store.embedder.generation if store.embedder else None)
    if reader is None or night.asking.model is not None:
        return ()
    with night.read() as connection:
        heard = [_heard(store, connection, one) for one in said]
        known = partial(_facts, store, connection)
        found = noticed(heard, reader=reader, embed=store.embed, known=known)
    kept = [(one.message, made) for one in found if (made := _judged(store, one)) is not None]
    texts = [found_by_text(statement_of(store, session, *one)) for one in kept]
    rows = night.embed(texts)
    return tuple(
        Kept(message=message, judged=one, vector=row)
        for (message, one), row in zip(kept, rows, strict=True)
    )


def _judged(store: Store, one: Noticed) -> Judged | None:
    """As the gate judges it; None where it is not kept, or not without an identifier."""
    text, privacy = one.message.text, store.gate.privacy
    made = judged(one.found, text, stretches=hidden(text, privacy), privacy=privacy)
    if made.verdict not in KEPT or made.found.text != one.found.text:
        return None
    if one.sure or made.verdict is not Verdict.ACCEPT:
        return made
    reason = f"{made.worth.reason}; not sure enough to stand alone"
    return replace(made, worth=replace(made.worth, verdict=Verdict.PROVISIONAL, reason=reason))


def _heard(store: Store, connection: Connection, message: Message) -> Heard:
    assert message.created is not None
    fact = and_(table.c.id == evidence.c.memory, table.c.form == Form.FACT)
    places = select(evidence.c.start, evidence.c.end).where(evidence.c.ref == message.id, fact)
    return Heard(
        message=message,
        text=strip_injected(message.text),
        at=store.gate.local(message.created),
        read=tuple((start, end) for start, end in connection.execute(places)),
    )


def _facts(store: Store, connection: Connection, attribute: Attribute) -> list[Memory]:
    """The live facts of an attribute, by their facets: of a long life there are many others."""
    live = visible(store.reach, forms=(Form.FACT,), statuses=(Status.ACTIVE, Status.PROVISIONAL))
    return memories.select_memories(connection, and_(live, about(attribute.all_facets)))


def remember(
    store: Store, journal: Journal, session: Session, kept: Sequence[Kept]
) -> list[Change]:
    """What was noticed, written beside the episode that tells it; what each changed."""
    changes: list[Change] = []
    for one in kept:
        statement = statement_of(store, session, one.message, one.judged)
        done = keep(journal, statement, one.judged, one.vector)
        changes.append(
            Change(
                step="episodes",
                action="closed" if statement.retracts else "added",
                before=done.text if statement.retracts else "",
                after="" if statement.retracts else done.text,
                reason=f"noticed in what was said: {done.reason}",
                evidence=(one.message.id,),
            )
        )
    return changes
