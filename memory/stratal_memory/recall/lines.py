"""What the ranker looks at of a memory: its words, its vector, when, and who said it where."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, select

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.index.line import Line
from stratal_memory.index.sight import Sight, View
from stratal_memory.recall.question import Question
from stratal_memory.records import Form, Trust
from stratal_memory.truth import sqlite, vectors
from stratal_memory.truth.schema import memories

# Rows before and after a message in which its neighbours are: facts lie between messages.
REACH = 6
PAGE = 500  # rows of one IN (...) list
NOBODY = -1  # where a neighbour would be and there is none

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]


def around(seqs: Iterable[int]) -> list[int]:
    """The row numbers of `seqs` and of what may be their neighbours, in order."""
    wide = {near for seq in seqs for near in range(seq - REACH, seq + REACH + 1)}
    return sorted(seq for seq in wide if seq > 0)


def read(
    connection: Connection, seqs: Sequence[int], where: ColumnElement[bool]
) -> dict[int, Line]:
    """Those of `seqs` that `where` allows, by row number, in order."""
    found: dict[int, Line] = {}
    for start in range(0, len(seqs), PAGE):
        page = list(seqs[start : start + PAGE])
        words = sqlite.terms_of(connection, page)
        rows = connection.execute(
            select(
                memories.c.seq,
                memories.c.form,
                memories.c.session,
                memories.c.trust,
                memories.c.valid_from,
                memories.c.text,
            )
            .where(memories.c.seq.in_(page), where)
            .order_by(memories.c.seq)
        )
        for seq, form, session, trust, at, text in rows:
            found[seq] = Line(
                seq=seq,
                form=Form(form),
                session=session,
                by_user=trust == Trust.USER,
                at=at,
                text=text,
                words=tuple(words.get(seq, "").split()),
            )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Lines beside a question: row `i` of every array belongs to `lines[i]`.

    Arrays that are looked into by neighbour have one more row, of zeros, for `NOBODY`.
    """

    lines: tuple[Line, ...]
    place: dict[int, int]  # by row number of the truth
    counts: Numbers  # (n + 1, terms asked for): how often each is there
    lengths: Numbers  # (n + 1,): terms of the line
    rows: Vectors  # (n + 1, dimension); zeros where there is no vector
    before: Places  # (n + 1,): the line said right before in the same conversation
    after: Places

    @classmethod
    def kept(cls, seqs: Sequence[int], *, asked: Question, sight: Sight, view: View) -> "Lines":
        """Those of `seqs` in `view` and what is around them, of the scopes kept in memory."""
        places = sight.around(seqs, view, reach=REACH)
        before, after = sight.beside(places, reach=REACH)
        if asked.vector is None:
            rows = np.zeros((len(places) + 1, 1), dtype=np.float32)
        else:
            rows = sight.vectors(places, width=len(asked.vector))
        return cls(
            lines=tuple(sight.lines(places)),
            place={seq: i for i, seq in enumerate(sight.seqs[places].tolist())},
            counts=sight.counts(places, asked.terms),
            lengths=np.append(sight.lengths(places), 0.0),
            rows=rows,
            before=before,
            after=after,
        )

    @classmethod
    def stored(
        cls, connection: Connection, lines: Sequence[Line], *, asked: Question, generation: int
    ) -> "Lines":
        """`lines`, which are in order, with what the question needs of them of the truth."""
        place = {line.seq: i for i, line in enumerate(lines)}
        before, after = _beside(lines)
        return cls(
            lines=tuple(lines),
            place=place,
            counts=_counts(lines, asked),
            lengths=np.array([*(len(line.words) for line in lines), 0], dtype=np.float64),
            rows=_rows(connection, place, asked=asked, generation=generation),
            before=before,
            after=after,
        )

    def window(self, places: Places, *, before: int, after: int) -> Places:
        """(len(places), before + 1 + after) places around each, in order; `NOBODY` past an end."""
        columns = [places]
        for _ in range(before):
            columns.insert(0, self.before[columns[0]])
        for _ in range(after):
            columns.append(self.after[columns[-1]])
        return np.stack(columns, axis=1)


def _counts(lines: Sequence[Line], asked: Question) -> Numbers:
    column = {term: i for i, term in enumerate(asked.terms.idf)}
    counts = np.zeros((len(lines) + 1, len(column)))
    for i, line in enumerate(lines):
        for word in line.words:
            if word in column:
                counts[i, column[word]] += 1
    return counts


def _beside(lines: Sequence[Line]) -> tuple[Places, Places]:
    """The places of the neighbours among `lines`; a conversation's messages lie close together."""
    before = np.full(len(lines) + 1, NOBODY, dtype=np.intp)
    after = before.copy()
    last: dict[str, int] = {}
    for i, line in enumerate(lines):
        if line.form is not Form.MESSAGE:
            continue
        there = last.get(line.session)
        if there is not None and line.seq - lines[there].seq <= REACH:
            before[i], after[there] = there, i
        last[line.session] = i
    return before, after


def _rows(
    connection: Connection, place: dict[int, int], *, asked: Question, generation: int
) -> Vectors:
    width = 1 if asked.vector is None else len(asked.vector)
    rows = np.zeros((len(place) + 1, width), dtype=np.float32)
    if asked.vector is not None and place:
        matrix = vectors.of_seqs(connection, list(place), generation=generation)
        if matrix.seqs:
            rows[[place[seq] for seq in matrix.seqs]] = matrix.vectors
    return rows
