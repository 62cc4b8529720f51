"""Names said in passing, anywhere in a clause: "with my boyfriend Matt", "my cat Olive"."""

import re
from collections.abc import Iterator

from stratal_memory.learning.dates import spoken
from stratal_memory.learning.rules.kin import (
    PET,
    RELATION,
    facet_of,
    is_small_name,
    pet_facet_of,
)
from stratal_memory.learning.rules.rule import Draft
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.learning.wordlist import words

_NAME = r"(?-i:[A-ZÀ-Þ][\w'-]*(?<!'s)(?: [A-ZÀ-Þ][\w-]*)?)"
_TITLE = r"(?:(?:Mrs?|Ms|Dr|Prof)\.? )?"
_NO_NAME = words(
    """
    I I'm I've I'll And But So The Who Is Was Has January February March April May June July
    August September October November December Monday Tuesday Wednesday Thursday Friday Saturday
    Sunday Christmas Easter God OK
    """
)
_KIN = re.compile(
    rf"\b(?:my|our) {RELATION}(?:,| is called| called| named)? (?P<name>{_TITLE}{_NAME})",
    re.IGNORECASE,
)
_OWN = re.compile(
    rf"\b(?:my|our) (?:[\w-]+ ){{0,2}}?{PET},? (?:is called |called |named )?(?P<name>{_NAME})",
    re.IGNORECASE,
)
# A pet of a stranger may be called something too; these words say whose it is.
_A_PET = re.compile(
    rf"\b(?:have|I've|we've|got|adopted|own|bought|it's|there's|foster\w*)\b[^.;]{{0,40}}?\ban? "
    rf"(?:[\w-]+ ){{0,3}}?{PET},? (?:called|named) (?P<name>\w[\w'-]*)",
    re.IGNORECASE,
)
_SMALL_PET = re.compile(
    r"\b(?:and|with|is|take|took|walk|walking|have|love|miss|adopted) my (?P<who>dog|cat|puppy"
    r"|kitten|horse|rabbit|hamster"
    r"|parrot) (?P<name>(?-i:[a-z]){3,10})(?= (?:in|on|at|to|for|with|now|too|every)\b|,|\Z)",
    re.IGNORECASE,
)
_NO_PET = words(
    "food bed toys sitter walker litter park vet out treats crazy nuts lover person outside inside"
)
_CHILDREN = (
    r"(?P<count>two|three|four|five|\d) (?:\w+ )?(?P<what>boys|girls|kids|children|sons|daughters"
    r"|cats|dogs|rabbits|horses|brothers|sisters)"
)
_LIST = re.compile(
    rf"\b(?:have|got|I've|we've|my|our)\b (?:got )?{_CHILDREN}(?: called"
    rf"| named)?[,:]? (?P<names>{_NAME}"
    rf"(?:, (?:little )?{_NAME})*,? (?:and|&) (?:little )?{_NAME})",
    re.IGNORECASE,
)
_EACH = re.compile(_NAME)
_SINGLE = {"boys": "son", "sons": "son", "girls": "daughter", "daughters": "daughter"} | {
    "brothers": "brother",
    "sisters": "sister",
}
_HERE = re.compile(
    r"\b(?:over |up |down |out )?here in (?P<name>(?:the )?(?-i:[A-Z][\w'-]*(?: [A-Z][\w'-]*)?))"
)
_AGED = re.compile(
    r"(?:I'm|I am) (?:(?-i:[A-Z][\w'-]*)(?: (?-i:[A-Z][\w'-]*))*, )?(?P<age>\d{1,2})(?=,|\Z)"
    r"|(?:I'm|I am) an? (?P<other>\d{1,2})[ -]?(?:years?|yrs?)[ -]?old\b",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"(?:I'm|I am) (?:an? [^,.;]{3,60}?|(?-i:[A-Z])\w+) from"
    r" (?P<name>(?-i:[A-Z][\w'-]*(?: [A-Z][\w'-]*)?))",
    re.I,
)
_CAMPER = re.compile(
    r"\b(?:with|in|on) (?:my|our) (?:old |new |beloved |trusty )?(?P<name>(?:[\w-]+ ){0,2}"
    r"(?:camper|campervan|van|car|boat|motorbike|bike|canoe|kayak|caravan|motorhome|tandem))\b",
    re.IGNORECASE,
)


