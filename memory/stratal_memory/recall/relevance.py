"""Similarity comparable between questions, and the gate that lets nothing irrelevant through."""

from dataclasses import dataclass

from stratal_memory.recall.arms import Hit
from stratal_memory.recall.calibration import Null
from stratal_memory.recall.settings import RecallSettings

# A cosine this far above the null means "says the same": similarity 1. Measured on
# all-MiniLM-L6-v2, whose paraphrases of a statement lie around 0.8.
SAME = 0.85
# Words alone can lift similarity this far: a rare name matched exactly is good evidence.
LEXICAL_WEIGHT = 0.6
# Without vectors, or beside a low cosine, this share of the question's rare words must be there.
LEXICAL_GATE = 0.45
FEWEST_WORDS = 2
NOT_DENIED = 0.5  # of the way from the mean of unrelated pairs to the gate


@dataclass(frozen=True, slots=True)
class Relevance:
    """How well a hit fits, 0..1, and whether that is enough; `reason` says so when it isn't."""

    similarity: float
    passed: bool
    reason: str


def relevance(hit: Hit, null: Null | None, settings: RecallSettings) -> Relevance:
    """The calibrated similarity of a hit and the verdict of the gate.

    The cosine is stretched so that the mean of unrelated pairs is 0 and `SAME` is 1; the words
    add to it as independent evidence: 1 - (1 - dense)(1 - 0.6 coverage).
    """
    if settings.plain_cosine:
        similarity = max(0.0, min(1.0, hit.cosine or 0.0))
    else:
        similarity = _combined(hit, null)
    minimum = settings.minimum_similarity
    if minimum is not None:
        return Relevance(similarity, similarity >= minimum, _below(similarity, minimum))
    if hit.coverage >= LEXICAL_GATE and _words_suffice(hit, null):
        return Relevance(similarity, True, "")
    if null is None or hit.cosine is None:
        return Relevance(similarity, False, _below(hit.coverage, LEXICAL_GATE, "word match"))
    passed = hit.cosine >= null.threshold
    return Relevance(similarity, passed, _below(hit.cosine, null.threshold, "cosine"))


def _words_suffice(hit: Hit, null: Null | None) -> bool:
    """Whether shared words may open the gate: two of them, or one that the vectors don't deny.

    One word alone says little: "home" is in "take one loaf home" too.
    """
    if null is None or hit.cosine is None or hit.matched >= FEWEST_WORDS:
        return True
    return hit.cosine >= null.mean + NOT_DENIED * (null.threshold - null.mean)


def _combined(hit: Hit, null: Null | None) -> float:
    dense = 0.0
    if hit.cosine is not None and null is not None:
        dense = max(0.0, min(1.0, (hit.cosine - null.mean) / (SAME - null.mean)))
    return 1 - (1 - dense) * (1 - LEXICAL_WEIGHT * hit.coverage)


def _below(value: float, minimum: float, what: str = "similarity") -> str:
    return f"below the gate ({what} {value:.2f} < {minimum:.2f})"
