"""Facts that say the same become one, with the evidence of both."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray
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

Flags = NDArray[np.bool_]
Places = NDArray[np.intp]
_Marks = tuple[frozenset[str], bool, frozenset[str]]

# Far above the null of any usable model; and numbers, negation and names must agree besides
# (MEMORY, section 1.1, step 7: at 0.97 alone different facts were merged).
SAME_COSINE = 0.92
SAME_TERMS = 0.5  # share of the distinct terms in common
MERGES = 1_000  # a run: the write lock is held for 4 ms each; the next run goes on
CELLS = 8_000_000  # cosines made at once: 32 MB
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


@dataclass(frozen=True, slots=True)
class Compared:
    """The facts of a snapshot, and which of them say the same: `(kept, other)`, in order."""

    facts: tuple[Memory, ...]
    pairs: tuple[tuple[int, int], ...]  # places in `facts`


def compare(store: Store) -> Compared:
    """Which of the user's own active facts say the same; nothing is written, and nobody waits."""
    with store.read() as connection:
        facts = _facts(store, connection)
        rows = _rows(store, connection, facts)
    gone = np.zeros(len(facts), dtype=np.bool_)
    found = chain(_twins(facts, gone), _near(facts, rows, gone))
    return Compared(tuple(facts), tuple(islice(found, MERGES)))


def reconcile(store: Store, journal: Journal, compared: Compared) -> tuple[int, list[Change]]:
    """How many facts were compared, and the merges made.

    A fact that changed since they were compared is passed over: the next run looks at it.
    """
    facts = compared.facts
    named = {facts[place].id for pair in compared.pairs for place in pair}
    now = _standing(store, journal.connection, sorted(named))
    touched: set[str] = set()  # by a merge of this run
    changes: list[Change] = []
    for kept, other in compared.pairs:
        pair = (facts[kept], facts[other])
        if any(one.id not in touched and now.get(one.id) != one for one in pair):
            continue
        ours, theirs = (now[one.id] for one in pair)
        now[ours.id] = _merge(journal, ours, theirs)
        touched |= {ours.id, theirs.id}
        changes.append(_change(now[ours.id], theirs))
    return len(facts), changes


def _standing(store: Store, connection: Connection, ids: Sequence[str]) -> dict[str, Memory]:
    """Those of `ids` that are active facts of the user still, as they are now."""
    return {
        fact.id: fact
        for start in range(0, len(ids), memories.PAGE)
        for fact in memories.select_memories(
            connection, and_(_mine(store), table.c.id.in_(ids[start : start + memories.PAGE]))
        )
    }


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


def _twins(facts: Sequence[Memory], gone: Flags) -> Iterator[tuple[int, int]]:
    """Pairs of one text, or of one value of the same facet; what is merged is marked `gone`."""
    for key_of in (_text_key, _value_key):
        first: dict[tuple[str, str], int] = {}
        for place, fact in enumerate(facts):
            key = None if gone[place] else key_of(fact)
            if key is None:
                continue
            kept = first.setdefault(key, place)
            if kept != place:
                gone[place] = True
                yield kept, place


def _text_key(fact: Memory) -> tuple[str, str] | None:
    return "", text_hash(fact.text)


def _value_key(fact: Memory) -> tuple[str, str] | None:
    return (fact.facet, text_hash(fact.value)) if fact.facet and fact.value else None


def _near(facts: Sequence[Memory], rows: Vectors, gone: Flags) -> Iterator[tuple[int, int]]:
    """Pairs whose vectors are near and whose words agree; what is merged is marked `gone`.

    Only what has the same marks is compared, by products of at most `CELLS` numbers.
    """
    groups: dict[_Marks, list[int]] = {}
    for place in np.flatnonzero(~gone & rows.any(axis=1)).tolist():
        groups.setdefault(_marks(facts[place].text), []).append(place)
    words = cache(lambda place: frozenset(terms(facts[place].text)))
    for group in groups.values():
        for kept, others in _neighbours(np.array(group), rows, gone):
            for other in others:
                if _alike(facts, kept, other, words=words):
                    gone[other] = True
                    yield kept, other


def _neighbours(group: Places, rows: Vectors, gone: Flags) -> Iterator[tuple[int, list[int]]]:
    """Each place of `group` that is left, with those behind it whose vectors are near."""
    if len(group) < 2:
        return
    mine = rows[group]
    together = max(1, CELLS // len(group))
    for start in range(0, len(group), together):
        block = mine[start : start + together] @ mine[start:].T >= SAME_COSINE
        for offset, near in enumerate(block):
            if not gone[group[start + offset]]:
                behind = group[start + offset + 1 :][near[offset + 1 :]]
                yield int(group[start + offset]), behind[~gone[behind]].tolist()


def _alike(
    facts: Sequence[Memory], one: int, other: int, *, words: Callable[[int], frozenset[str]]
) -> bool:
    if facts[one].facet and facts[other].facet:
        return False  # two facets are two statements, however alike they sound
    ours, theirs = words(one), words(other)
    return len(ours & theirs) >= SAME_TERMS * len(ours | theirs)


def _marks(text: str) -> _Marks:
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
