"""Which rows hold which words: the words of all rows, and where each word is."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from stratal_memory.index.column import Column

UNSORTED = 30_000  # words that are looked through at every question before they are sorted

Places = NDArray[np.intp]
Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Holding:
    """The rows that hold one word, in order, and how often."""

    places: Places
    counts: Places


class _Numbers(dict[str, int]):
    """The number of each word; a new word gets the next one."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class Postings:
    """The words of rows, by their number in `vocabulary`; rows come one behind the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # for what is sorted while others ask
        self.vocabulary = _Numbers()
        self._words = Column(np.empty(0, dtype=np.int32))  # of all rows
        self._of = Column(np.empty(0, dtype=np.int32))  # the place of the row of each
        self._sorted = 0  # so many of them are in the arrays below
        self._places: Numbers = np.empty(0, dtype=np.int32)  # of rows, by word
        self._counts: Numbers = np.empty(0, dtype=np.int32)
        self._starts: Places = np.zeros(1, dtype=np.intp)  # of each word in those

    @property
    def nbytes(self) -> int:
        """Bytes of memory the arrays take."""
        return sum(one.nbytes for one in (self._words, self._of, self._places, self._counts))

    def extend(self, rows: Sequence[Sequence[str]], *, first: int) -> None:
        """Add the words of rows, the first of which has the place `first`."""
        with self._lock:
            flat = list(map(self.vocabulary.__getitem__, chain.from_iterable(rows)))
            places = np.arange(first, first + len(rows), dtype=np.int32)
            self._words.extend(np.array(flat, dtype=np.int32))
            self._of.extend(np.repeat(places, [len(row) for row in rows]))

    def find(self, words: Sequence[str], *, rows: int) -> list[Holding]:
        """The first `rows` rows that hold each of `words`."""
        with self._lock:
            return self._find(words, rows)

    def _find(self, words: Sequence[str], rows: int) -> list[Holding]:
        if len(self._words.rows) - self._sorted > max(UNSORTED, self._sorted // 4):
            self._sort()
        late = self._look_through(words)
        return [
            _first(self._found(word), more, rows) for word, more in zip(words, late, strict=True)
        ]

    def _sort(self) -> None:
        words, places = self._words.rows.astype(np.int64), self._of.rows
        width = int(places[-1]) + 1
        pairs, counts = np.unique(words * width + places, return_counts=True)
        words, places = np.divmod(pairs, width)
        self._places, self._counts = places.astype(np.int32), counts.astype(np.int32)
        self._starts = np.searchsorted(words, np.arange(len(self.vocabulary) + 1))
        self._sorted = len(self._words.rows)

    def _found(self, word: str) -> Holding:
        number = self.vocabulary.get(word, -1)
        if not 0 <= number < len(self._starts) - 1:
            return Holding(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp))
        there = slice(self._starts[number], self._starts[number + 1])
        return Holding(self._places[there].astype(np.intp), self._counts[there].astype(np.intp))

    def _look_through(self, words: Sequence[str]) -> list[Holding]:
        """The rows of the words that are not sorted yet, all at once."""
        columns = np.full(len(self.vocabulary) + 1, -1, dtype=np.int32)
        for column, word in enumerate(words):
            columns[self.vocabulary.get(word, -1)] = column
        columns[-1] = -1
        found = columns[self._words.rows[self._sorted :]]
        at = np.flatnonzero(found >= 0)
        places = self._of.rows[self._sorted :][at].astype(np.int64)
        width = int(places[-1]) + 1 if len(places) else 1
        pairs, counts = np.unique(found[at] * width + places, return_counts=True)
        column, place = np.divmod(pairs, width)
        ends = np.searchsorted(column, np.arange(len(words) + 1))
        return [
            Holding(place[start:end], counts[start:end])
            for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
        ]


def _first(sorted_: Holding, late: Holding, rows: int) -> Holding:
    """Both, without what came behind the first `rows` rows."""
    places = np.concatenate([sorted_.places, late.places])
    end = int(np.searchsorted(places, rows))
    return Holding(places[:end], np.concatenate([sorted_.counts, late.counts])[:end])
