"""How sure a memory is: a table to begin with, then counting of independent statements."""

from collections.abc import Iterable, Sequence

from stratal_memory.records import TRUST_ORDER, Trust

# ARCHITECTURE, section 8: initial confidence by the trust of the source.
CONFIDENCE: dict[Trust, float] = {
    Trust.SYSTEM: 0.95,
    Trust.USER: 0.9,
    Trust.ASSISTANT: 0.6,
    Trust.TOOL: 0.6,
    Trust.DOCUMENT: 0.7,
    Trust.WEB: 0.4,
}
PRIOR = 4.0  # how many statements the initial confidence is worth
# What one statement more counts: a person's word is whole, any other as sure as its source.
WEIGHT: dict[Trust, float] = CONFIDENCE | {Trust.SYSTEM: 1.0, Trust.USER: 1.0}
Voice = tuple[str, Trust]  # who says something, and how far they may be believed
_SPEAK_EACH_TIME = (Trust.SYSTEM, Trust.USER)


def confidence(trust: Trust, *, support: float, contradictions: float = 0) -> float:
    """The mean of a Beta count that starts at the trust's confidence, 0..1.

    `support` independent statements speak for it (the first one made it), `contradictions`
    against it; less trusted ones count less than 1.

    >>> round(confidence(Trust.USER, support=1), 2), round(confidence(Trust.USER, support=3), 2)
    (0.9, 0.93)
    """
    initial = CONFIDENCE[trust]
    positive = PRIOR * initial + max(0, support - 1)
    negative = PRIOR * (1 - initial) + contradictions
    return positive / (positive + negative)


def who_says(trust: Trust, *, source: str, ref: str) -> str:
    """Whom a statement counts for: a person each time they speak, anything else once.

    A tool, a page or a document that repeats itself a hundred times is one source.
    """
    return ref if trust in _SPEAK_EACH_TIME else source


def voices(said: Iterable[Voice]) -> dict[str, Trust]:
    """Each source once, with the best trust it spoke with."""
    found: dict[str, Trust] = {}
    for source, trust in said:
        known = found.get(source)
        if known is None or TRUST_ORDER.index(trust) < TRUST_ORDER.index(known):
            found[source] = trust
    return found


def confidence_of(trust: Trust, said: Sequence[Voice], *, against: Sequence[Voice] = ()) -> float:
    """The confidence of what was first said by `said[0]`, by who else says it and who denies it.

    >>> once = confidence_of(Trust.TOOL, [("weather", Trust.TOOL)])
    >>> once == confidence_of(Trust.TOOL, [("weather", Trust.TOOL)] * 100)
    True
    """
    others = voices(said)
    if said:
        others.pop(said[0][0])
    return confidence(
        trust,
        support=1 + sum(WEIGHT[one] for one in others.values()),
        contradictions=sum(WEIGHT[one] for one in voices(against).values()),
    )
