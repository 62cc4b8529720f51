"""Whether a statement with a date in the past speaks of now too, by how it was said."""

import re
from datetime import datetime, timedelta

# "I moved to Rome in 2015" may be told long after the user left again; "last month" is not.
RECENT = timedelta(days=366)
_LASTS = re.compile(
    r"\bsince\b|\b(?:have|has|'ve|'s|’ve|’s) (?:\w+ )?been\b"
    r"|\b(?:I|we|user) (?:\w+ )?(?:live|lives|work|works)\b|\b(?:am|is|are|I'm|we're|I’m|we’re)\b",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\bused to\b|\b(?:formerly|previously|back then|at the time|until|till|had been|no longer)\b"
    r"|\b(?:I|we|user) (?:\w+ )?(?:lived|worked|was|were|stayed|studied|served|taught)\b",
    re.IGNORECASE,
)


def holds_at(quote: str, start: datetime | None, said: datetime) -> datetime | None:
    """`said`, when words that give a start before it say that it is so until then; else None.

    >>> said = datetime(2026, 11, 2)
    >>> holds_at("I moved to Porto last week", datetime(2026, 10, 26), said) == said
    True
    >>> holds_at("I lived in Rome in 2019", datetime(2019, 1, 1), said)
    >>> holds_at("I moved to Rome in 2015", datetime(2015, 1, 1), said)
    """
    if start is None or start >= said or _OVER.search(quote):
        return None
    lasts = said - start <= RECENT or _LASTS.search(quote) is not None
    return said if lasts else None
