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
from stratal_memory.index.postings import Postings
from stratal_memory.records import Form, Memory, Scope, Trust
from stratal_memory.truth import sqlite, views
from stratal_memory.truth.sqlite import Prepared, Stamp
from stratal_memory.truth.views import Page, Row

Bits = NDArray[np.bool_]
Numbers = NDArray[np.int64]
MOST_CHANGES = 2_000  # events since from which a scope is read anew
ROW_BYTES = 1_500  # what a row takes beside its vector and its words, once it was recalled
_NUMBERS = {form.value: number for number, form in enumerate(Form)}
_FORMS = {form.value: form for form in Form}


@dataclass(slots=True)
class Mask:
    """Which rows a WHERE clause allows, as of the first `seen` changes."""

    allowed: Column[np.bool_]
    seen: int
    confirming: Prepared | None = None  # asks the truth the same of some rows


class Held:
    """The rows of one scope that one agent may see, as of `stamp`; a row never changes its place.

    Nothing of it leaves recall unread: what is found is read back from the truth with the scope in
    the WHERE clause. Whoever calls holds the lock of `Kept`.
    """

    def __init__(self, connection: Connection, scope: Scope, agent: str, generation: int) -> None:
        self.scope, self._agent, self._generation = scope, agent, generation
        self.stamp = sqlite.stamp(connection)
        self.memories: dict[int, Memory] = {}  # those that were recalled, by row number

        self._rows: list[Row] = []
        self._lines: dict[int, Line] = {}  # those that were looked at, by place
        self.place: dict[int, int] = {}  # by row number
        self.postings = Postings()
        self.seqs = Column(np.empty(0, dtype=np.int64))
        self.alive = Column(np.empty(0, dtype=np.bool_))  # full text holds it
        self.forms = Column(np.empty(0, dtype=np.int8))  # as `number_of` says
        self.own = Column(np.empty(0, dtype=np.bool_))  # a line of a conversation by the user
        self.pinned = Column(np.empty(0, dtype=np.bool_))
        self.sessions = Column(np.empty(0, dtype=np.int64))  # alike for the same conversation
        self.lengths = Column(np.empty(0, dtype=np.int32))  # in terms
        self.has_vector = Column(np.empty(0, dtype=np.bool_))
        self.vectors = Column(np.empty((0, 0), dtype=np.float32))
        self.masks: dict[Hashable, Mask] = {}
        self.changes: list[int] = []  # row numbers, since it was read whole
        for page in views.rows(connection, self.scope, self._agent, generation=self._generation):
            self._append(page)

    @property
    def nbytes(self) -> int:
        """About how many bytes of memory it takes."""
        columns = (self.seqs, self.vectors, self.postings)
        return sum(one.nbytes for one in columns) + ROW_BYTES * len(self._rows)

    def follows(self, connection: Connection, now: Stamp) -> bool:
        """Whether all that changed up to `now` could be taken in; else it must be read anew.

        A snapshot older than what is held changes nothing: what it can't see is not read back.
        """
        if now <= self.stamp:
            return True
        ids = views.touched(connection, self.stamp, now, most=MOST_CHANGES)
        if ids is None or not self._take_in(connection, ids):
            return False
        if now.outbox != self.stamp.outbox and not self._add_late(connection):
            return False
        self.stamp = now
        return True

    def _take_in(self, connection: Connection, ids: Sequence[str]) -> bool:
        """Whether these memories and all new ones could be taken in."""
        last = int(self.seqs.rows[-1]) if self._rows else 0
        found = views.changed(
            connection,
            self.scope,
            self._agent,
            generation=self._generation,
            ids=ids,
            after=last,
        )
        known = [row for row in found.rows if row.seq <= last]
        if any(row.seq not in self.place for row in known):
            return False  # one that was out of sight came back among the others
        self._append(Page(found.rows[len(known) :], found.vectors[len(known) :]))
        for row in found.rows:
            self.alive.rows[self.place[row.seq]] = row.words is not None
            self.pinned.rows[self.place[row.seq]] = row.pinned
            self.memories.pop(row.seq, None)
        self.changes += [row.seq for row in found.rows]
        return True

    def _append(self, page: Page) -> None:
        found = page.rows
        first = len(self._rows)
        words = [row.words.split() if row.words else [] for row in found]
        forms = [_NUMBERS[row.form] for row in found]
        message = number_of(Form.MESSAGE)
        own = [
            form == message and row.trust == Trust.USER
            for form, row in zip(forms, found, strict=True)
        ]
        self._rows += found
        self.place.update((row.seq, first + i) for i, row in enumerate(found))
        self.seqs.extend(np.array([row.seq for row in found], dtype=np.int64))
        self.alive.extend(np.array([row.words is not None for row in found], dtype=np.bool_))
        self.forms.extend(np.array(forms, dtype=np.int8))
        self.own.extend(np.array(own, dtype=np.bool_))
        self.pinned.extend(np.array([row.pinned for row in found], dtype=np.bool_))
        self.sessions.extend(np.array([hash(row.session) for row in found], dtype=np.int64))
        self.lengths.extend(np.array([len(some) for some in words], dtype=np.int32))
        self.postings.extend(words, first=first)
        self._append_vectors(page.vectors)

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

    def _add_late(self, connection: Connection) -> bool:
        """Whether vectors of memories that were there before could be taken in."""
        missing = self.seqs.rows[~self.has_vector.rows].tolist()
        late = views.late_vectors(connection, missing, generation=self._generation)
        if late and self.vectors.rows.shape[1] == 0:
            return False
        for seq, vector in late.items():
            self.vectors.rows[self.place[seq]] = np.frombuffer(vector, dtype="<f4")
            self.has_vector.rows[self.place[seq]] = True
        return True

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    def line(self, place: int) -> Line:
        """The row at `place` as the ranker sees it."""
        found = self._lines.get(place)
        if found is None:
            found = self._lines[place] = _line(self._rows[place])
        return found

    def mask(self, connection: Connection, where: ColumnElement[bool], view: Hashable) -> Mask:
        """Which rows `where` allows, by place; asked of the truth again for what changed since.

        `view` names what `where` says.
        """
        mask = self.masks.get(view)
        if mask is None:
            nothing = Column(np.zeros(len(self._rows), dtype=np.bool_))
            mask = Mask(nothing, len(self.changes))
            self._let_in(mask, views.allowed(connection, where, self.scope))
            self.masks[view] = mask
        elif mask.seen < len(self.changes):
            changed = self.changes[mask.seen :]
            mask.allowed.extend(np.zeros(len(self._rows) - len(mask.allowed.rows), dtype=np.bool_))
            mask.allowed.rows[[self.place[seq] for seq in changed]] = False
            if mask.confirming is None:
                mask.confirming = views.confirming(where)
            asked = mask.confirming.run(connection, changed)
            self._let_in(mask, [seq for (seq,) in asked])
            mask.seen = len(self.changes)
        return mask

    def _let_in(self, mask: Mask, seqs: Sequence[int]) -> None:
        mask.allowed.rows[[self.place[seq] for seq in seqs if seq in self.place]] = True


def number_of(form: Form) -> int:
    """The number that stands for a form in an array."""
    return _NUMBERS[form.value]


def _line(row: Row) -> Line:
    return Line(
        seq=row.seq,
        form=_FORMS[row.form],
        session=row.session,
        by_user=row.trust == Trust.USER,
        at=datetime.fromisoformat(row.valid_from),
        text=row.text,
        words=tuple(map(intern, row.words.split())) if row.words else (),
    )
