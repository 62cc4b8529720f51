"""The user's people and animals."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.rule import (
    ADVERBS,
    I_AM,
    I_HAVE,
    Draft,
    Rule,
    cleaned,
    first_date,
    named,
    rule,
    stated,
)
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.learning.wordlist import words

_KIN = {
    "mom": "mother",
    "mum": "mother",
    "mama": "mother",
    "dad": "father",
    "papa": "father",
    "grandma": "grandmother",
    "granny": "grandmother",
    "grandpa": "grandfather",
    "kid": "child",
    "hubby": "husband",
    "fiancé": "fiance",
    "fiancée": "fiance",
    "fiancee": "fiance",
}
_ONE = words(
    """
    wife husband partner girlfriend boyfriend spouse fiance mother father boss manager
    """
)
_OUTSIDE = words(
    """
    boss manager roommate flatmate neighbour neighbor colleague coworker friend doctor
    dentist therapist landlord teacher
    """
)
_RELATION = (
    r"(?:(?:older|younger|elder|little|big|twin|eldest|youngest|oldest|baby|best|half|step)[ -])*"
    r"(?P<who>wife|husband|hubby|partner|girlfriend|boyfriend|spouse|fianc[eé]e?|mother|mom|mum|mama"
    r"|father|dad|papa|sister|brother|son|daughter|aunt|uncle|cousin|grandmother|grandma|granny"
    r"|grandfather|grandpa|parents|niece|nephew|child|kid|baby|roommate|flatmate|neighbou?r|colleague"
    r"|coworker|friend|boss|manager|doctor|dentist|therapist|landlord|teacher)"
)
_PET = (
    r"(?P<who>dog|puppy|cat|kitten|rabbit|bunny|hamster|guinea pig|parrot|budgie|horse|pony|turtle"
    r"|tortoise|goldfish|fish|snake|lizard|ferret|rat|mouse|chicken|goat|pig|donkey|gecko|canary"
    r"|pet|(?:golden |labrador )?retriever|labrador|poodle|beagle|corgi|dachshund|husky|terrier)"
)
_YOUNG = {"puppy": "dog", "kitten": "cat", "bunny": "rabbit"} | dict.fromkeys(
    ["retriever", "labrador", "poodle", "beagle", "corgi", "dachshund", "husky", "terrier"], "dog"
)
_CALLED = r"(?:'s name is|'s called| is called| is named|'s name was)"


def _facet(word: str, *, pet: bool) -> tuple[str, str]:
    """The facet and the word a sentence uses for somebody."""
    said = " ".join(word.casefold().split())
    if pet:
        return f"pet.{_YOUNG.get(said.split()[-1], said).replace(' ', '_')}", said
    said = _KIN.get(said, said)
    return f"{'people' if said in _OUTSIDE else 'family'}.{said}", said


def _person(match: re.Match[str], clause: Clause, *, pet: bool) -> Sequence[Draft]:
    value = cleaned(match["value"], clause)
    if not named(value, words=3):
        return ()
    facet, said = _facet(match["who"], pet=pet)
    other = re.search(r",? not ([A-Z][\w'-]*)\Z", clause.text)
    return (
        Draft(
            facet=facet,
            value=value,
            text=f"The user's {said} is called {value}.",
            single_valued=said in _ONE,
            correction=other is not None,
            instead_of=other[1] if other else "",
        ),
    )


def _kin(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    return _person(match, clause, pet=False)


def _pet(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    return _person(match, clause, pet=True)


_VERB = re.compile(
    r"(?P<name>(?:[A-Z][\w'-]*)?)\s*(?P<rest>(?:lives?|works?|studies|has|plays|speaks|likes|loves"
    r"|hates|moved|died|passed away|got married|is (?:an? |allergic|pregnant|vegan|vegetarian"
    r"|\d|moving|getting|studying|working|living|a|coming|turning|visiting))\b.*)"
)


def _about(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """Her name and what she does, from "My sister Ana lives in Porto"."""
    facet, said = _facet(match["who"], pet=False)
    told = _VERB.match(match["rest"])
    if told is None:
        return ()
    name = told["name"]
    rest = cleaned(told["rest"], clause, past=True)
    when = first_date(clause, past=True)
    if len(rest.split()) < 2 and rest != "died":
        return ()
    drafts: list[Draft] = []
    if name:
        text = f"The user's {said} is called {name}."
        drafts.append(Draft(facet=facet, value=name, text=text, single_valued=said in _ONE))
    date = f" {when.phrase()}" if when else ""
    who = f"{said} {name}".strip()
    drafts.append(
        Draft(
            facet=f"{facet}.{_topic(rest)}",
            value=_object(rest),
            text=f"The user's {who} {rest}{date}.",
            when=when,
        )
    )
    return drafts


_TOPICS = {
    "lives": "home",
    "live": "home",
    "work": "work",
    "moved": "home",
    "works": "work",
    "studies": "study",
}


def _topic(rest: str) -> str:
    return _TOPICS.get(rest.split()[0], "about")


def _object(rest: str) -> str:
    """What the verb speaks of: "lives in Porto" gives "Porto"."""
    match = re.match(r"(?:lives?|works?|moved) (?:in|at|for|to|as) (.+)", rest)
    return match[1] if match else rest


def _owned_pet(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """The animal of "I have a dog", with its name where it was said."""
    facet, said = _facet(match["who"], pet=True)
    name = cleaned(match["value"] or "", clause)
    if name and named(name, words=3):
        text = f"The user has a {said} called {name}."
        return (Draft(facet=facet, value=name, text=text),)
    rest = clause.text[match.end("who") :]
    if re.match(r"\s*(?:\w+ )?(?:sitter|food|collar|bed|house|show|question|problem)\b", rest):
        return ()
    return (Draft(facet=facet, value=said, text=f"The user has a {said}."),)


def _owned_kin(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """Everybody in "a daughter called Mia and a son called Leo"."""
    drafts: list[Draft] = []
    for each in _EACH.finditer(clause.text):
        facet, said = _facet(each["who"], pet=False)
        name = cleaned(each["value"], clause)
        if named(name, words=3):
            text = f"The user has a {said} called {name}."
            drafts.append(Draft(facet=facet, value=name, text=text, single_valued=said in _ONE))
    return drafts


_EACH = re.compile(
    rf"\ban? {_RELATION},? (?:called|named|whose name is) (?P<value>.+?)(?=,? and an? |\Z)",
    re.IGNORECASE,
)


def _count(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    what = match["what"].casefold()
    value = f"{match['count'].casefold()} {what}"
    animals = what.startswith(("dog", "cat", "rabbit", "horse", "chicken", "fish", "bird"))
    facet = f"{'pet' if animals else 'family'}.{what}"
    return (Draft(facet=facet, value=value, text=f"The user has {value}.", single_valued=True),)


def _spouse(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    status = match["value"].casefold()
    when = first_date(clause, past=True)
    got = when is not None and " got " in f" {clause.text} "
    text = f"The user got {status} {when.phrase()}." if when and got else f"The user is {status}."
    drafts = [Draft(facet="family.status", value=status, text=text, single_valued=True, when=when)]
    name = cleaned(match["name"] or "", clause)
    if named(name, words=3):
        text = f"The user is {status} to {name}."
        drafts.append(Draft(facet="family.spouse", value=name, text=text, single_valued=True))
    return drafts


RULES: tuple[Rule, ...] = (
    rule("people.name", rf"(?:the name of )?(?:my|our) {_RELATION}{_CALLED} (?P<value>.+)", _kin),
    rule("people.is", rf"(?:my|our) {_RELATION} is (?P<value>[^\W\d_][\w'-]*(?: \w+)?)\Z", _kin),
    rule("people.about", rf"(?:my|our) {_RELATION},? (?P<rest>.+)", _about),
    rule(
        "people.have",
        rf"(?:{I_HAVE})an? {_RELATION},? (?:called|named|whose name is) .+",
        _owned_kin,
    ),
    rule(
        "people.count",
        rf"(?:{I_HAVE})(?P<count>\d{{1,2}}|two|three|four|five|six|seven|no)"
        r" (?P<what>kids|children|sons|daughters|sisters|brothers|siblings|grandchildren|dogs|cats"
        r"|rabbits|horses|chickens|birds)\b",
        _count,
    ),
    rule(
        "people.status",
        rf"(?:{I_AM}|we're |we are |we just got |I got |we got |I just got )(?:happily |newly )?"
        r"(?P<value>married|engaged|divorced|widowed|single)(?: to (?P<name>.+))?(?: .*)?\Z",
        _spouse,
    ),
    rule(
        "people.pet_name",
        rf"(?:the name of )?(?:my|our) (?:\w+ )?{_PET}{_CALLED} (?P<value>.+)",
        _pet,
    ),
    rule("people.pet_is", rf"(?:my|our) {_PET} is (?P<value>[^\W\d_][\w'-]*)\Z", _pet),
    rule(
        "people.pet",
        rf"(?:{I_HAVE}|(?:I|we|I've|we've) {ADVERBS}(?:got|adopted|bought|own) )an?"
        rf" (?:[\w-]+ ){{0,3}}?{_PET}\b(?:,? (?:called|named|whose name is) (?P<value>.+))?",
        _owned_pet,
    ),
    rule(
        "people.pet_verb",
        rf"(?:my|our) {_PET},? (?P<value>[^\W\d_][\w'-]*),? (?:is|was|has|likes|loves|hates|eats"
        r"|sleeps|turned|got|died|keeps|needs)\b.*",
        _pet,
    ),
    rule(
        "people.pet_died",
        r"(?:my|our) (?P<value>dog|cat|rabbit|hamster|parrot|horse)"
        r" (?:died|passed away|was put down)\b.*",
        stated("", "The user's {value} died{date}.", past=True),
    ),
)
