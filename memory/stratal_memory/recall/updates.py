"""Of several numbers told for one thing, the latest is the one that holds."""

import re
from collections.abc import Mapping, Sequence

from stratal_memory.recall.lines import Lines

LOOKED_AT = 5  # best lines among which the latest is looked for
SAME_THING = 0.4  # cosine from which two lines with numbers speak of one thing
_NOT_NOW = re.compile(
    r"\b(?:did|was|were|had|order|used to|summar\w*|first|before|after)\b", re.IGNORECASE
)
_QUANTITY = re.compile(
    r"\bhow (?:many|much|long|old|often|far|big|tall|fast)\b"
    r"|\b(?:what|which)(?: is| are|['’]s)?(?: the| my| our)? (?:[\w-]+ ){0,4}(?:time|date|day"
    r"|number|rate|budget|deadline|price|cost|size|age|score|average|amount|salary|limit|version"
    r"|count|length|total|percentage|target|goal|accuracy)\b"
    r"|\bwhen (?:is|are|['’]s|does|do|will|should)\b",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")


def asks_for_a_number(text: str) -> bool:
    """Whether `text` asks for a number or a date as it is now: what gets replaced.

    >>> asks_for_a_number("What is my monthly budget?"), asks_for_a_number("Who is Ida?")
    (True, False)
    """
    return bool(_QUANTITY.search(text)) and not _NOT_NOW.search(text)


def latest_first(similarity: Mapping[int, float], near: Lines) -> dict[int, float]:
    """`similarity` with that of the best lines about one number handed out newest first.

    The same values in other hands: what is not among them keeps its place.
    """
    best = sorted(similarity, key=lambda seq: (-similarity[seq], -seq))[:LOOKED_AT]
    numbered = [seq for seq in best if _DIGIT.search(near.lines[near.place[seq]].text)]
    same = [seq for seq in numbered if _same(numbered[0], seq, near)]
    newest = sorted(same, key=lambda seq: (near.lines[near.place[seq]].at, seq), reverse=True)
    values = [similarity[seq] for seq in same]
    return {**similarity, **dict(zip(newest, values, strict=True))}


def _same(one: int, other: int, near: Lines) -> bool:
    places: Sequence[int] = (near.place[one], near.place[other])
    first, second = (near.lines[place] for place in places)
    if one == other:
        return True
    alike = float(near.rows[places[0]] @ near.rows[places[1]]) >= SAME_THING
    return alike and first.by_user == second.by_user
