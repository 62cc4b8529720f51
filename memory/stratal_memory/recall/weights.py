"""What each feature of a conversation's line counts, fitted by `scripts/fit_ranker.py`.

Chosen by leaving conversations out on the development halves of LoCoMo and BEAM, each set counting
the same, and rounded: anything near does as well. REALTALK was only looked at (RETRIEVAL).
`changed` is higher than fitted, so that a new value stands above the old one; `length` and
`session` are a little lower. Only these numbers are kept of that data. They are for lines of
conversations: facts and passages have no neighbours.
"""

import math
from collections.abc import Mapping
from operator import attrgetter, mul

from stratal_memory.recall.answerable import Evidence, evidence
from stratal_memory.recall.features import Features
from stratal_memory.recall.lines import Lines
from stratal_memory.recall.question import Question

WEIGHTS = Features(
    meaning=6.9,
    words=3.3,
    pairs=0.6,
    session=4.0,
    speaker=1.35,
    date=5.2,
    tells_when=1.6,
    length=1.4,
    assistant=-3.0,
    wish=3.0,
    changed=1.2,
)
_values = attrgetter(*Features.__slots__)  # the features of one line, in their order
_WEIGHTS: tuple[float, ...] = _values(WEIGHTS)
# From a sum to similarity: 1 / (1 + e^-(SCALE (sum - MIDDLE) + what the evidence says)). On LoCoMo
# the best line of half of the questions with an answer lies above 0.75, of half of those without
# one below 0.11.
SCALE, MIDDLE = 0.25, 10.5
# What tells the two apart, by logistic regression on the same sets, conversations left out; with
# nothing to say it is 0. `detail` is held lower than fitted: how a question is put is a weak reason
# to doubt that there is an answer.
EVIDENCE = Evidence(own=3.2, told=2.9, detail=-1.3, missing=-1.8)


def weighed(found: Features) -> float:
    """The weighted sum of the features; higher is better, comparable inside one question."""
    return float(sum(map(mul, _WEIGHTS, _values(found))))


def counted(found: Features) -> dict[str, float]:
    """What each feature added to the sum."""
    return dict(zip(Features.__slots__, map(mul, _WEIGHTS, _values(found)), strict=True))


def similarities(asked: Question, near: Lines, found: Mapping[int, Features]) -> dict[int, float]:
    """The similarity of each line, 0..1, in the order of its weighted sum; by row number."""
    if not found:
        return {}
    sums = {seq: weighed(one) for seq, one in found.items()}
    unnamed = {seq: sums[seq] - WEIGHTS.speaker * one.speaker for seq, one in found.items()}
    shift = answerability(evidence(asked, near, found, unnamed))
    return {seq: calibrated(total, shift) for seq, total in sums.items()}


def calibrated(total: float, shift: float = 0.0) -> float:
    """A weighted sum as similarity 0..1, comparable between questions."""
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, SCALE * (total - MIDDLE) + shift))))


def answerability(found: Evidence) -> float:
    """What the evidence adds to the log-odds of every line of a question."""
    return sum(
        float(getattr(EVIDENCE, name)) * float(getattr(found, name)) for name in Evidence.__slots__
    )
