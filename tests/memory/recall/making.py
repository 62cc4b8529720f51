"""Candidates made by hand."""

from datetime import UTC, datetime, timedelta

from stratal_memory.recall.candidates import Candidate, Parts, Verdict
from stratal_memory.records import Form, Scope, ScopeKind
from tests.memory.worlds import memory

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


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
