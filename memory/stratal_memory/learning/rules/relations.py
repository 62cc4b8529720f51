"""What is said about the user's people: what they are, have, like, and who they are to whom."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.health import CONDITION
from stratal_memory.learning.rules.kin import RELATION, facet_of
from stratal_memory.learning.rules.phrasing import dated, without_dates
from stratal_memory.learning.rules.rule import I_AM, I_HAVE, Draft, Rule, cleaned, first_date, rule
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.learning.rules.vocabulary import NATIONALITIES, ROLE_HEADS

_NAME = r"(?-i:[A-ZÀ-Þ][\w'-]*(?: [A-ZÀ-Þ][\w'-]*)?)"
_NEGATED = r"(?:doesn't|does not|don't|won't|can't|cannot|never)"
# What a person may be for good, and not just today.
_BEING = (
    rf"(?:is|are|'s|'re|has been|have been)(?: \w+ly| both| also| still| a strict| now| actually)*"
    rf" (?:(?P<state>vegan|vegetarian|pescatarian|diabetic|autistic|deaf|blind|pregnant|retired"
    rf"|dyslexic|left[- ]handed|coeliac|celiac|gluten[- ]free|lactose[- ]intolerant|unemployed"
    rf"|divorced|married|engaged|widowed|single|disabled|epileptic|asthmatic|teetotal)\b"
    rf"|allergic (?:to|of|with|against) .+|afraid of .+|scared of .+|into .+|obsessed with .+"
    rf"|from .+|expecting .+"
    rf"|called (?P<called>{_NAME})|named (?P<named>{_NAME}|\w+)|due\b.+|(?:almost |nearly "
    rf"|only )?\d{{1,3}}\b(?! ?%).*"
    rf"|studying .+|training .+|an? (?P<role>.+))"
)
_DOING = (
    rf"(?:lives?|works?|stud(?:y|ies)|plays?|speaks?|loves?|likes?|hates?|adores?|collects?"
    rf"|teaches?"
    rf"|coaches|drives?|runs?|uses?|wears?|gets? (?:car|sea|air|travel) ?sick|raised me|taught"
    rf"|turned \d{{1,3}}|turns \d{{1,3}}|moved to|died|passed away|got (?:married|engaged|divorced)"
    rf"|graduated|started|owns?|suffers? from|prefers?|eats? only|only eats?|{_NEGATED} (?:eat|like"
    rf"|drink|touch|speak|drive)|(?:has|have) (?:{CONDITION}|an? .*(?:allergy|disease"
    rf"|disorder|intolerance)"
    rf"|just had .+|\w+ (?:kids|children|sons|daughters|cats|dogs)))\b"
)
_ABOUT = re.compile(rf"(?:(?:{_NAME}),? )?(?P<rest>(?:{_BEING}|{_DOING}).*)", re.IGNORECASE)
_TOPICS = {"live": "home", "moved": "home", "work": "work", "study": "study", "studie": "study"}
_VERB = re.compile(r"\A(?:is|are|'s|'re)\b ?", re.IGNORECASE)


# A verb that lost what it needs, or points at what was said before.
_OPEN_END = re.compile(
    r"(?:loves?|likes?|hates?|adores?|plays?|speaks?|works?|uses?|wears?|drives?|runs?|owns?|prefers?|collects?|teaches"
    r"|don't like|doesn't like|lives?|started|speak)(?: (?:it|that|this|them|me|you|him|her)\b.*)?",
    re.IGNORECASE,
)


def _about(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """A statement about somebody, when it is one that lasts."""
    rest_said = match["rest"].strip()
    told = _ABOUT.fullmatch(rest_said)
    if told is None or re.match(r"(?:called|named)\b", told["rest"]):
        return ()
    if told["role"] is not None and not _is_role(told["role"], clause):
        return ()
    if told["called"] or told["named"]:
        return ()
    facet, said = facet_of(match["who"] + (match["law"] or ""))
    rest = _lasting(told["rest"], clause)
    value = _VERB.sub("", rest)
    if not value or len(value.split()) > 10 or _OPEN_END.fullmatch(rest):
        return ()
    when = (
        first_date(clause, past=True) if re.search(r"ed\b|died|got\b", rest) else first_date(clause)
    )
    date = f" {when.phrase()}" if when and when.span[0] >= 0 else ""
    word = rest.split()[0].casefold().removesuffix("s")
    name = re.match(_NAME, rest_said)
    who = f"{said} {name.group()}" if name and not rest.startswith(name.group()) else said
    return (
        Draft(
            facet=f"{facet}.{_TOPICS.get(word, 'about')}",
            value=value,
            text=f"The user's {who} {rest}{date}.",
            when=when if date else None,
        ),
    )


def _lasting(rest: str, clause: Clause) -> str:
    verb = re.match(r"'s\b|'re\b", rest)
    said = ("are" if verb.group() == "'re" else "is") + rest[verb.end() :] if verb else rest
    said = re.split(
        r",(?! \w+,? (?:and|or) )|\bso\b|\bbecause\b|\band (?:the|his|her|their)\b|\bwhich\b", said
    )[0]
    return cleaned(said, clause, past=True)


def _is_role(raw: str, clause: Clause) -> bool:
    head = re.split(r"\b(?:at|for|with|in|from|by|on|who)\b", cleaned(raw, clause))[0].split()
    if not head:
        return False
    last = head[-1].casefold()
    known = last in ROLE_HEADS or last in {"vegan", "vegetarian", "student", "smoker", "widow"}
    return known or (len(head) <= 2 and last in NATIONALITIES)


def _siblings(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = f"{match['place'].casefold()} of {match['count'].casefold()} {match['what'].casefold()}"
    return (
        Draft(
            facet="family.siblings",
            value=value,
            text=f"The user is the {value}.",
            single_valued=True,
        ),
    )


def _divorced(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = match["value"].casefold()
    getting = "getting " if "getting" in clause.text.casefold() else ""
    text = f"The user is {getting}{value}."
    return (Draft(facet="family.status", value=f"{getting}{value}", text=text, single_valued=True),)


def _married(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    name = cleaned(match["value"], clause, past=True)
    name = re.split(r"\s+(?:in|at|on)\s+", name)[0]
    if not re.fullmatch(_NAME, name):
        return ()
    when = first_date(clause, past=True)
    date = f" {when.phrase()}" if when else ""
    text = f"The user got married to {name}{date}."
    return (Draft(facet="family.spouse", value=name, text=text, single_valued=True, when=when),)


def _expecting(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    dates = clause.dates()
    told = dated(match["value"], []) if not dates else without_dates(match["value"], [])
    value = cleaned(told, clause)
    when = dates[0] if dates else None
    date = f", due {when.phrase()}" if when else ""
    text = f"The user is expecting {value}{date}."
    return (Draft(facet="family.expecting", value=value, text=text, when=when),)


def _apart(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    name = re.search(rf"(?:\bwith |, )(?P<name>{_NAME})", clause.text)
    who = name["name"] if name else "their partner"
    text = f"The user and {who} are not together any more."
    return (Draft(facet="family.separated", value=who, text=text),)


RULES: tuple[Rule, ...] = (
    rule(
        "relations.about", rf"(?:both |all )?(?:my|our) {RELATION}(?P<rest>(?:'s|'re)? ?.+)", _about
    ),
    rule(
        "relations.siblings",
        rf"{I_AM}the (?P<place>youngest|oldest|eldest|middle child|second) of"
        r" (?:the )?(?P<count>\w+)(?: (?P<what>siblings|children|kids|brothers|sisters|boys"
        r"|girls))\b",
        _siblings,
    ),
    rule(
        "relations.divorced",
        rf"(?:{I_AM}|we're |we are )(?:getting )?(?:a )?(?P<value>divorced|separated|widowed"
        rf"|widower|widow)\b.*",
        _divorced,
    ),
    rule(
        "relations.married",
        rf"(?:I|we|{I_AM}) ?(?:just |recently )*(?:got )?married(?: to)? (?P<value>.+)",
        _married,
    ),
    rule(
        "relations.expecting",
        rf"(?:{I_AM}|we're |we are )expecting (?P<value>(?:a|our|my|twins|another)\b.*)",
        _expecting,
    ),
    rule(
        "relations.apart",
        rf"(?:we're not together (?:any ?more|now)|(?:I|we|{I_HAVE}) ?(?:just "
        rf"|recently )*(?:broke|broken|split) up)\b.*",
        _apart,
    ),
)
