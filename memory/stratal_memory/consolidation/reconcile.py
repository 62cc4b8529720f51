"""Facts that say the same become one, with the evidence of both."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from sqlalchemy import ColumnElement, Connection, and_, select

from stratal_memory.consolidation.report import Change
from stratal_memory.embedding.embedder import Vectors
from stratal_memory.learning.family import told, voices_of
from stratal_memory.learning.trust import confidence_of, voices
from stratal_memory.records import TRUST_ORDER, Form, Memory, ScopeKind, Status
from stratal_memory.store import Store
from stratal_memory.text import STOP_WORDS, terms, text_hash
from stratal_memory.truth import memories, vectors
from stratal_memory.truth.access import visible
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import memories as table

# Far above the null of any usable model; and numbers, negation and names must agree besides
# (MEMORY, section 1.1, step 7: at 0.97 alone different facts were merged).
SAME_COSINE = 0.92
SAME_TERMS = 0.5  # share of the distinct terms in common
_NUMBER = re.compile(
    r"\d+(?:[.,]\d+)*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|first|second"
    r"|third|half|once|twice)\b",
    re.IGNORECASE,
)
# The first word of a sentence may be a name as well; stop words are told from names below.
_NAME = re.compile(r"\b[A-ZÀ-ÖØ-ÞА-ЯЁ]\w*")
_NEGATION = re.compile(
    r"\b(no|not|never|none|nothing|without|\w+n['’]t|no longer)\b", re.IGNORECASE
)


def reconcile(store: Store, journal: Journal) -> tuple[int, list[Change]]:
    """How many facts were compared, and the merges made."""
    facts = _facts(store, journal.connection)
    merged: set[int] = set()
    changes: list[Change] = []
    for kept, other, cosine in _pairs(facts, _rows(store, journal.connection, facts)):
        if kept in merged or other in merged or not _same(facts[kept], facts[other], cosine):
            continue
        facts[kept] = _merge(journal, facts[kept], facts[other])
        merged.add(other)
        changes.append(_change(facts[kept], facts[other]))
    return len(facts), changes


def _mine(store: Store) -> ColumnElement[bool]:
    scope = store.reach.principal.scope(ScopeKind.USER)
    return and_(
        visible(store.reach, forms=(Form.FACT,)),
        table.c.scope_kind == scope.kind,
        table.c.scope_id == scope.id,
    )


def _facts(store: Store, connection: Connection) -> list[Memory]:
    """The user's own active facts, most trusted and oldest first: those are kept."""
    found = memories.select_memories(connection, _mine(store))
    return sorted(found, key=lambda fact: (TRUST_ORDER.index(fact.trust), fact.recorded_at))


def _rows(store: Store, connection: Connection, facts: Sequence[Memory]) -> Vectors:
    """The stored vectors of `facts`, `(n, dimension)`; zeros where there is none."""
    matrix = vectors.matrix(connection, _mine(store), generation=store.generation)
    rows = np.zeros((len(facts), matrix.vectors.shape[1]), dtype=np.float32)
    place = {seq: position for position, seq in enumerate(matrix.seqs)}
    found = connection.execute(select(table.c.id, table.c.seq).where(_mine(store)))
    seq_of = {row.id: row.seq for row in found}
    for position, fact in enumerate(facts):
        if seq_of[fact.id] in place:
            rows[position] = matrix.vectors[place[seq_of[fact.id]]]
    return rows


def _pairs(facts: Sequence[Memory], rows: Vectors) -> Iterator[tuple[int, int, float]]:
    """The pairs worth a look, in order, each with its cosine: near, or equal in text or value.

    A row at a time: the square of all cosines would not fit for a hundred thousand facts.
    """
    twins = _twins(facts)
    for one in range(len(facts)):
        cosines = rows[one + 1 :] @ rows[one]
        near = {one + 1 + int(offset) for offset in np.flatnonzero(cosines >= SAME_COSINE)}
        for other in sorted(near | {twin for twin in twins[one] if twin > one}):
            yield one, other, float(cosines[other - one - 1])


def _twins(facts: Sequence[Memory]) -> list[set[int]]:
    """For each fact the positions of those with its text, or its value of the same facet."""
    groups: dict[tuple[str, str], set[int]] = {}
    keys = [
        (("", text_hash(fact.text)), (fact.facet or fact.id, text_hash(fact.value)))
        for fact in facts
    ]
    for position, named in enumerate(keys):
        for key in named:
            groups.setdefault(key, set()).add(position)
    return [groups[by_text] | groups[by_value] for by_text, by_value in keys]


def _same(one: Memory, other: Memory, cosine: float) -> bool:
    if text_hash(one.text) == text_hash(other.text):
        return True
    if one.facet and one.facet == other.facet:
        return bool(one.value) and text_hash(one.value) == text_hash(other.value)
    if one.facet and other.facet:
        return False  # two facets are two statements, however alike they sound
    ours, theirs = set(terms(one.text)), set(terms(other.text))
    alike = len(ours & theirs) >= SAME_TERMS * len(ours | theirs)
    return cosine >= SAME_COSINE and alike and _marks(one.text) == _marks(other.text)


def _marks(text: str) -> tuple[frozenset[str], bool, frozenset[str]]:
    """What must agree whatever the vectors say: numbers, negation, names."""
    return (
        frozenset(number.casefold() for number in _NUMBER.findall(text)),
        bool(_NEGATION.search(text)),
        frozenset(name for name in _NAME.findall(text) if name.casefold() not in STOP_WORDS),
    )


def _merge(journal: Journal, kept: Memory, other: Memory) -> Memory:
    known = {seen.ref for seen in kept.evidence}
    fresh = [seen for seen in told(other) if seen.ref not in known]
    if fresh:
        said = [*voices_of(kept), *voices_of(other)]
        raised = replace(
            kept,
            confidence=confidence_of(kept.trust, said),
            support=len(voices(said)),
        )
        journal.amend(kept, raised, seen=fresh, reason=f"merged with “{other.text}”")
    journal.close(other, status=Status.SUPERSEDED, reason=f"says the same as {kept.id}")
    [merged] = memories.select_memories(journal.connection, table.c.id == kept.id)
    if other.pinned and not kept.pinned:
        journal.pin(merged, pinned=True, reason="what it was merged with was pinned")
    return merged


def _change(kept: Memory, other: Memory) -> Change:
    return Change(
        step="reconcile",
        action="merged",
        before=other.text,
        after=kept.text,
        reason=f"both say the same; {kept.support} statements support it",
    )
