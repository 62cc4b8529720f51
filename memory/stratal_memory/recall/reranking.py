"""The best candidates in the order of who reads them together with the question."""

from collections.abc import Sequence
from dataclasses import replace

from stratal_memory.recall.candidates import Candidate, Signal
from stratal_memory.recall.ranker import rank, score
from stratal_memory.recall.settings import RecallSettings

READ = 20  # candidates that are read again: a cross-encoder takes some 10 ms a text on a CPU


def reranked(
    question: str, ranked: Sequence[Candidate], settings: RecallSettings
) -> list[Candidate]:
    """`ranked`, with the best that passed the gate scored by the reranker of the settings.

    Its score is their similarity from then on; what the gate cut stays cut.
    """
    passed = [one for one in ranked if one.is_in]
    if settings.reranker is None or not passed:
        return list(ranked)
    best = passed[:READ]
    found = settings.reranker.scores(question, [one.memory.text for one in best])
    again = rank(_again(one, value, settings) for one, value in zip(best, found, strict=True))
    return [*again, *passed[READ:], *(one for one in ranked if not one.is_in)]


def _again(one: Candidate, value: float, settings: RecallSettings) -> Candidate:
    similarity = max(0.0, min(1.0, value))
    parts = replace(one.parts, similarity=similarity)
    read = Signal(name="reranker", value=value, counted=similarity)
    return replace(
        one,
        parts=parts,
        score=score(parts, settings) * one.factors.product,
        measured=lambda: (*one.signals, read),
    )
