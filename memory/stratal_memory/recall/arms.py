"""The arms that propose: meaning, rare words, and the time asked about, inside one WHERE clause."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import ColumnElement, Connection, select

from stratal_memory.index.line import Line
from stratal_memory.recall import lines
from stratal_memory.recall.calibration import Null
from stratal_memory.recall.features import Features, features
from stratal_memory.recall.lines import Lines
from stratal_memory.recall.question import Question
from stratal_memory.recall.sources import Source, source_of
from stratal_memory.recall.updates import asks_for_a_number, latest_first
from stratal_memory.recall.weights import similarities
from stratal_memory.records import Form, Memory
from stratal_memory.store import Store
from stratal_memory.truth.schema import memories as table

# An arm is asked for this many times what is wanted of it: full text knows scopes but not forms,
# and long answers of the assistant crowd out the user's own short lines.
OVERSAMPLE = 5
READ_BACK = 2  # times the proposals of one arm: lines of conversations that are read whole


@dataclass(frozen=True, slots=True)
class Hit:
    """A proposed memory with what the arms measured."""

    memory: Memory
    cosine: float | None  # None when there is no vector to compare
    coverage: float  # share of the question's idf that its words cover, 0..1
    matched: int = 0  # how many of the question's rare words it holds
    features: Features | None = None  # of a conversation's line; None for all else
    similarity: float = 0.0  # what the ranker makes of `features`, 0..1
    best: float = 0.0  # the similarity of the best line of a conversation, 0..1


def propose(
    store: Store,
    connection: Connection,
    asked: Question,
    where: ColumnElement[bool],
    *,
    limit: int,
    null: Null | None = None,
    view: Hashable = None,
) -> list[Hit]:
    """Every memory an arm proposed, read back inside `where`, in the order they were recorded.

    The lines said right before and after a proposed one are candidates too: an answer often
    shares no word with what is asked, but stands below a question that does. `view` names what
    `where` says, so that its vectors may be kept.
    """
    source = source_of(store, connection, asked, where, view=view)
    seqs = _proposed(connection, asked, where, source, limit=limit)
    near = Lines.of(
        connection, _read(source, sorted(seqs)), asked=asked, generation=store.generation
    )
    weighed_up = features(asked, near, _spoken(seqs, near), null=null)
    ranked = similarities(asked, near, weighed_up)
    if asks_for_a_number(asked.text) and ranked:
        ranked = latest_first(ranked, near, asked)
    others = [seq for seq in seqs if seq in near.place and not _is_message(near, seq)]
    best = sorted(ranked, key=lambda seq: (-ranked[seq], -seq))
    highest = ranked[best[0]] if best else 0.0
    wanted = sorted(others + best[: READ_BACK * limit])
    found = source.memories(wanted)
    cosines, coverage, matched = _measured(asked, near)
    return [
        Hit(
            memory,
            cosines[near.place[seq]],
            coverage[near.place[seq]],
            matched[near.place[seq]],
            weighed_up.get(seq),
            ranked.get(seq, 0.0),
            highest,
        )
        for seq, memory in sorted(found.items())
    ]


def _proposed(
    connection: Connection,
    asked: Question,
    where: ColumnElement[bool],
    source: Source,
    *,
    limit: int,
) -> set[int]:
    """The row numbers each arm wants, of every form and of the user's own words apart."""
    dense = source.nearest(limit=limit * OVERSAMPLE)
    lexical = source.worded(limit=limit * OVERSAMPLE)
    own = source.own({*dense, *lexical})
    seqs = set(_timed(connection, asked, where, limit=limit))
    for arm in (dense, lexical):
        there = [seq for seq in arm if seq in own]
        seqs.update(there[:limit])
        seqs.update([seq for seq in there if own[seq]][: limit // 2])
    return seqs


def _timed(
    connection: Connection, asked: Question, where: ColumnElement[bool], *, limit: int
) -> list[int]:
    """What was said in the first time the question names, newest first."""
    if not asked.times or asked.times[0].every_year:
        return []
    first = asked.times[0]
    inside = table.c.valid_from.between(first.start, first.end)
    found = connection.execute(
        select(table.c.seq).where(where, inside).order_by(table.c.seq.desc()).limit(limit)
    )
    return list(found.scalars())


def _read(source: Source, seqs: Sequence[int]) -> list[Line]:
    """The proposed lines, and those around the ones said in a conversation, in order."""
    proposed = source.lines(seqs)
    spoken = [seq for seq, line in proposed.items() if line.form is Form.MESSAGE]
    near = [seq for seq in lines.around(spoken) if seq not in proposed]
    both = proposed | source.lines(near)
    return [both[seq] for seq in sorted(both)]


def _is_message(near: Lines, seq: int) -> bool:
    return near.lines[near.place[seq]].form is Form.MESSAGE


def _spoken(seqs: Iterable[int], near: Lines) -> list[int]:
    """The proposed lines of conversations, and the one before and after each."""
    here = [near.place[seq] for seq in seqs if seq in near.place and _is_message(near, seq)]
    places = {*here, *near.before[here].tolist(), *near.after[here].tolist()} if here else set()
    return sorted(near.lines[place].seq for place in places if place >= 0)


def _measured(asked: Question, near: Lines) -> tuple[list[float | None], list[float], list[int]]:
    """Of each line its cosine, the share of the question's idf it covers, and its rare words."""
    cosines: list[float | None] = [None] * len(near.rows)
    if asked.vector is not None:
        close = (near.rows @ asked.vector).tolist()
        for place in np.flatnonzero(np.any(near.rows, axis=1)).tolist():
            cosines[place] = close[place]
    held = np.asarray(near.counts > 0)
    total = asked.terms.total
    idf = np.array(list(asked.terms.idf.values()))
    coverage = held @ idf / total if total > 0 else np.zeros(len(held))
    return cosines, coverage.tolist(), held.sum(axis=1).tolist()
