"""The arms that propose: nearest vectors and shared rare words, inside one WHERE clause."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection

from stratal_memory.recall.question import Question
from stratal_memory.records import Memory, Scope
from stratal_memory.store import Store
from stratal_memory.text import terms
from stratal_memory.truth import memories, sqlite, vectors


@dataclass(frozen=True, slots=True)
class Hit:
    """A proposed memory with what the arms measured."""

    memory: Memory
    cosine: float | None  # None when there is no vector to compare
    coverage: float  # share of the question's idf that its words cover, 0..1
    matched: int = 0  # how many of the question's rare words it holds


def propose(
    store: Store,
    connection: Connection,
    asked: Question,
    where: ColumnElement[bool],
    *,
    limit: int,
) -> list[Hit]:
    """Every memory an arm proposed, read back inside `where`, in the order they were recorded."""
    seqs = set(_dense(store, connection, asked, where, limit=limit))
    seqs |= set(_lexical(connection, asked, store.reach.scopes, limit=limit))
    found = memories.by_seq(connection, sorted(seqs), where)
    cosines = _cosines(store, connection, asked, sorted(found))
    return [_hit(asked, memory, cosines.get(seq)) for seq, memory in sorted(found.items())]


def _dense(
    store: Store,
    connection: Connection,
    asked: Question,
    where: ColumnElement[bool],
    *,
    limit: int,
) -> list[int]:
    if store.door is None or asked.vector is None:
        return []
    near = store.door.nearest(connection, asked.vector, where, limit=limit)
    return [item.seq for item in near]


# Full text knows scopes but not forms, so it is asked for more than is wanted of one form.
_LEXICAL_OVERSAMPLE = 5


def _lexical(
    connection: Connection, asked: Question, scopes: Sequence[Scope], *, limit: int
) -> list[int]:
    matches = sqlite.search_text(
        connection, query=asked.terms, scopes=scopes, limit=limit * _LEXICAL_OVERSAMPLE
    )
    return [match.seq for match in matches]


def _cosines(
    store: Store, connection: Connection, asked: Question, seqs: Sequence[int]
) -> dict[int, float]:
    if asked.vector is None or not seqs:
        return {}
    matrix = vectors.of_seqs(connection, seqs, generation=store.generation)
    if not matrix.seqs:
        return {}
    cosines = matrix.vectors @ asked.vector
    return {seq: float(cosine) for seq, cosine in zip(matrix.seqs, cosines, strict=True)}


def _hit(asked: Question, memory: Memory, cosine: float | None) -> Hit:
    """What the arms measured, with the share of what is rare in the question that is there."""
    held = set(terms(memories.searchable(memory)))
    matched = [idf for term, idf in asked.terms.idf.items() if term in held]
    total = asked.terms.total
    return Hit(memory, cosine, sum(matched) / total if total > 0 else 0.0, len(matched))
