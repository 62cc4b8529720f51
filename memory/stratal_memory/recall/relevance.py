"""Similarity comparable between questions, and the gate that lets nothing irrelevant through."""

from dataclasses import dataclass

from stratal_memory.recall.arms import Hit
from stratal_memory.recall.calibration import SAME, Null
from stratal_memory.recall.candidates import Signal
from stratal_memory.recall.passages import COVERED, DENSE, fitting
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.recall.weights import calibrated, counted, weighed
from stratal_memory.records import Form

# Words alone can lift similarity this far: a rare name matched exactly is good evidence.
LEXICAL_WEIGHT = 0.6
# Without vectors, or beside a low cosine, this share of the question's rare words must be there.
LEXICAL_GATE = 0.45
FEWEST_WORDS = 2
# Of the way from the mean of unrelated pairs to the gate: where one shared word is all that was
# asked, and where it is a part of it.
NOT_DENIED, CONFIRMED = 0.5, 0.75
ALL = 0.999  # share of the question's idf from which nothing is missing
# A line of a conversation may pass by what stands around it: an answer below its question.
CONTEXT_GATE = 0.55
CONTEXT_WORDS = 0.45  # share of the idf, by BM25, that its window must have then
# What the ranker must make of a line by itself, and of the best line with what speaks against an
# answer. With both, questions that have one keep 95 % of what was found for them, and half of those
# that ask one of two people for what the other said get nothing.
LINE_GATE = 0.38
QUESTION_GATE = 0.1
ASKED_FOR = 0.8  # similarity of what surely tells of the attribute that is asked for
JUST_BELOW = 0.85  # of a minimum: what lies between is counted and told


@dataclass(frozen=True, slots=True)
class Relevance:
    """How well a hit fits, 0..1, and whether that is enough; `reason` says so when it isn't."""

    similarity: float
    passed: bool
    reason: str


def relevance(hit: Hit, null: Null | None, settings: RecallSettings) -> Relevance:
    """The calibrated similarity of a hit and the verdict of the gate.

    Of a conversation's line the ranker has said it. Of all else the cosine is stretched so that
    the mean of unrelated pairs is 0 and `SAME` is 1, and the words add to it as independent
    evidence: 1 - (1 - dense)(1 - 0.6 coverage). Of a passage `passages.fitting` says it.
    """
    if settings.plain_cosine:
        similarity = max(0.0, min(1.0, hit.cosine or 0.0))
    else:
        similarity = _combined(hit, null)
    minimum = settings.minimum_similarity
    if minimum is not None:
        reason = _below(similarity, minimum)
        return Relevance(similarity, similarity >= minimum, reason)
    if hit.tells:
        return Relevance(max(similarity, ASKED_FOR * hit.tells), True, "")
    doubt = _doubt(hit)
    if doubt:
        return Relevance(similarity, False, doubt)
    if _worded(hit, null) or _in_context(hit, similarity):
        return Relevance(similarity, True, "")
    if null is None or hit.cosine is None:
        reason = _below(hit.coverage, LEXICAL_GATE, "word match")
        return Relevance(similarity, False, reason)
    reason = _below(hit.cosine, null.threshold, "cosine")
    return Relevance(similarity, hit.cosine >= null.threshold, reason)


def _worded(hit: Hit, null: Null | None) -> bool:
    """Whether shared words open the gate: two of them, or one that the vectors don't deny.

    One word alone says little: "home" is in "take one loaf home" too.
    """
    if hit.coverage < LEXICAL_GATE:
        return False
    if null is None or hit.cosine is None or hit.matched >= FEWEST_WORDS:
        return True
    way = NOT_DENIED if hit.coverage >= ALL else CONFIRMED
    return hit.cosine >= null.mean + way * (null.threshold - null.mean)


def _doubt(hit: Hit) -> str:
    """Why a conversation's line, with vectors to go by, holds no answer; empty when it may."""
    if hit.features is None or hit.cosine is None:
        return ""
    if hit.best < QUESTION_GATE:
        return _below(hit.best, QUESTION_GATE, "answer there")
    alone = calibrated(weighed(hit.features))
    return "" if alone >= LINE_GATE else _below(alone, LINE_GATE, "line by itself")


def _in_context(hit: Hit, similarity: float) -> bool:
    around = hit.features
    return (
        around is not None
        and hit.cosine is not None
        and similarity >= CONTEXT_GATE
        and around.words >= CONTEXT_WORDS
    )


def _combined(hit: Hit, null: Null | None) -> float:
    if hit.features is not None:
        return hit.similarity
    if hit.memory.form is Form.CHUNK:
        return fitting(dense=_dense(hit, null), coverage=hit.coverage, words=hit.words)
    return 1 - (1 - _dense(hit, null)) * (1 - LEXICAL_WEIGHT * hit.coverage)


def _dense(hit: Hit, null: Null | None) -> float:
    if hit.cosine is None or null is None:
        return 0.0
    return max(0.0, min(1.0, (hit.cosine - null.mean) / (SAME - null.mean)))


def signals_of(hit: Hit, null: Null | None) -> tuple[Signal, ...]:
    """What the similarity is made of, by name."""
    if hit.features is None and hit.memory.form is Form.CHUNK:
        return (
            Signal(name="cosine", value=hit.cosine or 0.0, counted=DENSE * _dense(hit, null)),
            Signal(name="coverage", value=hit.coverage, counted=COVERED * hit.coverage),
            Signal(name="words", value=hit.words, counted=hit.words),
        )
    if hit.features is None:
        return (
            Signal(name="cosine", value=hit.cosine or 0.0, counted=_dense(hit, null)),
            Signal(name="words", value=hit.coverage, counted=LEXICAL_WEIGHT * hit.coverage),
        )
    return tuple(
        Signal(name=name, value=getattr(hit.features, name), counted=value)
        for name, value in counted(hit.features).items()
    )


def _below(value: float, minimum: float, what: str = "similarity") -> str:
    just = "just " if value >= JUST_BELOW * minimum else ""
    return f"{just}below the gate ({what} {value:.2f} < {minimum:.2f})"
