"""Whatever else the user calls theirs by a noun: "my rent is 900", "I'm with Vodafone for mobile".

Each noun is a facet of its own (`about.rent`) with one value at a time. What comes and goes ("my
phone is dead"), opinions ("my bank is useless") and the work in hand tell nothing of the user.
"""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.attribute_words import (
    AMOUNTS,
    AMOUNTS_OF,
    CALLED,
    FLEETING,
    NOUNS,
    OPINIONS,
    PASSING,
    PLACED,
    USUAL,
    VERDICTS,
)
from stratal_memory.learning.rules.kin import PET, RELATION, is_state
from stratal_memory.learning.rules.rule import ADVERBS, Draft, Rule, cleaned, named, rule
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.text import STOP_WORDS

_NUMBER = (
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|quarter|noon"
    r"|midnight|hundred|thousand|grand|k)\b"
)
_CLOCK = re.compile(r"(\d):(\d)")
_RATIO = "\N{RATIO}"
DAYS = (
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?|weekdays|weekends"
    r"|every day|the mornings?|the evenings?)"
)
_MY = r"(?:my|our) (?P<kind>(?:new|current|usual|main|go-to|old|regular|own) )?"
_NOUN = (
    r"(?P<noun>(?:(?:kids'|kid's|son's|daughter's|dog's|cat's|baby's) )?[a-z][\w-]*(?:"
    r" (?!is\b|are\b|was\b|has\b|and\b|but\b|that\b|which\b|who\b)[\w-]+){0,3}?)"
)
_IS = (
    r"(?:'s| is| are|'re)(?: now| currently| still| actually| usually| always| (?:just )?been)?"
    r"(?: (?P<called>called|named))?"
)


# Nouns that other rules have a facet for.
_ESTABLISHED = {
    "employer": "work.employer",
    "job": "work.role",
    "role": "work.role",
    "job_title": "work.role",
    "title": "work.role",
    "profession": "work.role",
    "degree": "study.subject",
    "major": "study.subject",
    "university": "study.school",
    "college": "study.school",
    "shoe_size": "shoe_size",
    "username": "username",
    "handle": "handle",
}
_DIGITS = re.compile(r"[\d\s().+/-]{6,}\Z")  # a number to call, and no name of a thing


def about(noun: str, value: str, text: str) -> Draft:
    """What is told of a noun of the user's: one value at a time."""
    said = "_".join(noun.casefold().split())
    facet = _ESTABLISHED.get(said, f"about.{said}")
    return Draft(facet=facet, value=value, text=text, single_valued=True)


