"""Whether the best lines hold what is asked at all: what lifts or lowers all of a question's lines.

Somebody asked what one of two people did finds the line of the other who did it; somebody who asks
for a detail finds the talk it would be in. Such lines are near, and still no answer.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stratal_memory.recall.asking import asks_for_detail
from stratal_memory.recall.features import Features, coverage
from stratal_memory.recall.lines import Lines, Numbers
from stratal_memory.recall.question import Question
from stratal_memory.text import terms

LOOKED_AT = 16  # best lines, each counting e times less for a unit of the weighted sum below
_WORD = re.compile(r"[a-z]+")
_OF_SPEAKER = frozenset({"i", "my", "me", "mine", "myself", "we", "our", "us", "ours"})
_OF_OTHER = frozenset({"you", "your", "yours", "yourself", "u", "ur"})
_UNDECIDED = 0.3  # words; who says neither I nor you most likely speaks of own things
_ASKED_FOR = 2  # terms by which a question names what it wants: "what storytelling techniques"
_PLAIN = frozenset(
    terms("specific particular type kind sort main different exact some any total name thing")
)
CLOSEST = 3  # lines among which what is asked for should be named


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What speaks for and against an answer, each a plain number with a reason."""

    own: float  # -1..1: the best lines are about the one asked about, or about the other speaker
    told: float  # -1..1: words of the question that the one asked about said, less the other's
    detail: float  # 1 when one thing is asked for that was told or not
    missing: float  # share of what the detail is called that the closest lines don't say


def evidence(
    asked: Question, near: Lines, found: Mapping[int, Features], sums: Mapping[int, float]
) -> Evidence:
    """The evidence of the candidates `found`; `sums` are weighted ones without the speaker."""
    best = sorted(found, key=lambda seq: (-sums[seq], -seq))[:LOOKED_AT]
    detail = asks_for_detail(asked.text)
    return Evidence(
        own=_own(near, best, found, sums),
        told=_told(asked, near, found),
        detail=float(detail),
        missing=_missing(asked, near, best[:CLOSEST]) if detail else 0.0,
    )


def about_speaker(text: str) -> float:
    """Whether `text` is about who says it, 1, or about who is addressed, -1, or both.

    >>> about_speaker("I sold my boat."), round(about_speaker("How was your trip?"), 1)
    (1.0, -0.5)
    """
    words = _WORD.findall(text.casefold())
    own = sum([word in _OF_SPEAKER for word in words])
    other = sum([word in _OF_OTHER for word in words])
    return (own - other + _UNDECIDED) / (own + other + _UNDECIDED)


def _own(
    near: Lines, best: Sequence[int], found: Mapping[int, Features], sums: Mapping[int, float]
) -> float:
    """Whom the best lines are about, on average; a better one counts more."""
    if not any(found[seq].speaker for seq in best):
        return 0.0
    shares = np.exp(np.array([sums[seq] - sums[best[0]] for seq in best]))
    about = [
        found[seq].speaker * about_speaker(_said(near.lines[near.place[seq]].text)) for seq in best
    ]
    return float(shares @ np.array(about) / shares.sum())


def _told(asked: Question, near: Lines, found: Mapping[int, Features]) -> float:
    speakers: Numbers = np.array([one.speaker for one in found.values()])
    if not speakers.any():
        return 0.0
    here = np.array([near.place[seq] for seq in found], dtype=np.intp)
    covered = coverage(asked, near, here)
    return float(covered[speakers > 0].max(initial=0.0) - covered[speakers < 0].max(initial=0.0))


def _missing(asked: Question, near: Lines, closest: Sequence[int]) -> float:
    """Very frequent words are not searched for: they count as said."""
    wanted = [term for term in terms(asked.text) if term not in _PLAIN][:_ASKED_FOR]
    said = {word for seq in closest for word in near.lines[near.place[seq]].words}
    return sum(term in asked.terms.idf and term not in said for term in wanted) / _ASKED_FOR


def _said(text: str) -> str:
    return text.partition(": ")[2] or text
