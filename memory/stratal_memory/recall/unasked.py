"""A memory that is considered for another reason than that an arm proposed it."""

from datetime import datetime

from stratal_memory.recall.candidates import Candidate, Verdict
from stratal_memory.recall.ranker import factors_of, parts_of, score
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Memory


def unasked(memory: Memory, *, settings: RecallSettings, now: datetime) -> Candidate:
    """`memory` with the score of one that is not at all like the question; out until it is let in.

    An arm would have proposed it, were it.
    """
    parts = parts_of(memory, similarity=0.0, settings=settings)
    factors = factors_of(memory, settings, now=now)
    return Candidate(
        memory=memory,
        parts=parts,
        score=score(parts, settings) * factors.product,
        factors=factors,
        verdict=Verdict.OUT,
        reason="nothing asked for it",
    )