def _is(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """What a noun of the user's is, when both say something that lasts."""
    called = bool(match.groupdict().get("called"))
    kind = (match["kind"] or "").strip()
    return told_of(match["noun"], match["value"], clause, kind=kind, called=called)


def told_of(
    said_noun: str, value: str, clause: Clause, *, kind: str = "", called: bool = False
) -> Sequence[Draft]:
    """That a noun of the user's is `value`, when both say something that lasts; else nothing."""
    noun = _noun(said_noun, kind)
    raw = _timed(value, clause)
    said = _valued(raw)
    if not noun or not _tells(noun, raw, said, called=called) or _DIGITS.match(said):
        return ()
    verb = "are" if noun.endswith("s") and not noun.endswith("ss") else "is"
    how = f"{verb} called" if called else verb
    return (about(noun, said, f"The user's {noun} {how} {raw}."),)


def _noun(raw: str, kind: str = "") -> str:
    """The noun in small letters, without what is said of it; empty for one that tells nothing."""
    noun = " ".join(re.sub(r"\b(?:of choice|at work|of mine)\b", "", raw.casefold()).split())
    parts = noun.split()
    usual = kind.casefold() in {"usual", "go-to", "regular"} and parts[-1:] and parts[-1] in USUAL
    if (
        not parts
        or (parts[-1] in PASSING and not usual)
        or parts[0] in FLEETING
        or re.fullmatch(RELATION, noun)
    ):
        return ""
    if re.fullmatch(PET, parts[-1]) or any(part in STOP_WORDS - {"on", "up"} for part in parts):
        return ""
    return noun


def _timed(raw: str, clause: Clause) -> str:
    """`raw` cleaned, with its times whole: "7:30" is no end of a thought."""
    return cleaned(_CLOCK.sub(rf"\1{_RATIO}\2", raw), clause).replace(_RATIO, ":")


def _valued(raw: str) -> str:
    """The value without an article, or what leads to it: "is with Allianz" is "Allianz"."""
    return re.sub(
        r"\A(?:(?:with|from|at|on|in|by|around|about|set (?:for|to|at)|called|named|probably)\s+)?"
        r"(?:(?:a|an|the)\s+)?",
        "",
        raw,
        flags=re.IGNORECASE,
    )


def _tells(noun: str, raw: str, value: str, *, called: bool) -> bool:
    """Whether noun and value say something of the user that lasts."""
    parts = value.casefold().split()
    head = noun.split()[-1].removesuffix("s")
    if not 0 < len(parts) <= 8 or _fleeting(raw, parts):
        return False
    if noun in AMOUNTS or head in AMOUNTS:
        return bool(re.search(rf"{_NUMBER}|{DAYS}", value, re.IGNORECASE))
    known = noun in NOUNS or head in NOUNS or head in USUAL
    large = any(part[0].isupper() or part[0].isdigit() for part in value.split())
    if not known and head in PLACED:
        return named(value, words=5)
    if not known:
        return called and named(value) and head in CALLED
    if re.match(r"(?:in|at|on|by|around|about|under|over|off|up|down)\b", raw, re.I):
        return head in PLACED and large
    return large or called or not raw.casefold().startswith("from ")


def _fleeting(raw: str, parts: Sequence[str]) -> bool:
    """Whether the value is a state, an opinion or something that happens right now."""
    first, last = parts[0], parts[-1]
    if re.match(
        r"(?:not|so|too|very|super|quite|pretty|rather|kinda|a bit|really|getting|going|being"
        r"|just|that|to|like|what|why|how"
        r"|still|my|your|his|her|their|our|the (?:best|worst|same|only|problem|reason))\b",
        raw,
        re.I,
    ):
        return True
    judged = {last} if re.match(r"(?:an?|the)\b", raw, re.I) else {first, last}
    if is_state(" ".join(parts)) or OPINIONS & judged or VERDICTS & set(parts):
        return True
    plain = len(parts) == 1 or first.endswith(("ly", "ing"))
    return (
        plain
        and bool(
            re.search(r"(?:ing|ed|ful|less|ous|able|ible|ish|ent|ken|ive|tic)\Z", first)
            and first not in NOUNS
        )
        and raw.islower()
    )


def _got(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause)
    noun = _noun(match["noun"])
    if not noun or not (named(value) and noun.split()[-1] in NOUNS):
        return ()
    return (about(noun, value, f"The user's {noun} is {value}."),)


def _pays(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    noun = " ".join(
        re.sub(r"\A(?:my|the|our) ", "", cleaned(match["noun"], clause).casefold()).split()
    )
    value = cleaned(match["value"], clause)
    if noun.split()[-1:] and noun.split()[-1] in AMOUNTS_OF and len(noun.split()) <= 3:
        each = f" {match['each']}" if match["each"] else ""
        return (about(noun, value, f"The user pays {value}{each} for {noun}."),)
    return ()


RULES: tuple[Rule, ...] = (
    rule("attributes.is", rf"{_MY}{_NOUN}{_IS} (?P<value>.+)", _is),
    rule(
        "attributes.i_use",
        rf"the (?P<kind>)(?P<noun>[a-z][\w-]*(?: [a-z][\w-]*)?) (?:that |which )?(?:I|we)"
        rf" (?:\w+ly )?"
        rf"(?:use|have|drive|ride|go to|own|play|wear|bank with|pay for|rent|work (?:at|on|with|in)"
        rf"|live (?:in|on)){_IS} (?P<value>.+)",
        _is,
    ),
    rule(
        "attributes.got",
        r"(?:I|we)(?:'ve| have)? (?:just |finally )?(?:got|have|found) (?:a|an|my) new"
        r" (?P<noun>[a-z-]+"
        r"(?: [a-z-]+)?)(?:,| called| named|:| -) (?:it's |its |(?:his|her) name is"
        r" )?(?P<value>.+)",
        _got,
    ),
    rule(
        "attributes.pays",
        rf"(?:I|we) {ADVERBS}pay (?:about |around |roughly |like |only |over |nearly )?"
        r"(?P<value>[$£€]?\d[\d.,]*k?(?: ?(?:euros?|eur|pounds?|quid|dollars?|bucks|usd|gbp|francs"
        r"|chf|€|£|\$))?)(?: (?P<each>(?:a|per|each|every) (?:month|week|year|day)|monthly|pcm"
        r"|weekly))? for (?P<noun>.+)",
        _pays,
    ),
    rule(
        "attributes.colon",
        r"(?:my )?(?P<kind>)(?P<noun>[a-z][\w-]*(?: [a-z]+)?):(?P<called>) (?P<value>.+)\Z",
        lambda match, clause: _is(match, clause) if clause.opens else (),
    ),
)
