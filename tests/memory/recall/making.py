"""Candidates made by hand."""

from datetime import UTC, datetime, timedelta

import numpy as np

from stratal_memory.index.line import Line
from stratal_memory.recall.candidates import Candidate, Parts, Verdict
from stratal_memory.recall.features import Features
from stratal_memory.recall.lines import NOBODY, Lines
from stratal_memory.recall.question import Question
from stratal_memory.records import Form, Scope, ScopeKind
from stratal_memory.text import terms
from stratal_memory.truth.sqlite import QueryTerms
from tests.memory.worlds import memory

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def nothing() -> Features:
    """The features of a line that has nothing to do with the question."""
    return Features(
        meaning=0,
        words=0,
        pairs=0,
        session=0,
        speaker=0,
        date=0,
        tells_when=0,
        length=0,
        assistant=0,
        wish=0,
        changed=0,
    )


def asking(text: str) -> Question:
    """A question without a vector, each of whose terms is equally rare."""
    rare = QueryTerms(dict.fromkeys(terms(text), 1.0))
    return Question(text=text, vector=None, terms=rare, about_past=False)


def talked(asked: Question, *texts: str) -> Lines:
    """The lines of one conversation, said by users an hour apart, with row numbers from 1."""
    said = [
        Line(
            seq=i,
            form=Form.MESSAGE,
            session="s",
            by_user=True,
            at=NOON + timedelta(hours=i),
            text=text,
            words=tuple(terms(text)),
        )
        for i, text in enumerate(texts, start=1)
    ]
    last = len(said) - 1
    counts = [[line.words.count(term) for term in asked.terms.idf] for line in said]
    return Lines(
        lines=tuple(said),
        place={line.seq: i for i, line in enumerate(said)},
        counts=np.array([*counts, [0] * len(asked.terms.idf)], dtype=np.float64),
        lengths=np.array([*(len(line.words) for line in said), 0], dtype=np.float64),
        rows=np.zeros((len(said) + 1, 1), dtype=np.float32),
        before=np.array([*range(-1, last), NOBODY], dtype=np.intp),
        after=np.array([*range(1, last + 1), NOBODY, NOBODY], dtype=np.intp),
    )


def candidate(
    text: str,
    *,
    score: float = 0.5,
    form: Form = Form.FACT,
    id: str = "",
    key: str = "",
    hours: float = 0,
    verdict: Verdict = Verdict.IN,
    source: str = "a test",
) -> Candidate:
    return Candidate(
        memory=memory(
            text,
            at=NOON + timedelta(hours=hours),
            form=form,
            id=id,
            key=key,
            scope=Scope(ScopeKind.USER, "alice"),
            source=source,
        ),
        parts=Parts(similarity=score, confidence=0.9, scope=0.6),
        score=score,
        verdict=verdict,
        reason="relevant" if verdict is Verdict.IN else "below the gate",
    )
