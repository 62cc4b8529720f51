"""The rows of several scopes by the words they share with a question: BM25, as FTS5 has it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stratal_memory.index.postings import Places, Postings
from stratal_memory.index.scan import best
from stratal_memory.text import terms
from stratal_memory.truth.sqlite import QueryTerms, weighed_terms

K1, B = 1.2, 0.75
LEAST_IDF = 1e-6  # of a term that most rows hold

Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Matches:
    """Which rows hold which terms: one entry a pair, term after term."""

    places: Places
    columns: Places  # of the terms
    counts: Floats  # how often


class Wording:
    """The words of the rows of several scopes, one scope behind the other."""

    def __init__(
        self, parts: Sequence[tuple[Postings, int, int]], *, alive: Bits, lengths: NDArray[np.int32]
    ) -> None:
        """`parts` are words, first place and rows of a scope; `alive` is what full text holds."""
        self._parts, self._alive, self._lengths = parts, alive, lengths
        self._rows = int(np.count_nonzero(alive))
        self._found: dict[str, tuple[Places, Places]] = {}  # places and counts of each term

    @property
    def rows(self) -> int:
        """How many memories full text holds here."""
        return self._rows

    def query_terms(self, query: str) -> QueryTerms:
        """The distinct terms of `query`, as rare as they are within reach."""
        wanted = list(dict.fromkeys(terms(query)))
        self._find(wanted)
        return weighed_terms({term: len(self._found[term][0]) for term in wanted}, self._rows)

    def _find(self, wanted: Iterable[str]) -> None:
        new = [term for term in wanted if term not in self._found]
        if not new:
            return
        found = [words.find(new, rows=rows) for words, _, rows in self._parts]
        for i, term in enumerate(new):
            of_term = [one[i] for one in found]
            places = np.concatenate(
                [
                    one.places + start
                    for one, (_, start, _) in zip(of_term, self._parts, strict=True)
                ]
            )
            counts = np.concatenate([one.counts for one in of_term])
            there = self._alive[places]
            self._found[term] = places[there], counts[there]

    def matches(self, asked: QueryTerms) -> Matches:
        """The rows that hold the terms asked for; columns in their order."""
        self._find(asked.idf)
        found = [self._found[term] for term in asked.idf]
        if not found:
            nothing = np.empty(0, dtype=np.intp)
            return Matches(nothing, nothing, np.empty(0))
        columns = np.repeat(np.arange(len(found)), [len(places) for places, _ in found])
        places, counts = zip(*found, strict=True)
        return Matches(np.concatenate(places), columns, np.concatenate(counts).astype(np.float64))

    def best(self, asked: QueryTerms, seqs: NDArray[np.int64], *, limit: int) -> list[int]:
        """The row numbers of the best `limit` rows, best first; a tie goes to the newer row."""
        found = self.matches(asked)
        if not len(found.places):
            return []
        held = np.bincount(found.columns, minlength=len(asked.idf))
        idf = np.log((self._rows - held + 0.5) / (held + 0.5))
        idf = np.where(idf <= 0, LEAST_IDF, idf)
        # The scope is a word of each row.
        usual = (float(self._lengths.sum(where=self._alive)) + self._rows) / self._rows
        lengths = self._lengths[found.places] + 1.0
        score = idf[found.columns] * (
            found.counts * (K1 + 1) / (found.counts + K1 * (1 - B + B * lengths / usual))
        )
        total: Floats = np.bincount(found.places, weights=score).astype(np.float64)
        there = np.flatnonzero(total)
        chosen = there[best(total[there], seqs[there], limit=limit)]
        return [int(seq) for seq in seqs[chosen]]
