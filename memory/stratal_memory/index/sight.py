"""What one question sees of the scopes kept in memory: nearest vectors and best words, exactly."""

import threading
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.index.held import Bits, Held, number_of
from stratal_memory.index.line import Line
from stratal_memory.index.scan import best
from stratal_memory.index.wording import Wording
from stratal_memory.records import Form, Memory
from stratal_memory.text import learn
from stratal_memory.truth import memories
from stratal_memory.truth.sqlite import Prepared, QueryTerms, Stamp

Places = NDArray[np.intp]
Floats = NDArray[np.float64]
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True)
class View:
    """Which rows one WHERE clause allows."""

    allowed: Bits


class Sight:
    """The rows of several scopes, one behind the other, at one moment."""

    def __init__(self, scopes: Sequence[Held], lock: threading.Lock, now: Stamp) -> None:
        """As of `now`; the caller holds `lock`."""
        self._scopes, self._lock, self._now = scopes, lock, now
        sizes = [held.size for held in scopes]
        starts = [sum(sizes[:i]) for i in range(len(sizes))]
        self._parts = list(zip(scopes, starts, sizes, strict=True))
        self.seqs = _joined([held.seqs.rows for held in scopes])
        self._forms = _joined([held.forms.rows for held in scopes])
        self._own = _joined([held.own.rows for held in scopes])
        self._sessions = _joined([held.sessions.rows for held in scopes])
        self._lengths = _joined([held.lengths.rows for held in scopes])
        self._wording = Wording(
            [(held.postings, start, size) for held, start, size in self._parts],
            alive=_joined([held.alive.rows for held in scopes]),
            lengths=self._lengths,
        )
        self._vectors = [held.vectors.rows for held in scopes]
        self._has_vector = _joined([held.has_vector.rows for held in scopes])
        self._cosines: tuple[Vectors, Vectors] | None = None
        self._lexical: tuple[QueryTerms, list[int]] | None = None

    @property
    def last(self) -> int:
        """The number of the last memory of all, whoever has it."""
        return self._now.memories

    @property
    def rows(self) -> int:
        """How many memories full text holds here."""
        return self._wording.rows

    def query_terms(self, query: str) -> QueryTerms:
        """The distinct terms of `query`, as rare as they are within reach.

        What others store changes nothing of it.
        """
        return self._wording.query_terms(query)

    def lexical(self, asked: QueryTerms, *, limit: int) -> list[int]:
        """The best `limit` rows by BM25, best first; a tie goes to the newer row.

        Every row of the scopes counts, whatever its form and status.
        """
        if self._lexical is None or self._lexical[0] is not asked:
            self._lexical = (asked, self._wording.best(asked, self.seqs, limit=limit))
        return self._lexical[1]

    def nearest(self, query: Vectors, view: View, *, limit: int) -> list[int]:
        """The `limit` nearest rows in `view`, nearest first; a tie goes to the newer row."""
        if self._cosines is None or self._cosines[0] is not query:
            flat = query.reshape(-1)
            parts = [
                rows @ flat if rows.shape[1] else np.zeros(len(rows), dtype=np.float32)
                for rows in self._vectors
            ]
            self._cosines = (query, _joined(parts))
        there = np.where(view.allowed & self._has_vector, self._cosines[1], np.float32(-np.inf))
        chosen = best(there, self.seqs, limit=limit)
        chosen = chosen[there[chosen] > -np.inf]
        return [int(seq) for seq in self.seqs[chosen]]

    def view(self, connection: Connection, where: ColumnElement[bool], name: Hashable) -> View:
        """What `where` allows; `name` names what it says of other things than scopes."""
        with self._lock:
            masks = [held.mask(connection, where, name) for held in self._scopes]
        parts = [
            mask.allowed.rows[:size] for mask, (_, _, size) in zip(masks, self._parts, strict=True)
        ]
        return View(_joined(parts))

    def of_forms(self, view: View, forms: Iterable[Form]) -> View:
        """Of `view` what has one of `forms`."""
        one, *others = (self._forms == number_of(form) for form in forms)
        return View(reduce(np.logical_or, others, one) & view.allowed)

    def holds(self, seq: int) -> bool:
        """Whether the row is here."""
        return any(held.place.get(seq, size) < size for held, _, size in self._parts)

    @property
    def has_pinned(self) -> bool:
        """Whether anything here is pinned, whatever its form and status."""
        return any(held.pinned.rows[:size].any() for held, _, size in self._parts)

    def own(self, seqs: Sequence[int], view: View) -> dict[int, bool]:
        """Those of `seqs` that may be seen, and whether each is a line of the user's own."""
        places = self._places(seqs)
        own, allowed = self._own[places].tolist(), view.allowed[places].tolist()
        return {seq: mine for seq, mine, there in zip(seqs, own, allowed, strict=True) if there}

    def around(self, seqs: Sequence[int], view: View, *, reach: int) -> Places:
        """Where those of `seqs` are that may be seen, and what is around lines of conversations.

        `reach` row numbers before and after; in the order recorded.
        """
        here = self._places(seqs)
        spoken = self.seqs[here[self._forms[here] == number_of(Form.MESSAGE)]]
        found = [here]
        for held, start, size in self._parts:
            numbers = held.seqs.rows[:size]
            first = np.searchsorted(numbers, spoken - reach)
            near = first[:, np.newaxis] + np.arange(2 * reach + 1)
            end = np.searchsorted(numbers, spoken + reach, side="right")
            found.append(near[near < end[:, np.newaxis]] + start)
        places = np.unique(np.concatenate(found))
        places = places[view.allowed[places]]
        return places if len(self._parts) == 1 else places[np.argsort(self.seqs[places])]

    def beside(self, places: Places, *, reach: int) -> tuple[Places, Places]:
        """For each of `places`, which of them is the line before and after in its conversation.

        -1 where there is none, and for one place more, that of nobody.
        """
        before = np.full(len(places) + 1, -1, dtype=np.intp)
        after = before.copy()
        lines = np.flatnonzero(self._forms[places] == number_of(Form.MESSAGE))
        sessions = self._sessions[places[lines]]
        order = np.argsort(sessions, kind="stable")
        lines, sessions = lines[order], sessions[order]
        apart = np.diff(self.seqs[places[lines]])
        follow = (sessions[1:] == sessions[:-1]) & (apart <= reach)
        before[lines[1:][follow]] = lines[:-1][follow]
        after[lines[:-1][follow]] = lines[1:][follow]
        return before, after

    def lines(self, places: Places) -> list[Line]:
        """The lines at `places`."""
        if len(self._parts) == 1:
            return list(map(self._scopes[0].line, places.tolist()))
        starts = np.array([start for _, start, _ in self._parts])
        which = np.searchsorted(starts, places, side="right") - 1
        return [
            self._scopes[i].line(place)
            for i, place in zip(which.tolist(), (places - starts[which]).tolist(), strict=True)
        ]

    def lengths(self, places: Places) -> Floats:
        """How many terms the rows at `places` have."""
        return self._lengths[places].astype(np.float64)

    def memories(
        self,
        connection: Connection,
        seqs: Sequence[int],
        where: ColumnElement[bool],
        confirming: Prepared,
    ) -> dict[int, Memory]:
        """Those of `seqs` that `where` allows, as the truth has them, by row number, in order.

        `confirming` asks the truth for what `where` says of those that were read before.
        """
        at = self._held_by(seqs)
        known = {seq: held.memories[seq] for seq, held in at if seq in held.memories}
        unread = [seq for seq in seqs if seq not in known]
        found = memories.by_seq(connection, unread, where) if unread else {}
        self._keep(found)
        if known:
            there = confirming.run(connection, list(known))
            found |= {seq: known[seq] for (seq,) in there}
        return dict(sorted(found.items()))

    def _keep(self, found: Mapping[int, Memory]) -> None:
        with self._lock:
            for seq, held in self._held_by(list(found)):
                if held.stamp == self._now:  # else it may have changed since this snapshot
                    held.memories[seq] = found[seq]
                    learn(memories.searchable(found[seq]), held.line(held.place[seq]).words)

    def counts(self, places: Places, asked: QueryTerms) -> Floats:
        """(len(places) + 1, terms): how often each row holds what is asked; nothing in the last."""
        found = self._wording.matches(asked)
        counts = np.zeros((len(places) + 1, len(asked.idf)))
        row_of = np.full(len(self.seqs) + 1, -1, dtype=np.intp)
        row_of[places] = np.arange(len(places))
        rows = row_of[found.places]
        there = rows >= 0
        counts[rows[there], found.columns[there]] = found.counts[there]
        return counts

    def vectors(self, places: Places, *, width: int) -> Vectors:
        """(len(places) + 1, width): their vectors; zeros where there is none, and in the last."""
        made = np.zeros((len(places) + 1, width), dtype=np.float32)
        for rows, (_, start, size) in zip(self._vectors, self._parts, strict=True):
            if rows.shape[1] and len(self._parts) == 1:
                np.take(rows, places, axis=0, out=made[:-1])
            elif rows.shape[1]:
                there = np.flatnonzero((places >= start) & (places < start + size))
                made[there] = rows[places[there] - start]
        return made

    def _places(self, seqs: Sequence[int]) -> Places:
        """Where rows are that are all here, in the order of `seqs`."""
        if len(self._parts) == 1:
            known = self._parts[0][0].place
            return np.array([known[seq] for seq in seqs], dtype=np.intp)
        starts = {id(held): start for held, start, _ in self._parts}
        found = [starts[id(held)] + held.place[seq] for seq, held in self._held_by(seqs)]
        return np.array(found, dtype=np.intp)

    def _held_by(self, seqs: Sequence[int]) -> list[tuple[int, Held]]:
        """Rows that are all here, each with its scope."""
        if len(self._parts) == 1:
            return [(seq, self._parts[0][0]) for seq in seqs]
        return [(seq, next(one for one in self._scopes if seq in one.place)) for seq in seqs]


def _joined(parts: Sequence[NDArray[T]]) -> NDArray[T]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
