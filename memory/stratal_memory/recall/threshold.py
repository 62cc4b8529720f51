"""What a memory must reach to be recalled, as people are told it."""

from dataclasses import dataclass

from stratal_memory.recall.calibration import null_of
from stratal_memory.recall.relevance import LEXICAL_GATE
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The minimum of each measure, 0..1; None for what is not looked at. One of them is enough."""

    similarity: float | None = None  # as the settings say; nothing else counts then
    cosine: float | None = None  # calibrated on the embedder and the store
    words: float | None = None  # share of the question's rare words


def gate_of(store: Store, settings: RecallSettings) -> Gate:
    """The gate of every recall of `store` as it is now."""
    if settings.minimum_similarity is not None:
        return Gate(similarity=settings.minimum_similarity)
    null = null_of(store)
    return Gate(cosine=None if null is None else null.threshold, words=LEXICAL_GATE)
