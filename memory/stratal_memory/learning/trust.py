"""How sure a memory is: a table to begin with, then counting of independent statements."""

from stratal_memory.records import Trust

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


def confidence(trust: Trust, *, support: int, contradictions: int = 0) -> float:
    """The mean of a Beta count that starts at the trust's confidence, 0..1.

    `support` independent statements speak for it (the first one made it), `contradictions`
    against it.

    >>> round(confidence(Trust.USER, support=1), 2), round(confidence(Trust.USER, support=3), 2)
    (0.9, 0.93)
    """
    initial = CONFIDENCE[trust]
    positive = PRIOR * initial + max(0, support - 1)
    negative = PRIOR * (1 - initial) + contradictions
    return positive / (positive + negative)
