"""What one scope holds, kept in memory for recall: vectors, words, and who said it where."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from sys import intern

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection

from stratal_memory.index.column import Column
from stratal_memory.index.line import Line
from stratal_memory.records import Form, Memory, Scope, Trust
from stratal_memory.truth import sqlite, views
from stratal_memory.truth.sqlite import Prepared, Stamp
from stratal_memory.truth.views import Row

Bits = NDArray[np.bool_]
Numbers = NDArray[np.int64]
MOST_CHANGES = 2_000  # events since from which a scope is read anew
ROW_BYTES = 1_500  # what a row takes beside its vector and its words, once it was recalled


@dataclass(slots=True)
class Mask:
    """Which rows a WHERE clause allows, as of the first `seen` changes."""

    allowed: Column[np.bool_]
    seen: int
    confirming: Prepared  # asks the truth the same of some rows


class Held:
    """The rows of one scope that one agent may see, as of `stamp`; a row never changes its place.

    Nothing of it leaves recall unread: what is found is read back from the truth with the scope in
    the WHERE clause. Whoever calls holds the lock of `Kept`.
    """

    def __init__(self, connection: Connection, scope: Scope, agent: str, generation: int) -> None:
        self.scope, self._agent, self._generation = scope, agent, generation
        self.stamp = Stamp(-1, -1, -1, -1)
        self.memories: dict[int, Memory] = {}  # those that were recalled, by row number
        self.refresh(connection, sqlite.stamp(connection))

    @property
    def nbytes(self) -> int:
        """About how many bytes of memory it takes."""
        columns = (self.seqs, self.vectors, self.words, self.of)
        return sum(one.nbytes for one in columns) + ROW_BYTES * len(self.lines)

    def refresh(self, connection: Connection, now: Stamp) -> None:
        """Read what changed up to `now`; everything, when the events don't tell.

        A snapshot older than what is held changes nothing: what it can't see is not read back.
        """
        if now <= self.stamp:
            return
        ids = views.touched(connection, self.stamp, now, most=MOST_CHANGES)
        if ids is None:
            self._begin(connection)
        else:
            self._follow(connection, ids, vectors_too=now.outbox != self.stamp.outbox)
        self.stamp = now

    def _begin(self, connection: Connection) -> None:
        self.lines: list[Line] = []
        self.place: dict[int, int] = {}  # by row number
        self.vocabulary: dict[str, int] = {}
        self.seqs = Column(np.empty(0, dtype=np.int64))
        self.alive = Column(np.empty(0, dtype=np.bool_))  # full text holds it
        self.lengths = Column(np.empty(0, dtype=np.int32))  # in terms
        self.words = Column(np.empty(0, dtype=np.int32))  # of all rows, as in `vocabulary`
        self.of = Column(np.empty(0, dtype=np.int32))  # the place of the row of each word
        self.has_vector = Column(np.empty(0, dtype=np.bool_))
        self.vectors = Column(np.empty((0, 0), dtype=np.float32))
        self.masks: dict[Hashable, Mask] = {}
        self.changes: list[int] = []  # row numbers, since it was read whole
        self.memories.clear()
        for page in views.rows(connection, self.scope, self._agent, generation=self._generation):
            self._append(page)

    def _follow(self, connection: Connection, ids: Sequence[str], *, vectors_too: bool) -> None:
        last = int(self.seqs.rows[-1]) if self.lines else 0
        found = views.changed(
            connection,
            self.scope,
            self._agent,
            generation=self._generation,
            ids=ids,
            after=last,
        )
        if any(row.seq not in self.place and row.seq <= last for row in found):
            self._begin(connection)  # one that was out of sight came back among the others
            return
        self._append([row for row in found if row.seq > last])
        for row in found:
            self.alive.rows[self.place[row.seq]] = row.words is not None
            self.memories.pop(row.seq, None)
        self.changes += [row.seq for row in found]
        if vectors_too:
            self._add_late(connection)

    def _append(self, found: Sequence[Row]) -> None:
        first = len(self.lines)
        added = [_line(row) for row in found]
        lengths = np.array([len(line.words) for line in added], dtype=np.int32)
        numbers = self.vocabulary
        flat = [numbers.setdefault(word, len(numbers)) for line in added for word in line.words]
        places = np.arange(first, first + len(found), dtype=np.int32)
        self.lines += added
        self.place.update((row.seq, first + i) for i, row in enumerate(found))
        self.seqs.extend(np.array([row.seq for row in found], dtype=np.int64))
        self.alive.extend(np.array([row.words is not None for row in found], dtype=np.bool_))
        self.lengths.extend(lengths)
        self.words.extend(np.array(flat, dtype=np.int32))
        self.of.extend(np.repeat(places, lengths))
        self._append_vectors([row.vector for row in found])

    def _append_vectors(self, found: Sequence[bytes | None]) -> None:
        self.has_vector.extend(np.array([one is not None for one in found], dtype=np.bool_))
        known = next((one for one in found if one is not None), None)
        if known is not None and self.vectors.rows.shape[1] == 0:
            before = np.zeros((len(self.vectors.rows), len(known) // 4), dtype=np.float32)
            self.vectors = Column(before)
        width = self.vectors.rows.shape[1]
        nothing = bytes(4 * width)
        joined = b"".join(nothing if one is None else one for one in found)
        self.vectors.extend(np.frombuffer(joined, dtype="<f4").reshape(len(found), width))

    def _add_late(self, connection: Connection) -> None:
        """The vectors of memories that were written before they could be embedded."""
        missing = self.seqs.rows[~self.has_vector.rows].tolist()
        late = views.late_vectors(connection, missing, generation=self._generation)
        if late and self.vectors.rows.shape[1] == 0:
            self._begin(connection)
            return
        for seq, vector in late.items():
            self.vectors.rows[self.place[seq]] = np.frombuffer(vector, dtype="<f4")
            self.has_vector.rows[self.place[seq]] = True

    def mask(self, connection: Connection, where: ColumnElement[bool], view: Hashable) -> Mask:
        """Which rows `where` allows, by place; asked of the truth again for what changed since.

        `view` names what `where` says.
        """
        mask = self.masks.get(view)
        if mask is None:
            nothing = Column(np.zeros(len(self.lines), dtype=np.bool_))
            mask = Mask(nothing, len(self.changes), views.confirming(where, self.scope))
            self._let_in(mask, views.allowed(connection, where, self.scope))
            self.masks[view] = mask
        elif mask.seen < len(self.changes):
            changed = self.changes[mask.seen :]
            mask.allowed.extend(np.zeros(len(self.lines) - len(mask.allowed.rows), dtype=np.bool_))
            mask.allowed.rows[[self.place[seq] for seq in changed]] = False
            self._let_in(mask, views.allowed(connection, where, self.scope, changed))
            mask.seen = len(self.changes)
        return mask

    def _let_in(self, mask: Mask, seqs: Sequence[int]) -> None:
        mask.allowed.rows[[self.place[seq] for seq in seqs if seq in self.place]] = True


def _line(row: Row) -> Line:
    return Line(
        seq=row.seq,
        form=Form(row.form),
        session=intern(row.session),
        by_user=row.trust == Trust.USER,
        at=datetime.fromisoformat(row.valid_from),
        text=row.text,
        words=tuple(map(intern, row.words.split())) if row.words else (),
    )
