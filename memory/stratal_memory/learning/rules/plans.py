"""What the user is going to do, and what happened on a day that was named."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from stratal_memory.learning.dates import When
from stratal_memory.learning.rules.phrasing import dated, sentence, third_person, without_dates
from stratal_memory.learning.rules.rule import ADVERBS, I_HAVE, Draft, Rule, rule
from stratal_memory.learning.rules.sentences import Clause

OCCASION = (
    r"(?:appointment|flight|exam|interview|wedding|meeting|surgery|operation|trip|vacation|holiday"
    r"|deadline|party|concert|graduation|move|presentation|conference|train|check-?up|test|race"
    r"|marathon|anniversary|visit|call|class|course|recital|game|match|talk|defen[cs]e|due date"
    r"|reservation|booking|date|viewing|haircut|session|workshop|birthday|retirement|exhibition)s?"
)
_TRIVIAL = re.compile(
    r"(?:asked|told|said|mentioned|wrote|sent you|was wondering|had a question|got an error"
    r"|see if|try one|tried|saw|thought|need your help|off to an? \w+ ?\w* start|head (?:to"
    r"|off to) bed|going to (?:bed|sleep|head)|(?:be|come|get) (?:late|back|there|right|here))\b",
    re.IGNORECASE,
)
_ERRAND = re.compile(
    r"(?:leave|go|head|run|be off|log off|pick up|get|buy|eat|sleep|rest|shower)\b", re.I
)
# "I'll send it to you tomorrow" is said to the assistant and is no plan worth keeping.
_CHAT = re.compile(r"\b(?:you|it|this one|that)\b", re.IGNORECASE)
# Machines and papers: what happens to them on a day is work in hand.
IN_HAND = re.compile(
    r"\b(?:builds?|code|scripts?|tests? suite|servers?|deploy\w*|commit\w*|branch|merge[ds]?|bugs?"
    r"|errors?|functions?|files?|apps?|quer(?:y|ies)|database|docker|prompts?|answers?|questions?"
    r"|versions?|updates?|models?|chats?|conversations?|messages?|documents?|drafts?|essays?"
    r"|package|order|delivery|internet|wifi|router|password|account|screen|battery)\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(
    r"[,;:]\s|\s[-–—]|\b(?:so|because|but|and (?:I|my|we|it|the|would|need|could|can)"
    r"|if|which|who)\b",
    re.IGNORECASE,
)


def _plain(clause: Clause, dates: Sequence[When]) -> tuple[str, list[When]]:
    """The clause up to where another thought begins behind its date, and the dates in it."""
    behind = max((when.span[1] for when in dates), default=0)
    cut = _CLAUSE_END.search(clause.text, max(behind, 0))
    text = clause.text[: cut.start()] if cut else clause.text
    return text, [when for when in dates if when.span[1] <= len(text)]


def _planned(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """A plan with a date that is not over."""
    today = clause.at.date()
    dates = [when for when in clause.dates() if when.end.date() > today]
    if dates and dates[0].day == today and _ERRAND.match(match["what"]):
        return ()
    if not dates or _TRIVIAL.match(match["what"]) or _CHAT.search(match["what"]):
        return ()
    return (drafted("plan", clause, dates),)


def _happened(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """Something that happened on a day that was named."""
    today = clause.at.date()
    dates = [when for when in clause.dates(past=True) if when.day <= today]
    return (drafted("event", clause, dates),) if dates else ()


def _undated(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    return () if clause.dates() else (drafted("plan", clause, ()),)


def drafted(facet: str, clause: Clause, dates: Sequence[When]) -> Draft:
    """A plan or an event in the words of the clause, with its first date."""
    text, inside = _plain(clause, dates)
    said = re.sub(r"\Awe(?:'re| are)\b", "I am", text, flags=re.IGNORECASE)
    said = re.sub(r"\A(?:we|our)\b", _first, said, flags=re.IGNORECASE)
    shift = len(said) - len(text)
    moved = [_moved(when, shift) for when in inside]
    told = third_person(dated(said, moved))
    return Draft(
        facet=facet,
        value=" ".join(_without(text, inside).split()),
        text=sentence(told),
        when=dates[0] if dates else None,
    )


def over(draft: Draft, clause: Clause) -> datetime | None:
    """When what a rule made is over by itself, in UTC: a plan at the end of the last day it names.

    None for what is no plan, and for a plan without a day.
    """
    if draft.when is None or draft.facet != "plan":
        return None
    return max(when.end for when in (draft.when, *clause.dates())).astimezone(UTC)


def _first(match: re.Match[str]) -> str:
    return "my" if match.group().casefold() == "our" else "I"


def _moved(when: When, shift: int) -> When:
    if when.span[0] < 0:
        return when
    return replace(when, span=(when.span[0] + shift, when.span[1] + shift))


_SUBJECT = re.compile(
    r"\A(?:I'm|I am|I'll|I will|I've got|I have|I've|I|we're|we are|we'll|we will|we've|we have|we"
    r"|my|our)\s+(?:going to |planning to |plan to |have to |need to |must |got |to )?(?:an? )?",
    re.IGNORECASE,
)


def _without(text: str, dates: Sequence[When]) -> str:
    """What the plan is about: no subject, no date."""
    text = without_dates(text, dates)
    text = _SUBJECT.sub("", text, count=1)
    text = re.sub(r"\s*,\s*not\s*\Z", "", text.strip(), flags=re.I)
    return re.sub(r"\s+(?:is|are|on|in|at)\s*\Z", "", text, flags=re.I).strip(" ,.")


RULES: tuple[Rule, ...] = (
    rule(
        "plans.going",
        rf"(?:I'm|I am|we're|we are) {ADVERBS}(?P<what>(?:going|flying|travell?ing|moving|driving"
        r"|heading|visiting|seeing|meeting|getting|starting|leaving|having|taking|running|hosting"
        r"|attending|returning|coming|presenting|giving|planning|graduating|retiring|turning"
        r"|defending|expecting|picking|throwing|celebrating|due|off|booked|scheduled)\b.*)",
        _planned,
    ),
    rule(
        "plans.will",
        r"(?:I'll|I will|we'll|we will|I plan to|we plan to|I have to|I need to|I must|I've to"
        r"|I intend to|I'm supposed to|I've booked|I booked|we booked|we have to)"
        r" (?P<what>.+)",
        _planned,
    ),
    rule(
        "plans.have",
        rf"(?:{I_HAVE})(?P<what>(?:an?|my|the|our) .*\b{OCCASION}\b.*)",
        _planned,
    ),
    rule(
        "plans.occasion",
        rf"(?:my|our) (?P<what>(?!birthday\b)(?:[\w'-]+ ){{0,4}}?{OCCASION}"
        r"(?: (?:with|at|to|in|for) .+?)? (?:is|are|has been moved|got moved|starts|begins|leaves"
        r"|was moved|moved)\b.*)",
        _planned,
    ),
    rule(
        "plans.person",
        r"(?:my|our) (?P<what>[\w-]+(?: [\w-]+)? (?:is|are)"
        r" (?:visiting|coming|arriving|getting married|graduating|moving|turning)\b.*)",
        _planned,
    ),
    rule(
        "plans.undated",
        rf"(?:I'm|I am|we're|we are) {ADVERBS}planning (?:to|on|a) (?P<what>.+)",
        _undated,
    ),
    rule(
        "plans.meant",
        rf"(?:I'm|I am|we're|we are|I was|we were) {ADVERBS}(?:meant|supposed|due|scheduled|set"
        rf"|about"
        r"|booked|hoping|looking forward) (?:in )?to (?:be )?(?P<what>.+)",
        _planned,
    ),
    rule("plans.intend", r"(?:I|we) (?:plan|intend) to (?P<what>.+)", _undated),
    rule(
        "plans.event",
        rf"(?:I|we|I've|we've) {ADVERBS}(?P<what>(?:visited|travell?ed to|went to (?-i:[A-Z]\w+)"
        r"|flew to|met (?-i:[A-Z]\w+)|ran (?:an?|my|the) [\w -]*(?:marathon|race)|got married"
        r"|graduated|had (?:my|an?|the) (?:surgery|operation|baby|accident)"
        r"|(?:passed|finished|broke|lost) my"
        r"|won (?:an?|the|my)|adopted|retired|hiked|climbed)\b.*)",
        _happened,
    ),
)