def mentioned(clause: Clause) -> Iterator[tuple[str, Draft]]:
    """The rules and drafts of what a clause names by the way, in the order of the kinds."""
    text = clause.text
    for match in _KIN.finditer(text):
        facet, said = facet_of(match["who"] + (match["law"] or ""))
        yield from _called("mentions.kin", facet, said, match["name"])
    for match in _OWN.finditer(text):
        facet, said = pet_facet_of(match["who"])
        yield from _called("mentions.pet", facet, said, match["name"])
    for match in _SMALL_PET.finditer(text):
        if is_small_name(match["name"]) and match["name"].casefold() not in _NO_PET:
            facet, said = pet_facet_of(match["who"])
            name = match["name"].capitalize()
            yield "mentions.small_pet", _has(facet, said, name)
    for match in _A_PET.finditer(text):
        facet, said = pet_facet_of(match["who"])
        yield "mentions.a_pet", _has(facet, said, match["name"])
    for match in _LIST.finditer(text):
        yield from _listed(match)
    yield from _others(clause)


def _called(rule: str, facet: str, said: str, name: str) -> Iterator[tuple[str, Draft]]:
    if name.split()[0] in _NO_NAME:
        return
    if name.split()[-1] in _NO_NAME:
        name = name.rpartition(" ")[0]
    text = f"The user's {said} is called {name}."
    yield rule, Draft(facet=facet, value=name, text=text)


def _has(facet: str, said: str, name: str) -> Draft:
    return Draft(facet=facet, value=name, text=f"The user has a {said} called {name}.")


def _listed(match: re.Match[str]) -> Iterator[tuple[str, Draft]]:
    what = match["what"].casefold()
    one = _SINGLE.get(what, what.removesuffix("s") if what != "children" else "child")
    pet = one in {"cat", "dog", "rabbit", "horse"}
    facet, said = pet_facet_of(one) if pet else facet_of(one)
    for each in _EACH.finditer(match["names"]):
        yield "mentions.list", _has(facet, said, each.group())


_COUNTED = re.compile(
    r"\b(?:my|our) (?P<count>two|three|four|five|six|\d) (?P<what>dogs|cats|rabbits|horses"
    r"|chickens|kids"
    r"|children|sons|daughters|boys|girls|sisters|brothers)\b",
    re.IGNORECASE,
)


def _others(clause: Clause) -> Iterator[tuple[str, Draft]]:
    here = _HERE.search(clause.text)
    if here:
        place = here["name"]
        text = f"The user lives in {place}."
        yield "mentions.here", Draft(facet="home", value=place, text=text, single_valued=True)
    for many in _COUNTED.finditer(clause.text):
        value = f"{many['count'].casefold()} {many['what'].casefold()}"
        pets = many["what"].casefold() in {"dogs", "cats", "rabbits", "horses", "chickens"}
        facet = f"{'pet' if pets else 'family'}.{many['what'].casefold()}"
        text = f"The user has {value}."
        yield "mentions.count", Draft(facet=facet, value=value, text=text, single_valued=True)
    aged = _AGED.match(clause.text)
    if aged:
        age = aged["age"] or aged["other"]
        text = f"The user was {age} years old on {spoken(clause.at.date())}."
        yield "mentions.age", Draft(facet="age", value=age, text=text, single_valued=True)
    come = _FROM.match(clause.text)
    if come:
        text = f"The user comes from {come['name']}."
        yield (
            "mentions.from",
            Draft(facet="origin", value=come["name"], text=text, single_valued=True),
        )
    for own in _CAMPER.finditer(clause.text):
        if any(part[0].isupper() for part in own["name"].split()):
            text = f"The user has a {own['name']}."
            yield "mentions.own", Draft(facet="possession", value=own["name"], text=text)
