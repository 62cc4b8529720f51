"""What one question sees of the scopes kept in memory: nearest vectors and best words, exactly."""

import threading
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.index.held import Bits, Held
from stratal_memory.index.line import Line
from stratal_memory.index.scan import best
from stratal_memory.records import Memory
from stratal_memory.text import terms
from stratal_memory.truth import memories
from stratal_memory.truth.sqlite import Prepared, QueryTerms, weighed_terms

K1, B = 1.2, 0.75  # BM25 as FTS5 has it
LEAST_IDF = 1e-6  # of a term that most rows hold, as FTS5 has it

T = TypeVar("T", bound=np.generic)
Places = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Matches:
    """Which rows hold which terms: one entry a pair, by row."""

    places: Places
    columns: Places  # of the terms
    counts: Floats  # how often


@dataclass(frozen=True, slots=True)
class View:
    """Which rows one WHERE clause allows, and for each scope how the truth is asked that again."""

    allowed: Bits
    confirming: tuple[Prepared, ...]


class Sight:
    """The rows of several scopes, one behind the other, at one moment."""

    def __init__(self, scopes: Sequence[Held], lock: threading.Lock) -> None:
        """The caller holds `lock`."""
        self._scopes, self._lock = scopes, lock
        sizes = [len(held.lines) for held in scopes]
        starts = [sum(sizes[:i]) for i in range(len(sizes))]
        self._parts = list(zip(scopes, starts, sizes, strict=True))
        self.seqs = _joined([held.seqs.rows for held in scopes])
        self._alive = _joined([held.alive.rows for held in scopes])
        self._lengths = _joined([held.lengths.rows for held in scopes])
        self._words = [held.words.rows for held in scopes]
        self._of = [held.of.rows for held in scopes]
        self._vectors = [held.vectors.rows for held in scopes]
        self._has_vector = _joined([held.has_vector.rows for held in scopes])
        self._matched: tuple[tuple[str, ...], Matches] | None = None
        self._cosines: tuple[Vectors, Vectors] | None = None
        self._lexical: tuple[QueryTerms, list[int]] | None = None

    @property
    def rows(self) -> int:
        """How many memories full text holds here."""
        return int(np.count_nonzero(self._alive))

    def query_terms(self, query: str) -> QueryTerms:
        """The distinct terms of `query`, as rare as they are within reach.

        What others store changes nothing of it.
        """
        wanted = tuple(dict.fromkeys(terms(query)))
        found = self._matches(wanted)
        held = np.bincount(found.columns, minlength=len(wanted)).tolist()
        return weighed_terms(dict(zip(wanted, held, strict=True)), self.rows)

    def _matches(self, wanted: tuple[str, ...]) -> Matches:
        if self._matched is None or self._matched[0] != wanted:
            parts = [self._matches_in(i, wanted) for i in range(len(self._parts))]
            places, columns, counts = zip(*parts, strict=True)
            self._matched = (wanted, Matches(_joined(places), _joined(columns), _joined(counts)))
        return self._matched[1]

    def _matches_in(self, i: int, wanted: Sequence[str]) -> tuple[Places, Places, Floats]:
        """The matches in one scope: every word of every row is looked at, all at once."""
        held, start, _ = self._parts[i]
        numbers = held.vocabulary
        columns = np.full(len(numbers) + 1, -1, dtype=np.int32)
        for column, term in enumerate(wanted):
            columns[numbers.get(term, -1)] = column
        columns[-1] = -1
        found = columns[self._words[i]]
        at = np.flatnonzero(found >= 0)
        pairs = self._of[i][at].astype(np.int64) * max(1, len(wanted)) + found[at]
        once, counts = np.unique(pairs, return_counts=True)
        places, column_of = np.divmod(once, max(1, len(wanted)))
        there = self._alive[places + start]
        return (
            (places + start)[there].astype(np.intp),
            column_of[there].astype(np.intp),
            counts[there].astype(np.float64),
        )

    def _of_terms(self, asked: QueryTerms) -> Matches:
        """The matches of the terms asked for: their columns are in the order of `asked`."""
        found = self._matched
        if found is None or not asked.idf.keys() <= set(found[0]):
            return self._matches(tuple(asked.idf))
        wanted, matches = found
        order = {term: i for i, term in enumerate(asked.idf)}
        columns = np.array([order.get(term, -1) for term in wanted], dtype=np.intp)
        new = columns[matches.columns] if wanted else matches.columns
        there = new >= 0
        return Matches(matches.places[there], new[there], matches.counts[there])

    def lexical(self, asked: QueryTerms, *, limit: int) -> list[int]:
        """The best `limit` rows by BM25, best first; a tie goes to the newer row.

        Every row of the scopes counts, whatever its form and status.
        """
        if self._lexical is None or self._lexical[0] is not asked:
            self._lexical = (asked, self._best_words(asked, limit))
        return self._lexical[1]

    def _best_words(self, asked: QueryTerms, limit: int) -> list[int]:
        found = self._of_terms(asked)
        if not len(found.places):
            return []
        order = np.lexsort((found.columns, found.places))
        places, columns = found.places[order], found.columns[order]
        counts = found.counts[order]
        total = self.rows
        held = np.bincount(columns, minlength=len(asked.idf))
        idf = np.log((total - held + 0.5) / (held + 0.5))
        idf = np.where(idf <= 0, LEAST_IDF, idf)
        lengths = self._lengths + 1.0  # the scope is a word of each row
        usual = float(lengths[self._alive].sum()) / total
        score = idf[columns] * (
            counts * (K1 + 1) / (counts + K1 * (1 - B + B * lengths[places] / usual))
        )
        once, first = np.unique(places, return_index=True)
        scores = np.add.reduceat(score, first)
        chosen = best(scores, self.seqs[once], limit=limit)
        return [int(seq) for seq in self.seqs[once[chosen]]]

    def nearest(self, query: Vectors, view: View, *, limit: int) -> list[int]:
        """The `limit` nearest rows in `view`, nearest first; a tie goes to the newer row."""
        if self._cosines is None or self._cosines[0] is not query:
            flat = query.reshape(-1)
            parts = [
                rows @ flat if rows.shape[1] else np.zeros(len(rows), dtype=np.float32)
                for rows in self._vectors
            ]
            self._cosines = (query, _joined(parts))
        places = np.flatnonzero(view.allowed & self._has_vector)
        chosen = places[best(self._cosines[1][places], self.seqs[places], limit=limit)]
        return [int(seq) for seq in self.seqs[chosen]]

    def view(self, connection: Connection, where: ColumnElement[bool], name: Hashable) -> View:
        """What `where` allows; `name` names what it says of other things than scopes."""
        with self._lock:
            masks = [held.mask(connection, where, name) for held in self._scopes]
        parts = [
            mask.allowed.rows[:size] for mask, (_, _, size) in zip(masks, self._parts, strict=True)
        ]
        return View(_joined(parts), tuple(mask.confirming for mask in masks))

    def lines(self, seqs: Iterable[int], view: View) -> dict[int, Line]:
        """Those of `seqs` that may be seen, by row number, in order."""
        seqs = sorted(seqs)
        found: dict[int, Line] = {}
        for held, start, size in self._parts:
            get, lines = held.place.get, held.lines
            allowed = view.allowed[start : start + size].tobytes()  # read one by one below
            for seq in seqs:
                place = get(seq, size)
                if place < size and allowed[place]:
                    found[seq] = lines[place]
        return found if len(self._parts) == 1 else dict(sorted(found.items()))

    def memories(
        self, connection: Connection, seqs: Sequence[int], where: ColumnElement[bool], view: View
    ) -> dict[int, Memory]:
        """Those of `seqs` that `where` allows, as the truth has them, by row number, in order."""
        at = list(self._at(seqs))
        known = {seq: held.memories[seq] for seq, held, _, _ in at if seq in held.memories}
        found = memories.by_seq(connection, [seq for seq in seqs if seq not in known], where)
        for seq, held, _, _ in at:
            if seq in found:
                held.memories[seq] = found[seq]
        if known:
            listed = list(known)
            for confirming in view.confirming:
                found |= {seq: known[seq] for (seq,) in confirming.run(connection, listed)}
        return dict(sorted(found.items()))

    def counts(self, seqs: Sequence[int], asked: QueryTerms) -> Floats:
        """(len(seqs) + 1, terms asked for): how often each row holds them; nothing in the last."""
        found = self._of_terms(asked)
        counts = np.zeros((len(seqs) + 1, len(asked.idf)))
        row_of = np.full(len(self.seqs) + 1, -1, dtype=np.intp)
        row_of[self._places(seqs)] = np.arange(len(seqs))
        rows = row_of[found.places]
        there = rows >= 0
        counts[rows[there], found.columns[there]] = found.counts[there]
        return counts

    def vectors(self, seqs: Sequence[int], *, width: int) -> Vectors:
        """(len(seqs), width): the vectors of these rows; zeros where there is none."""
        places = self._places(seqs)
        if len(self._parts) == 1 and self._vectors[0].shape[1]:
            return np.take(self._vectors[0], places, axis=0)
        made = np.zeros((len(seqs), width), dtype=np.float32)
        for rows, (_, start, size) in zip(self._vectors, self._parts, strict=True):
            if rows.shape[1]:
                there = (places >= start) & (places < start + size)
                made[there] = rows[places[there] - start]
        return made

    def _places(self, seqs: Sequence[int]) -> Places:
        """Where rows are that are all here, in the order of `seqs`."""
        if len(self._parts) == 1:
            known = self._parts[0][0].place
            return np.array([known[seq] for seq in seqs], dtype=np.intp)
        place = {seq: start + place for seq, _, place, start in self._at(seqs)}
        return np.array([place[seq] for seq in seqs], dtype=np.intp)

    def _at(self, seqs: Iterable[int]) -> Iterator[tuple[int, Held, int, int]]:
        """Those of `seqs` that are here, with scope, place in it, and where the scope starts."""
        for held, start, size in self._parts:
            get = held.place.get
            for seq in seqs:
                place = get(seq)
                if place is not None and place < size:
                    yield seq, held, place, start


def _joined(parts: Sequence[NDArray[T]]) -> NDArray[T]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
