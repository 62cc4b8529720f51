"""The order of the survivors: Zeus, "Profile & Memory Injection" (Z13)."""

from collections.abc import Iterable

from stratal_memory.recall.candidates import Candidate, Parts
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Memory


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


def rank(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Best first; a tie goes to the newer memory, then to the lower id."""

    def order(candidate: Candidate) -> tuple[float, float, str]:
        memory = candidate.memory
        return (-candidate.score, -memory.valid_from.timestamp(), memory.id)

    return sorted(candidates, key=order)
