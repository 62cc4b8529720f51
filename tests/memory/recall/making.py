"""Candidates made by hand."""

from datetime import UTC, datetime, timedelta

from stratal_memory.recall.candidates import Candidate, Parts, Verdict
from stratal_memory.recall.features import Features
from stratal_memory.records import Form, Scope, ScopeKind
from tests.memory.worlds import memory

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def nothing() -> Features:
    """The features of a line that has nothing to do with the question."""
    return Features(
        meaning=0,
        window=0,
        answer=0,
        words=0,
        session=0,
        speaker=0,
        date=0,
        tells_when=0,
        asks=0,
        length=0,
        assistant=0,
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
