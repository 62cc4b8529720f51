"""Facts that say the same become one, with the evidence of both."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, and_, select

from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.operations import Merge, facts_of, operation_json, perform
from stratal_memory.consolidation.report import Change, change_of
from stratal_memory.consolidation.step import Doubt, Item, Plan
from stratal_memory.embedding.embedder import Vectors
from stratal_memory.learning.contrasts import apart, names, numbers, two_facts
from stratal_memory.records import TRUST_ORDER, Form, Memory, ScopeKind, Status
from stratal_memory.store import Store
from stratal_memory.text import terms, text_hash
from stratal_memory.truth import held, runs, vectors
from stratal_memory.truth.access import visible
from stratal_memory.truth.schema import memories as table

Flags = NDArray[np.bool_]
Places = NDArray[np.intp]
_Marks = tuple[frozenset[str], bool, frozenset[str]]

NAME = "reconcile"
# Far above the null of any usable model; and numbers, negation and names must agree besides
# (MEMORY, section 1.1, step 7: at 0.97 alone different facts were merged).
SAME_COSINE = 0.92
SAME_TERMS = 0.5  # share of the distinct terms in common
MERGES = 500  # of one run; a person looks at what goes beyond: so many were never one night's talk
MOST = 2_000  # pairs of one run, those that wait among them; the next run finds the rest
CELLS = 8_000_000  # cosines made at once: 32 MB
_NEGATION = re.compile(
    r"\b(no|not|never|none|nothing|without|\w+n['’]t|no longer)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Compared:
    """The facts of a snapshot, and which of them say the same: `(kept, other)`, in order."""

    facts: tuple[Memory, ...]
    pairs: tuple[tuple[int, int], ...]  # places in `facts`


def compare(
    store: Store, connection: Connection, known: Sequence[Memory], *, most: int = MOST
) -> Compared:
    """Which of these facts of the user say the same: those that are active."""
    facts = _in_order(one for one in known if one.status is Status.ACTIVE)
    rows = _rows(store, connection, facts)
    gone = np.zeros(len(facts), dtype=np.bool_)
    found = chain(_twins(facts, gone), _near(facts, rows, gone))
    return Compared(tuple(facts), tuple(islice(found, max(0, most))))


def plan(night: Night) -> Plan:
    """A merge for each pair that says the same; those beyond `MERGES` wait for a person."""
    with night.read() as connection:
        done = _merged(connection, night.run)
        known = [one for one in facts_of(night, connection) if one.recorded_at <= night.at]
        compared = compare(night.store, connection, known, most=MOST - done)
        back = held.kept_back(connection, user=night.store.user)
    facts = compared.facts
    planned = {facts[place].id: facts[place] for pair in compared.pairs for place in pair}
    merges = [Merge(kept=facts[one].id, other=facts[two].id) for one, two in compared.pairs]
    new = [one for one in merges if not back or operation_json(one) not in back]

    def item(merge: Merge, *, risk: str) -> Item:
        would = _would(planned[merge.kept], planned[merge.other]) if risk else None
        return Item(
            lambda journal: perform(night.store, journal, merge, planned=planned),
            Doubt(risk=risk, operation=merge, change=would) if would is not None else None,
        )

    many = f"more than {MERGES} merges in one run"
    made = [
        item(one, risk=many if number > MERGES else "") for number, one in enumerate(new, done + 1)
    ]
    more = done + len(compared.pairs) >= MOST and bool(new)
    return Plan(items=made, looked_at=len(facts), wake=night.at if more else None)


def _merged(connection: Connection, run: str) -> int:
    """How many a run that is taken up again has merged before."""
    found = (change_of(text) for text in runs.changes_of(connection, run))
    return sum(one.step == NAME for one in found)


def _would(kept: Memory, other: Memory) -> Change:
    return Change(
        step=NAME,
        action="merged",
        before=other.text,
        after=kept.text,
        reason="both say the same",
        evidence=(kept.id, other.id),
    )


def _mine(store: Store) -> ColumnElement[bool]:
    scope = store.reach.principal.scope(ScopeKind.USER)
    return and_(
        visible(store.reach, forms=(Form.FACT,)),
        table.c.scope_kind == scope.kind,
        table.c.scope_id == scope.id,
    )


def _in_order(found: Iterable[Memory]) -> list[Memory]:
    """Most trusted and oldest first: those are kept."""
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
        first: dict[tuple[str, str], list[int]] = {}
        for place, fact in enumerate(facts):
            key = None if gone[place] else key_of(fact)
            if key is None:
                continue
            alike = first.setdefault(key, [])
            kept = next((one for one in alike if not two_facts(facts[one], fact)), None)
            if kept is None:
                alike.append(place)
                continue
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
    if apart(facts[one].text, facts[other].text):
        return False
    ours, theirs = words(one), words(other)
    return len(ours & theirs) >= SAME_TERMS * len(ours | theirs)


def _marks(text: str) -> _Marks:
    """What must agree whatever the vectors say: numbers, negation, names."""
    return (
        numbers(text),
        bool(_NEGATION.search(text)),
        names(text),
    )
