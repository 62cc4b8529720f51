"""Who the user is: name, home, origin, age, birthday, languages."""

import re
from collections.abc import Sequence

from stratal_memory.learning.dates import spoken
from stratal_memory.learning.rules.rule import (
    ADVERBS,
    I_AM,
    I_HAVE,
    NOT_NOW,
    Draft,
    Rule,
    cleaned,
    first_date,
    rule,
    stated,
)
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.learning.rules.vocabulary import (
    LANGUAGE_NAMES,
    NATIONALITIES,
)


def _is_place(value: str) -> bool:
    """A place has a capital, or is short and no mere situation ("a flat", "the moment")."""
    words = value.split()
    if not words or len(words) > 8 or value.casefold() in {"fear", "peace", "hope", "hell"}:
        return False
    return any(word[0].isupper() for word in words) or (
        len(words) <= 2 and words[0].casefold() not in {"a", "an", "the", "my", "this", "that"}
    )


def _home(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause, past=True)
    old = cleaned(match["old"], clause) if match["old"] else ""
    if not _is_place(value):
        return ()
    when = first_date(clause, past=True)
    date = f" {when.phrase()}" if when else ""
    moved = f"The user moved{f' from {old}' if old else ''} to {value}{date}."
    return (
        Draft(facet="home", value=value, text=moved, single_valued=True, when=when, instead_of=old),
    )


def _birthday(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    when = first_date(clause)
    if when is None or when.precision != "day" or when.span[0] < 0:
        return ()
    said = clause.text[slice(*when.span)].casefold()
    if not re.search(r"\d", said):
        return ()  # "my birthday is next Tuesday" names no date that comes back
    value = spoken(when.day) if when.year_given else spoken(when.day).rpartition(" ")[0]
    return (
        Draft(
            facet="birthday",
            value=value,
            text=f"The user's birthday is {value}.",
            single_valued=True,
        ),
    )


def _age(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    day = spoken(clause.at.date())
    age = int(match["value"])
    if not 3 <= age <= 120:
        return ()
    return (
        Draft(
            facet="age",
            value=str(age),
            text=f"The user was {age} years old on {day}.",
            single_valued=True,
        ),
    )


def _languages(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    words = re.findall(r"[A-Za-z]+", match["value"])
    spoken = [word.capitalize() for word in words if word.casefold() in LANGUAGE_NAMES]
    return tuple(
        Draft(facet="language", value=word, text=f"The user speaks {word}.") for word in spoken
    )


def _nationality(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause).capitalize()
    if value.casefold() not in NATIONALITIES:
        return ()
    return (Draft(facet="nationality", value=value, text=f"The user is {value}."),)


_ATTRIBUTE = (
    r"blood type|shoe size|height|time ?zone|pronouns|native language|mother tongue|first language"
    r"|star sign|zodiac sign|home ?town|surname|last name|family name|middle name|maiden name"
    r"|username|handle"
)


def _attribute(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause)
    if not 0 < len(value.split()) <= 6 or value.casefold().startswith(("not ", "too ", "so ")):
        return ()
    what = " ".join(match["what"].casefold().split())
    verb = "are" if what == "pronouns" else "is"
    return (
        Draft(
            facet=what.replace(" ", "_"),
            value=value,
            text=f"The user's {what} {verb} {value}.",
            single_valued=True,
        ),
    )


AGES: tuple[Rule, ...] = (
    rule(
        "identity.pronouns",
        r"(?:I use|my pronouns are|pronouns) (?P<value>(?:he|she|they|xe"
        r"|ze)/\w+(?:/\w+)?)(?: pronouns)?\b.*",
        stated("pronouns", "The user's pronouns are {value}.", single=True),
    ),
    rule(
        "identity.decade",
        rf"{I_AM}in my (?P<value>(?:early |mid[- ]?|late )?(?:teens|twenties|thirties|forties"
        rf"|fifties|sixties"
        r"|seventies|eighties|nineties|[2-9]0'?s))\b.*",
        stated("age", "The user is in their {value}.", single=True),
    ),
)

RULES: tuple[Rule, ...] = (
    rule(
        "identity.home",
        rf"(?:I|we) {ADVERBS}(?:live|reside) (?:together )?(?:with .+? )?"
        r"(?:in|at|near) (?P<value>.+)",
        stated("home", "The user lives in {value}.", single=True, past=True, accept=_is_place),
    ),
    rule(
        "identity.based",
        rf"(?:{I_AM}|we're |we are )(?:based|living|settled) in (?P<value>.+)",
        stated("home", "The user lives in {value}.", single=True, past=True, accept=_is_place),
    ),
    rule(
        "identity.lived",
        rf"(?:{I_HAVE})(?:lived|been living) in (?P<value>.+?) (?:since|for) .+",
        stated(
            "home", "The user has lived in {value}{date}.", single=True, past=True, accept=_is_place
        ),
    ),
    rule(
        "identity.moved",
        rf"(?:I|I've|I have|we|we've|we have) {ADVERBS}(?:moved|relocated)"
        r"(?: (?:back|over|out|again|house|home))?(?: from (?P<old>.+?))? to (?P<value>.+)",
        _home,
    ),
    rule(
        "identity.left_home",
        rf"{NOT_NOW} (?:live|living|lived) in (?P<value>.+)",
        stated(
            "home",
            "The user does not live in {value} any more.",
            single=True,
            retracts=True,
            past=True,
            accept=_is_place,
        ),
    ),
    rule(
        "identity.origin",
        rf"(?:{I_AM}(?:originally |coming )?from|I (?:originally )?come from"
        r"|I was (?:born|born and raised) in) (?P<value>[^\W\d].*)",
        stated(
            "origin",
            "The user comes from {value}.",
            single=True,
            past=True,
            accept=lambda value: _is_place(value) and value[0].isupper(),
        ),
    ),
    rule(
        "identity.grew_up",
        r"I (?:was raised|grew up) in (?P<value>[^\W\d].*)",
        stated("grew_up", "The user grew up in {value}.", single=True, accept=_is_place),
    ),
    rule(
        "identity.birthday",
        r"(?:my (?:birthday|date of birth|birth date)(?:'s| is)|I was born) .+",
        _birthday,
    ),
    rule(
        "identity.age",
        rf"(?:{I_AM}|I turned |I just turned |I have (?=\d+ years))(?P<value>\d{{1,3}})"
        r"(?: years old| years of age| years)?"
        r"(?: (?:now|today|yesterday|last .+|this .+))?\Z",
        _age,
    ),
    rule("identity.language", rf"I {ADVERBS}(?:speak|am fluent in) (?P<value>.+)", _languages),
    rule("identity.fluent", rf"{I_AM}fluent in (?P<value>.+)", _languages),
    rule("identity.nationality", rf"{I_AM}(?P<value>\w+)\Z", _nationality),
    rule(
        "identity.attribute",
        rf"my (?P<what>{_ATTRIBUTE}) (?:is|are) (?P<value>.+)",
        _attribute,
    ),
)
