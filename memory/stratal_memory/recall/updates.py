"""Of several numbers told for one thing, the latest is the one that holds."""

import re
from collections.abc import Mapping

import numpy as np

from stratal_memory.index.line import Line
from stratal_memory.recall.lines import Lines
from stratal_memory.recall.question import Question

LOOKED_AT = 8  # best lines among which the latest is looked for
# Two lines speak of one thing from this cosine on, or when both hold so much of what was asked:
# a share of its idf, and words.
SAME_THING, SAME_WORDS, FEWEST_WORDS = 0.45, 0.4, 2
_NOT_NOW = re.compile(
    r"\b(?:did|was|were|had|order|used to|summar\w*|(?:at|when) first|first time"
    r"|initial\w*|original\w*|before|after|between|different)\b",
    re.IGNORECASE,
)
_QUANTITY = re.compile(
    r"\bhow (?:many|much|long|old|often|far|big|tall|fast)\b"
    r"|\b(?:what|which)(?: is| are|['’]s)?(?: the| my| our)? (?:[\w-]+ ){0,4}(?:time|date|day"
    r"|number|rate|budget|deadline|price|cost|size|age|score|average|amount|salary|limit|version"
    r"|count|length|total|percentage|target|goal|accuracy)\b"
    r"|\bwhen (?:is|are|['’]s|does|do|will|should)\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:now|recently|new|updated?|increased?|decreased?|reduced|extended|shortened|rescheduled"
    r"|moved|postponed|changed|improved|gr(?:ew|own|owth)|reached|raised|lowered|dropped|added"
    r"|instead|no longer|switched|cut|revised|adjusted|expanded|pushed"
    r"|(?:up|down) (?:to|from)|brought forward)\b",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")


def asks_for_a_number(text: str) -> bool:
    """Whether `text` asks for a number or a date as it is now: what gets replaced.

    >>> asks_for_a_number("What is my monthly budget?"), asks_for_a_number("Who is Ida?")
    (True, False)
    """
    return bool(_QUANTITY.search(text)) and not _NOT_NOW.search(text)


def says_changed(text: str) -> bool:
    """Whether `text` says that something is otherwise than before.

    >>> says_changed("The rent went up to 900."), says_changed("The rent is 850.")
    (True, False)
    """
    return bool(_CHANGED.search(text))


def latest_first(similarity: Mapping[int, float], near: Lines, asked: Question) -> dict[int, float]:
    """`similarity` with that of the user's best lines about one number handed out newest first.

    The same values in other hands: what is not among them keeps its place. A line counts that
    holds a number or says that something changed.
    """
    best = sorted(similarity, key=lambda seq: (-similarity[seq], -seq))[:LOOKED_AT]
    telling = [seq for seq in best if _says_what_holds(near.lines[near.place[seq]])]
    same = [seq for seq in telling if _same(near, asked, near.place[telling[0]], near.place[seq])]
    newest = sorted(same, key=lambda seq: (near.lines[near.place[seq]].at, seq), reverse=True)
    values = [similarity[seq] for seq in same]
    return {**similarity, **dict(zip(newest, values, strict=True))}


def _says_what_holds(line: Line) -> bool:
    return line.by_user and (bool(_DIGIT.search(line.text)) or says_changed(line.text))


def _same(near: Lines, asked: Question, one: int, other: int) -> bool:
    """Whether two lines, by their places, speak of one thing."""
    if one == other or float(near.rows[one] @ near.rows[other]) >= SAME_THING:
        return True
    both = (near.counts[one] > 0) & (near.counts[other] > 0)
    if both.sum() < FEWEST_WORDS:
        return False
    idf = np.array(list(asked.terms.idf.values()))
    return float(both @ idf) >= SAME_WORDS * asked.terms.total
