"""The arms that propose: meaning, rare words, and the time asked about, inside one WHERE clause."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, Connection, select

from stratal_memory.recall import lines
from stratal_memory.recall.calibration import Null
from stratal_memory.recall.features import Features, features
from stratal_memory.recall.lines import Line, Lines
from stratal_memory.recall.question import Question
from stratal_memory.recall.updates import asks_for_a_number, latest_first
from stratal_memory.recall.weights import similarities
from stratal_memory.records import Form, Memory, Scope, Trust
from stratal_memory.store import Store
from stratal_memory.truth import memories, sqlite
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
    seqs = _proposed(store, connection, asked, where, limit=limit, view=view)
    near = Lines.of(
        connection,
        _read(connection, sorted(seqs), where),
        asked=asked,
        generation=store.generation,
    )
    weighed_up = features(asked, near, _spoken(seqs, near), null=null)
    ranked = similarities(weighed_up)
    if asks_for_a_number(asked.text) and ranked:
        ranked = latest_first(ranked, near)
    others = [seq for seq in seqs if seq in near.place and not _is_message(near, seq)]
    best = sorted(ranked, key=lambda seq: (-ranked[seq], -seq))
    wanted = sorted(others + best[: READ_BACK * limit])
    found = memories.by_seq(connection, wanted, where)
    return [
        replace(
            _hit(asked, memory, near, seq),
            features=weighed_up.get(seq),
            similarity=ranked.get(seq, 0.0),
        )
        for seq, memory in sorted(found.items())
    ]


def _proposed(
    store: Store,
    connection: Connection,
    asked: Question,
    where: ColumnElement[bool],
    *,
    limit: int,
    view: Hashable,
) -> set[int]:
    """The row numbers each arm wants, of every form and of the user's own words apart."""
    dense = _dense(store, connection, asked, where, limit=limit * OVERSAMPLE, view=view)
    lexical = _lexical(connection, asked, store.reach.scopes, limit=limit * OVERSAMPLE)
    own = _allowed(connection, {*dense, *lexical}, where)
    seqs = set(_timed(connection, asked, where, limit=limit))
    for arm in (dense, lexical):
        there = [seq for seq in arm if seq in own]
        seqs.update(there[:limit])
        seqs.update([seq for seq in there if own[seq]][: limit // 2])
    return seqs


def _allowed(
    connection: Connection, seqs: Iterable[int], where: ColumnElement[bool]
) -> dict[int, bool]:
    """Those of `seqs` that `where` allows, and whether each is a line of the user's own."""
    found = connection.execute(
        select(table.c.seq, table.c.form, table.c.trust).where(table.c.seq.in_(sorted(seqs)), where)
    )
    return {seq: form == Form.MESSAGE and trust == Trust.USER for seq, form, trust in found}


def _dense(
    store: Store,
    connection: Connection,
    asked: Question,
    where: ColumnElement[bool],
    *,
    limit: int,
    view: Hashable,
) -> list[int]:
    if store.door is None or asked.vector is None:
        return []
    near = store.door.nearest(connection, asked.vector, where, limit=limit, view=view)
    return [item.seq for item in near]


def _lexical(
    connection: Connection, asked: Question, scopes: Sequence[Scope], *, limit: int
) -> list[int]:
    found = sqlite.search_text(connection, query=asked.terms, scopes=scopes, limit=limit)
    return [match.seq for match in found]


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


def _read(connection: Connection, seqs: Sequence[int], where: ColumnElement[bool]) -> list[Line]:
    """The proposed lines, and those around the ones said in a conversation, in order."""
    proposed = lines.read(connection, seqs, where)
    spoken = [seq for seq, line in proposed.items() if line.form is Form.MESSAGE]
    near = [seq for seq in lines.around(spoken) if seq not in proposed]
    both = proposed | lines.read(connection, near, where)
    return [both[seq] for seq in sorted(both)]


def _is_message(near: Lines, seq: int) -> bool:
    return near.lines[near.place[seq]].form is Form.MESSAGE


def _spoken(seqs: Iterable[int], near: Lines) -> list[int]:
    """The proposed lines of conversations, and the one before and after each."""
    here = [near.place[seq] for seq in seqs if seq in near.place and _is_message(near, seq)]
    places = {*here, *near.before[here].tolist(), *near.after[here].tolist()} if here else set()
    return sorted(near.lines[place].seq for place in places if place >= 0)


def _hit(asked: Question, memory: Memory, near: Lines, seq: int) -> Hit:
    """What the arms measured, with the share of what is rare in the question that is there."""
    place = near.place[seq]
    row = near.rows[place]
    cosine = float(row @ asked.vector) if asked.vector is not None and row.any() else None
    counts = near.counts[place].tolist()
    held = [idf for idf, count in zip(asked.terms.idf.values(), counts, strict=True) if count]
    total = asked.terms.total
    return Hit(memory, cosine, sum(held) / total if total > 0 else 0.0, len(held))
