"""What each feature of a conversation's line counts, fitted by `scripts/fit_ranker.py`.

Chosen by leaving conversations out on the development halves of LoCoMo and BEAM, each set counting
the same; REALTALK was only looked at (RETRIEVAL). `length` is a little lower than fitted: long
answers are no better ones. Only these numbers are kept of that data. They are for lines of
conversations: facts and passages have no neighbours.
"""

import math
from collections.abc import Mapping

from stratal_memory.recall.features import Features

WEIGHTS = Features(
    meaning=7.3,
    window=1.7,
    answer=0.6,
    words=1.9,
    session=3.3,
    speaker=1.4,
    date=5.5,
    tells_when=1.75,
    asks=-1.0,
    length=1.0,
    assistant=-3.2,
)
# From a sum to similarity: 1 / (1 + e^-(SCALE (sum - MIDDLE))). On LoCoMo the best line of half of
# the questions with an answer lies above 0.65, and of half of those without one below 0.4.
SCALE, MIDDLE = 0.35, 13.2
# A question that names a speaker, answered best by somebody else: how much that takes from all
# lines, or gives when it is the other way round. It tells unanswerable questions from others.
DOUBT, MOST_DOUBT, LEAST_DOUBT = 3.0, -3.0, 2.0


def weighed(found: Features) -> float:
    """The weighted sum of the features; higher is better, comparable inside one question."""
    return sum(counted(found).values())


def counted(found: Features) -> dict[str, float]:
    """What each feature added to the sum."""
    return {
        name: float(getattr(WEIGHTS, name)) * float(getattr(found, name))
        for name in Features.__slots__
    }


def similarities(found: Mapping[int, Features]) -> dict[int, float]:
    """The similarity of each line, 0..1, in the order of its weighted sum; by row number."""
    shift = _doubt(found)
    return {seq: calibrated(weighed(one) + shift) for seq, one in found.items()}


def calibrated(total: float) -> float:
    """A weighted sum as similarity 0..1, comparable between questions."""
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, SCALE * (total - MIDDLE)))))


def _doubt(found: Mapping[int, Features]) -> float:
    """What to add to every line, by who told best what is asked of one of two speakers."""
    told: dict[bool, float] = {}
    for one in found.values():
        if one.speaker:
            content = weighed(one) - WEIGHTS.speaker * one.speaker
            told[one.speaker > 0] = max(content, told.get(one.speaker > 0, -math.inf))
    if len(told) < 2:
        return 0.0
    return DOUBT * max(MOST_DOUBT, min(LEAST_DOUBT, told[True] - told[False]))
