"""What was proposed, as a candidate: its score, and whether it is relevant enough."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial

from sqlalchemy import Connection

from stratal_memory.outcomes import NOTHING, Counts
from stratal_memory.recall.arms import Hit
from stratal_memory.recall.calibration import Null
from stratal_memory.recall.candidates import Candidate, Verdict
from stratal_memory.recall.ranker import factors_of, parts_of, score
from stratal_memory.recall.relevance import relevance, signals_of
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Memory
from stratal_memory.store import Store
from stratal_memory.truth import usefulness


def counts_of(
    store: Store, connection: Connection, found: Iterable[Memory], *, settings: RecallSettings
) -> Mapping[str, Counts]:
    """What came of memories in the turns of the store's user, by key: one look for all of them."""
    if settings.plain_cosine:
        return {}
    known = usefulness.of_keys(connection, user=store.user, keys={one.key for one in found})
    return {key: one.counts for key, one in known.items()}


def judged(
    hit: Hit,
    null: Null | None,
    settings: RecallSettings,
    *,
    now: datetime,
    counts: Mapping[str, Counts],
) -> Candidate:
    """The candidate with its score; out where the gate is shut for it, whatever came of it before.

    Use orders what is relevant: it never lets in what is not.
    """
    fit = relevance(hit, null, settings)
    parts = parts_of(hit.memory, similarity=fit.similarity, settings=settings)
    known = counts.get(hit.memory.key, NOTHING)
    factors = factors_of(hit.memory, settings, now=now, counts=known)
    return Candidate(
        memory=hit.memory,
        parts=parts,
        score=score(parts, settings) * factors.product,
        factors=factors,
        measured=partial(signals_of, hit, null),
        verdict=Verdict.IN if fit.passed else Verdict.OUT,
        reason="relevant" if fit.passed else fit.reason,
        tells=hit.tells,
    )
