"""Facts that say the same become one, with the evidence of both."""

import re
from collections.abc import Sequence

import numpy as np
from sqlalchemy import Connection, and_, select

from stratal_memory.consolidation.report import Change
from stratal_memory.learning.trust import confidence
from stratal_memory.records import TRUST_ORDER, Form, Memory, ScopeKind, Status
from stratal_memory.store import Store
from stratal_memory.text import terms, text_hash
from stratal_memory.truth import memories, vectors
from stratal_memory.truth.access import visible
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import memories as table

# Far above the null of any usable model; and numbers, negation and names must agree besides
# (MEMORY, section 1.1, step 7: at 0.97 alone different facts were merged).
SAME_COSINE = 0.92
SAME_TERMS = 0.5  # share of the distinct terms in common
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<=[^.!?\s] )[A-ZÀ-ÖØ-ÞА-Я]\w+")
_NEGATION = re.compile(
    r"\b(no|not|never|none|nothing|without|\w+n['’]t|no longer)\b", re.IGNORECASE
)


def reconcile(store: Store, journal: Journal) -> tuple[int, list[Change]]:
    """How many facts were compared, and the merges made."""
    facts = _facts(store, journal)
    cosines = _cosines(store, journal.connection, facts)
    merged: set[str] = set()
    changes: list[Change] = []
    for i, kept in enumerate(facts):
        if kept.id in merged:
            continue
        for j in range(i + 1, len(facts)):
            other = facts[j]
            if other.id not in merged and _same(kept, other, float(cosines[i, j])):
                kept = _merge(journal, kept, other)
                merged.add(other.id)
                changes.append(_change(kept, other))
    return len(facts), changes


def _facts(store: Store, journal: Journal) -> list[Memory]:
    """The user's own active facts, most trusted and oldest first: those are kept."""
    scope = store.reach.principal.scope(ScopeKind.USER)
    where = and_(
        visible(store.reach, forms=(Form.FACT,)),
        table.c.scope_kind == scope.kind,
        table.c.scope_id == scope.id,
    )
    found = memories.select_memories(journal.connection, where)
    return sorted(found, key=lambda fact: (TRUST_ORDER.index(fact.trust), fact.recorded_at))


def _cosines(
    store: Store, connection: Connection, facts: Sequence[Memory]
) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    """All pairs from stored vectors; nothing is embedded here. Unknown ones are 0."""
    square = np.zeros((len(facts), len(facts)), dtype=np.float32)
    if not facts or not store.generation:
        return square
    rows = connection.execute(
        select(table.c.seq, table.c.id).where(table.c.id.in_([fact.id for fact in facts]))
    )
    seq_of = {id: seq for seq, id in rows}
    matrix = vectors.of_seqs(connection, sorted(seq_of.values()), generation=store.generation)
    place = {seq: position for position, seq in enumerate(matrix.seqs)}
    held = [i for i, fact in enumerate(facts) if seq_of[fact.id] in place]
    if held:
        rows_held = matrix.vectors[[place[seq_of[facts[i].id]] for i in held]]
        square[np.ix_(held, held)] = rows_held @ rows_held.T
    return square


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
        frozenset(_NUMBER.findall(text)),
        bool(_NEGATION.search(text)),
        frozenset(_NAME.findall(text)),
    )


def _merge(journal: Journal, kept: Memory, other: Memory) -> Memory:
    known = {seen.ref for seen in kept.evidence}
    fresh = [seen for seen in other.evidence if seen.ref not in known]
    if fresh:
        raised = confidence(kept.trust, support=kept.support + len(fresh))
        journal.reinforce(kept, confidence=raised, seen=fresh, reason=f"merged with “{other.text}”")
    journal.close(other, status=Status.SUPERSEDED, reason=f"says the same as {kept.id}")
    found = memories.select_memories(journal.connection, table.c.id == kept.id)
    return found[0]


def _change(kept: Memory, other: Memory) -> Change:
    return Change(
        step="reconcile",
        action="merged",
        before=other.text,
        after=kept.text,
        reason=f"both say the same; {kept.support} statements support it",
    )
