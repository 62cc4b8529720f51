"""The arms that propose: meaning, rare words, and the time asked about, inside one WHERE clause."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from stratal_memory.recall.calibration import Null
from stratal_memory.recall.features import Features, features
from stratal_memory.recall.lines import Lines
from stratal_memory.recall.passages import saturated
from stratal_memory.recall.question import Question
from stratal_memory.recall.sources import Source
from stratal_memory.recall.updates import asks_for_a_number, latest_first
from stratal_memory.recall.weights import similarities
from stratal_memory.records import Form, Memory

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
    words: float = 0.0  # of a passage: the share of the question's idf by BM25, 0..1
    tells: float = 0.0  # how sure it tells of the attribute that is asked for, 0..1


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """What the arms proposed of some forms and measured; to be read back from the truth."""

    wanted: list[int] = field(default_factory=list)  # row numbers, in order
    near: Lines | None = None
    features: Mapping[int, Features] = field(default_factory=dict)
    similarity: Mapping[int, float] = field(default_factory=dict)  # of lines of conversations
    best: float = 0.0
    tells: Mapping[int, float] = field(default_factory=dict)  # of lines of conversations

    def hits(self, asked: Question, found: Mapping[int, Memory]) -> list[Hit]:
        """Those that were `found` in the truth, in the order they were recorded."""
        if self.near is None:
            return []
        cosines, coverage, matched = _measured(asked, self.near)
        words = saturated(asked, self.near).tolist()
        place, features, similarity = self.near.place, self.features, self.similarity
        return [
            Hit(
                found[seq],
                cosines[place[seq]],
                coverage[place[seq]],
                matched[place[seq]],
                features.get(seq),
                similarity.get(seq, 0.0),
                self.best,
                words[place[seq]],
                _tells(asked, found[seq], self.tells.get(seq, 0.0)),
            )
            for seq in self.wanted
            if seq in found
        ]


def propose(asked: Question, source: Source, *, limit: int, null: Null | None = None) -> Proposed:
    """Every memory of `source` that an arm proposed.

    The lines said right before and after a proposed one are candidates too: an answer often
    shares no word with what is asked, but stands below a question that does.
    """
    if source.is_empty():
        return Proposed()
    seqs = _proposed(source, limit=limit)
    near = source.lines(sorted(seqs))
    weighed_up = features(asked, near, _spoken(seqs, near), null=null)
    ranked = similarities(asked, near, weighed_up)
    if ranked and asks_for_a_number(asked.text):
        ranked = latest_first(ranked, near, asked)
    others = [seq for seq in seqs if seq in near.place and not _is_message(near, seq)]
    best = sorted(ranked, key=lambda seq: (-ranked[seq], -seq))
    tells = _told(asked, near)
    telling = sorted(tells, key=lambda seq: -tells[seq])[:limit]
    return Proposed(
        wanted=sorted({*others, *best[: READ_BACK * limit], *telling}),
        near=near,
        features=weighed_up,
        similarity=ranked,
        best=ranked[best[0]] if best else 0.0,
        tells=tells,
    )


def _told(asked: Question, near: Lines) -> dict[int, float]:
    """Of the user's own lines that tell of the attribute asked for, how sure they do."""
    if asked.wanted is None:
        return {}
    own = [
        place for place, line in enumerate(near.lines) if line.form is Form.MESSAGE and line.by_user
    ]
    sure = asked.wanted.told_in(near.rows[own]) if own else []
    seqs = [near.lines[place].seq for place in own]
    return asked.wanted.telling(dict(zip(seqs, sure, strict=True)))


def _tells(asked: Question, memory: Memory, line: float) -> float:
    if asked.wanted is None:
        return 0.0
    return 1.0 if asked.wanted.told_by(memory) else line


def _proposed(source: Source, *, limit: int) -> set[int]:
    """The row numbers each arm wants, of every form and of the user's own words apart."""
    dense = source.nearest(limit=limit * OVERSAMPLE)
    lexical = source.worded(limit=limit * OVERSAMPLE)
    own = source.own(sorted({*dense, *lexical}))
    seqs = {*source.timed(limit=limit), *source.about(limit=limit)}
    for arm in (dense, lexical):
        there = [seq for seq in arm if seq in own]
        seqs.update(there[:limit])
        seqs.update([seq for seq in there if own[seq]][: limit // 2])
    return seqs


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
