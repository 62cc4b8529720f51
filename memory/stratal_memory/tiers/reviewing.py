"""A person's word on what is provisional, contested or quarantined."""

from dataclasses import dataclass, replace

from stratal_memory.facets import one_at_a_time
from stratal_memory.learning.resolution import Statement, found_by_text, resolve
from stratal_memory.learning.review import Review, to_review
from stratal_memory.learning.settings import GateSettings
from stratal_memory.learning.trust import confidence
from stratal_memory.learning.understanding import understood
from stratal_memory.records import (
    Evidence,
    Memory,
    Status,
    Trust,
    new_id,
)
from stratal_memory.store import Store
from stratal_memory.tiers.editing import Done, acting, done, settle_key, take_out
from stratal_memory.tiers.naming import one_standing
from stratal_memory.tiers.semantic import checked_text
from stratal_memory.truth import memories
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.vectors import LIVE

WAITING = (Status.CONTESTED, Status.QUARANTINED, Status.PROVISIONAL)
ACCEPTED = "accepted by hand"


@dataclass(frozen=True, slots=True)
class Reviewing:
    """The doubtful memories of one principal, and the word on them."""

    store: Store

    def waiting(self) -> Review:
        """What waits for a person, and the messages a model has yet to read."""
        return to_review(self.store)

    def accept(self, name: str) -> Done:
        """Make it so, on the user's own word: what it was contested by gives way.

        Raises `NotFound`, and `InputError` when it waits for nothing.
        """
        with self.store.read() as connection:
            found = one_standing(connection, self.store.reach, name, statuses=WAITING)
        said = _said(found, self.store.gate)
        vector = self.store.embed([found_by_text(said)])[0]
        with acting(self.store) as journal:
            found = one_standing(journal.connection, self.store.reach, found.id, statuses=WAITING)
            if found.status is Status.QUARANTINED:
                take_out(journal, found, status=Status.SUPERSEDED, reason=ACCEPTED)
                made = resolve(journal, said, vector=vector).memory
            else:
                made = _instead_of_rivals(journal, found)
                journal.add(made, reason=ACCEPTED, vector=vector)
            return done(journal, made.id, reason=ACCEPTED)

    def reject(self, name: str, *, reason: str = "rejected by hand") -> Done:
        """Take it out; what it contested stands alone again.

        Raises `NotFound`, and `InputError` when it waits for nothing.
        """
        why = checked_text(self.store, reason)
        with acting(self.store) as journal:
            found = one_standing(journal.connection, self.store.reach, name, statuses=WAITING)
            take_out(journal, found, status=Status.RETRACTED, reason=why)
            settle_key(journal, found.key)
            return done(journal, found.id, reason=why)


def _said(found: Memory, gate: GateSettings) -> Statement:
    """The statement as if the user had made it."""
    said = Statement(
        text=found.text,
        scope=found.scope,
        trust=Trust.USER,
        source=ACCEPTED,
        valid_from=found.valid_from,
        evidence=Evidence(ref=found.id, end=len(found.text), quote=found.text),
        facet=found.facet,
        value=found.value,
        single_valued=one_at_a_time(found.facet),
    )
    return said if found.facet else understood(said, gate)


def _instead_of_rivals(journal: Journal, found: Memory) -> Memory:
    """The accepted version, with everything that stood of its key closed."""
    known = memories.select_memories(
        journal.connection, (table.c.key == found.key) & table.c.status.in_(LIVE)
    )
    for one in known:
        until = max(one.valid_from, found.valid_from)
        reason = f"the user decided for “{found.value or found.text}”"
        journal.close(one, status=Status.SUPERSEDED, reason=reason, valid_to=until)
    current = [one.id for one in known if one.id != found.id]
    return replace(
        found,
        id=new_id("mem"),
        version=memories.next_version(journal.connection, found.key),
        trust=Trust.USER,
        status=Status.ACTIVE,
        confidence=confidence(Trust.USER, support=1),
        support=1,
        source=ACCEPTED,
        supersedes=current[-1] if current else found.id,
        recorded_at=journal.at,
        pinned=any(one.pinned for one in known),
        evidence=(Evidence(ref=found.id, end=len(found.text), quote=found.text, source=ACCEPTED),),
    )
