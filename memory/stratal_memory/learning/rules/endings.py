"""What a message says is over, by the words that name it: "sold the honda", "I'm off keto".

Whether something known is meant by these words is decided where memory is (`closing.py`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from stratal_memory.learning.rules.ending_ways import WAYS
from stratal_memory.learning.rules.ending_words import Way
from stratal_memory.learning.rules.leads import SUBJECT
from stratal_memory.learning.rules.rule import cleaned
from stratal_memory.learning.rules.sentences import Clause, clauses


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """Words that name something as over, and where they stand in the message."""

    named: str  # "the honda", "my puregym membership"
    kinds: tuple[str, ...]  # of facts that can end so
    clause: Clause
    at: datetime  # from when on it is over: the day that was named, or the message's time
    instead: str = ""  # what took its place: "Things" of "switched from Todoist to Things"


# One of these is in all that tells of an end; most messages have none and cost nothing more.
_SIGN = re.compile(
    r"\b(?:switch|chang|moved|migrat|went|swap|upgrad|downgrad|transfer|convert|ditch|replac"
    r"|trad|exchang|drop|dump|quit|gave|giv|abandon|sold|sell|instead|rather|rid of|return"
    r"|donat|scrap|thr[eo]w|chuck|pawn|lost|sent back|took|binned|wrote off|total|rehom"
    r"|part(?:ed)? |stop|cancel|unsubscri|delet|uninstall|opted|let go|packed|jacked|left|end"
    r"|walked|pulled|withdrew|clos|shut|resign|retire|step|finish|complet|wrap|got through"
    r"|done|through|over\b|off\b|came|gone|wean|laid|fired|sacked|redundant|last|broke|split"
    r"|divorc|separat|single|goodbye|put |buried|died|dead|pass|no longer|any ?more|any longer"
    r"|called off|fell|back|not\b|\w+n't|heal|cured|clear|better|fine|out\b|remov|recover|stol"
    r"|nick|written|no more|kaput|beyond|rob|swip|used to|postpon|these days|now\b)",
    re.IGNORECASE,
)
# It may come to that: nothing has ended yet, or only for a while.
_OPEN = re.compile(
    r"\b(?:almost|nearly|might|maybe|perhaps|if|should|could|would|gonna|about to|want to|trying to"
    r"|think(?:ing)? (?:of|about)|considering|wish|soon|again|tomorrow|next (?:week|month|year)"
    r"|for (?:a|the|this) (?:day|night|week|weekend|bit|while|moment|sec|minute)"
    r"|for (?:today|now|tonight|once|lunch|dinner)|smoking meat|this (?:morning|week)'s)\b"
    r"|\b(?:finish\w*|completed|done|through|over)\b.*\b(?:lesson|class|session|practice|training"
    r"|workout|homework|shift|exercises?)\b"
    r"|\bleft\b.*\b(?:today|tonight|early|this (?:morning|afternoon|evening))\b",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s+(?:in the end|after all|for good|at last|altogether|completely|entirely|for real|too|ages"
    r" ago|years ago|by the way|btw|tbh|ngl|finally|now|already|for (?:me|us)|on me|this time"
    r"|last (?:night|week|month|year|weekend)|yesterday|today|a while (?:ago|back)|recently"
    r"|unfortunately|sadly|forever|over)\Z",
    re.IGNORECASE,
)
_NOBODY = re.compile(
    rf"(?:{SUBJECT}|you|it|he|she|they|that|this|everything|nothing|all)\Z", re.IGNORECASE
)


def endings(text: str, at: datetime) -> Iterator[Ending]:
    """What `text` says is over, in order; questions, what-ifs and quotations name nothing."""
    if not _SIGN.search(text):
        return
    for clause in clauses(text, at):
        yield from _endings(clause)


def _endings(clause: Clause) -> Iterator[Ending]:
    """What the clause may mean by each way of saying it: "left" may end a job or a membership."""
    start = _since(clause) if _SIGN.search(clause.text) else None
    if start is None:
        return
    for way in WAYS:
        match = way.pattern.match(clause.text)
        if match is None or _OPEN.search(clause.text[: match.start("rest")]):
            continue
        named = way.named or _plain(match["what"], clause)
        if named and not _NOBODY.match(named):
            yield Ending(
                named=named,
                kinds=way.kinds,
                clause=clause,
                at=start,
                instead=_instead(match, way, clause),
            )


def _instead(match: re.Match[str], way: Way, clause: Clause) -> str:
    return _plain(match["new"], clause) if "new" in way.pattern.groupindex else ""


def _since(clause: Clause) -> datetime | None:
    """From when on: a day of the past that was named; None where only one to come was."""
    dates = clause.dates(past=True)
    days = [when.start for when in dates if when.day <= clause.at.date()]
    if dates and not days:
        return None
    return max(days, default=clause.at)


def _plain(raw: str, clause: Clause) -> str:
    """The words that name it, without its day and what is said about the ending."""
    said = cleaned(raw, clause, past=True)
    while (tail := _TAIL.search(said)) is not None:
        said = said[: tail.start()]
    return said.strip(" .")
