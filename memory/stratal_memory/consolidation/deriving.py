"""What is made of other memories and cites them.

It is as trusted as the least of them, as old as the newest, and falls with the first that falls:
`Journal` closes it then.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import and_, select

from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.report import Change
from stratal_memory.consolidation.step import Item
from stratal_memory.embedding.embedder import Vectors
from stratal_memory.learning.trust import CONFIDENCE
from stratal_memory.records import (
    Evidence,
    Form,
    Kind,
    Memory,
    ScopeKind,
    Status,
    lowest_trust,
    new_id,
)
from stratal_memory.store import Store
from stratal_memory.truth import memories
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import memories as table

PARKED = "derived.parked"  # a model's answer could not be used: the rules have told it


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A memory made of others, ready to be written in place of the `olds`."""

    form: Form
    kind: Kind
    facet: str  # what it is a summary of, the same from one version to the next
    text: str
    of: tuple[Memory, ...]
    olds: tuple[Memory, ...] = ()
    agent: str = ""
    failure: str = ""  # why a model could not tell it


def derived(night: Night, made: Derived, *, vector: Vectors | None, reason: str) -> Item:
    """The item that writes it; it does nothing when something it rests on is not as it was.

    Nor when another run, of another agent of the user, has told the same meanwhile.
    """

    def do(journal: Journal) -> list[Change]:
        named = [*made.of, *made.olds]
        now = _standing(journal, [one.id for one in named])
        if any(now.get(one.id) != one for one in named) or _told(night.store, journal, made):
            return []
        if made.failure:
            told = f"told by the rules: {made.failure}"
            journal.note(PARKED, reason=told, detail=(("facet", made.facet),))
        for old in made.olds:
            journal.close(old, status=Status.SUPERSEDED, reason="told anew")
        memory = _memory(night.store, journal, made)
        journal.add(memory, reason=reason, vector=vector)
        change = Change(
            step="",
            action="replaced" if made.olds else "added",
            before="; ".join(old.text for old in made.olds),
            after=made.text,
            reason=reason,
            evidence=tuple(one.id for one in made.of),
        )
        return [change]

    return Item(do)


def _standing(journal: Journal, ids: Sequence[str]) -> dict[str, Memory]:
    """Those versions as they are; by their ids alone, as they are compared with what was read.

    With more than that in the question SQLite goes through all that a user has.
    """
    here = table.c.id.in_(ids)
    return {one.id: one for one in memories.select_memories(journal.connection, here)}


def _told(store: Store, journal: Journal, made: Derived) -> bool:
    """Whether a memory that is to be replaced by none stands in its place."""
    scope = store.reach.principal.scope(ScopeKind.USER)
    about = and_(
        table.c.scope_kind == scope.kind,
        table.c.scope_id == scope.id,
        table.c.facet == made.facet,
    )
    olds = {old.id for old in made.olds}
    found = select(table.c.id, table.c.form, table.c.status, table.c.agent).where(about)
    return any(
        (row.form, row.status, row.agent) == (made.form, Status.ACTIVE, made.agent)
        and row.id not in olds
        for row in journal.connection.execute(found)
    )


def _memory(store: Store, journal: Journal, made: Derived) -> Memory:
    old = made.olds[0] if made.olds else None
    trust = lowest_trust(*(one.trust for one in made.of))
    return Memory(
        id=new_id("mem"),
        key=old.key if old else new_id("key"),
        version=old.version + 1 if old else 1,
        text=made.text,
        kind=made.kind,
        form=made.form,
        scope=store.reach.principal.scope(ScopeKind.USER),
        agent=made.agent,
        trust=trust,
        status=Status.ACTIVE,
        confidence=min(CONFIDENCE[trust], *(one.confidence for one in made.of)),
        source=f"made of {len(made.of)} memories",
        facet=made.facet,
        recorded_at=journal.at,
        valid_from=max(one.valid_from for one in made.of),
        supersedes=old.id if old else "",
        support=min(one.support for one in made.of),
        evidence=tuple(
            Evidence(ref=one.id, end=len(one.text), quote=one.text, trust=one.trust)
            for one in made.of
        ),
    )
