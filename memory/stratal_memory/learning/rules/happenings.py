"""Whatever else was said of the user and theirs with a day: the day is what makes it a fact.

The last rules asked: a verb nobody thought of still tells of a plan or an event when a day stands
beside it.
"""

import re
from collections.abc import Sequence

from stratal_memory.learning.dates import Precision, When
from stratal_memory.learning.rules.phrasing import PAST_FORMS
from stratal_memory.learning.rules.plans import IN_HAND, drafted
from stratal_memory.learning.rules.rule import Draft, Rule, rule
from stratal_memory.learning.rules.sentences import Clause

LONGEST = 24  # words; a longer clause tells of more than its day
OPENING = 7  # words in which the verb must stand
# What is said to the assistant, or of what lies before both, and no part of a life.
_CHAT = re.compile(
    r"\b(?:you|your|yours|it|its|this one|that one|this|these|those|them)\b(?! (?:year|month|week"
    r"|weekend|summer|winter|spring|autumn|fall|morning|afternoon|evening|\w+day|january|february"
    r"|march|april|may|june|july|august|september|october|november|december))",
    re.IGNORECASE,
)
_EVERY_DAY = re.compile(
    r"\b(?:slept|sleep|ate|eat|drank|watch(?:ed)?|saw|felt|feel|forgot|woke|wake|asked|ask|tried|try"
    r"|did|cooked|read|played|thought|think|said|told|wrote|worked late|stayed up|was (?:so |very"
    r" |really )?\w+ing|wanted|need(?:ed)?|want|noticed|used|looked|checked|talked|called|texted"
    r"|just went|skipped|let (?:her|him|them) know|got (?:here|in late|back home|the ingredients)"
    r"|fell asleep|overslept|ran late|off to an?"
    r"|had (?:lunch|dinner|breakfast|pizza|coffee|a (?:nap|coffee|beer|drink|dream|thought|look"
    r"|feeling|headache))|(?:be|am|was) (?:(?:a )?(?:bit )?late|back|there|home|free"
    r"|busy|out|away|offline|online|around|gone|available|off)|could|couldn't|can't|cannot|don't|didn't|won't|do|wonder\w*|hope|wish)\b",
    re.IGNORECASE,
)
# Past by their ending, and no act: "was so tired".
_STATE = (
    r"tired|bored|annoyed|stressed|excited|worried|scared|confused|exhausted|interested|supposed"
    r"|pleased|need|speed|bed|red|hundred|embarrassed|surprised|shocked|tempted|convinced|ashamed"
)
_AHEAD = re.compile(
    r"(?:'m|'re|'s|\bam|\bare|\bis|\bbe) (?:\w+ ){0,2}?(?:\w+ing|due|off|booked|scheduled|on|at|in"
    r"|next|from|this|tomorrow|the)\b|(?:'ll|\bwill) \w+|\b(?:have|has|'ve got) (?:an?|my|our|the"
    r"|\d|two|three)\b|\b(?:starts?|begins?|comes?|goes|go|leaves?|ends?|turns?|fly|flies|opens?"
    r"|moves?|gets?|marr(?:y|ies))\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"(?:\b(?:had|(?:was|were) \w+ed|went|got|(?!(?:"
    + _STATE
    + r")\b)\w{2,}(?<!e)ed|"
    + "|".join(sorted(PAST_FORMS))
    + r"))\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"(?:I'm|I am|we're|we are) not\b", re.IGNORECASE)  # what won't be is no plan
_COARSE = (Precision.YEAR,)  # "in 2019" names no day


def _happens(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    text = clause.text
    if _NOT.match(text):
        return ()
    if len(text.split()) > LONGEST or _CHAT.search(text) or _EVERY_DAY.search(text):
        return ()
    opening = " ".join(text.split()[:OPENING])
    if _PAST.search(opening) and not re.search(r"\b(?:will|going to)\b|'ll\b", opening, re.I):
        return _happened(clause)
    return _planned(clause) if _AHEAD.search(opening) else ()


def _happened(clause: Clause) -> Sequence[Draft]:
    today = clause.at.date()
    dates = [when for when in _exact(clause, past=True) if when.day < today]
    if not dates or IN_HAND.search(clause.text):
        return ()
    return (drafted("event", clause, dates),)


def _planned(clause: Clause) -> Sequence[Draft]:
    today = clause.at.date()
    dates = [when for when in _exact(clause) if when.end.date() > today and when.day != today]
    return (drafted("plan", clause, dates),) if dates else ()


def _exact(clause: Clause, *, past: bool = False) -> list[When]:
    return [when for when in clause.dates(past=past) if when.precision not in _COARSE]


RULES: tuple[Rule, ...] = (
    rule(
        "happenings.any",
        r"(?:(?:I|we|I'm|I've|I'll|we're|we've|we'll|I am|we are)\b|(?:my|our) [\w'-]+|(?:someone"
        r"|somebody|thieves|they|the \w+) (?=[^,]* (?:my|our|me|us)\b)).*",
        _happens,
    ),
)
