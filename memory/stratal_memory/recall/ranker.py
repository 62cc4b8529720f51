"""The order of the survivors: Zeus, "Profile & Memory Injection" (Z13)."""

import math
from collections.abc import Iterable
from datetime import datetime, timedelta

from stratal_memory.learning.usefulness import factor
from stratal_memory.outcomes import NOTHING, Counts
from stratal_memory.recall.candidates import Candidate, Factors, Parts
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form, Memory, Status

# How far age and evidence may move a score (MEMORY, 1.3): relevance stays what counts.
RECENCY, EVIDENCE = 0.10, 0.05
# The age at which a memory is neither favoured nor held back; a passage has no age.
MIDDLE_AGE = {
    Form.FACT: timedelta(days=180),
    Form.EPISODE: timedelta(days=30),
    Form.OBSERVATION: timedelta(days=180),
    Form.MESSAGE: timedelta(days=30),
}


def parts_of(memory: Memory, *, similarity: float, settings: RecallSettings) -> Parts:
    """The three terms of the score of one memory."""
    return Parts(
        similarity=similarity,
        confidence=memory.confidence,
        scope=settings.scope_priority.get(memory.scope.kind, 0.0),
    )


def score(parts: Parts, settings: RecallSettings) -> float:
    """Similarity x 0.5 + confidence x 0.3 + scope priority x 0.2, with the weights configured."""
    return (
        parts.similarity * settings.similarity_weight
        + parts.confidence * settings.confidence_weight
        + parts.scope * settings.scope_weight
    )


def factors_of(
    memory: Memory, settings: RecallSettings, *, now: datetime, counts: Counts = NOTHING
) -> Factors:
    """How age, evidence and what came of it so far bend the score of a memory.

    Not at all where similarity is the plain cosine.
    """
    if settings.plain_cosine:
        return Factors()
    own = counts.of(memory.id)
    return Factors(
        recency=_recency(memory, now),
        evidence=_evidence(memory),
        usefulness=factor(own),
        counts=own,
    )


def _recency(memory: Memory, now: datetime) -> float:
    middle = MIDDLE_AGE.get(memory.form)
    if middle is None:
        return 1.0
    age = max(timedelta(), now - memory.valid_from)
    return 1 + RECENCY * (2 * math.pow(0.5, age / middle) - 1)


def _evidence(memory: Memory) -> float:
    """More for what was said by several, less for what is disputed."""
    if memory.status is Status.CONTESTED:
        return 1 - EVIDENCE
    return 1 + EVIDENCE * (1 - 1 / max(1, memory.support))


def rank(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Best first; a tie goes to the newer memory, then to the lower id."""

    def order(candidate: Candidate) -> tuple[float, float, str]:
        memory = candidate.memory
        return (-candidate.score, -memory.valid_from.timestamp(), memory.id)

    return sorted(candidates, key=order)
