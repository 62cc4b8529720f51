"""Animals and children in other words than "I have a dog": counted, fostered, mourned."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.kin import PET, facet_of, pet_facet_of
from stratal_memory.learning.rules.rule import (
    ADVERBS,
    I_HAVE,
    Draft,
    Rule,
    cleaned,
    first_date,
    named,
    rule,
)
from stratal_memory.learning.rules.sentences import Clause

_COUNT = (
    r"(?P<count>(?:[a-z]+ )?hundred|\d{1,4}|an?|two|three|four|five|six|seven|eight|nine|ten"
    r"|a couple of|a pair of"
    r"|several|some|lots of)"
)
_MANY = (
    r"(?P<what>dogs|cats|kittens|puppies|ferrets|rats|mice|guinea pigs|hens|chickens|ducks|geese"
    r"|goats|sheep|pigs|cows|alpacas|llamas|geckos|lizards|snakes|parrots|budgies|parakeets"
    r"|canaries|goldfish|fish|koi|rabbits|bunnies|horses|ponies|donkeys|bees|hamsters|gerbils"
    r"|turtles|tortoises|greyhounds|huskies|labradors|beagles|poodles|pugs|terriers|pigeons|quails"
    r"|ewes|lambs|cattle|calves|sucklers|heifers|chinchillas|axolotls|stick insects|tarantulas"
    r"|hedgehogs)"
)
_CHILDREN = (
    r"(?P<kids>kids|children|boys|girls|sons|daughters|teenagers|teens|toddlers|twins|grandkids"
    r"|grandchildren|grandsons|granddaughters|stepkids|stepchildren|foster kids)"
)
_NUMBER = r"(?P<count>\d{1,2}|two|three|four|five|six|seven|eight|nine|ten)"
_NAME = r"(?-i:[A-ZÀ-Þ][\w'-]*)"


def _several(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = f"{match['count']} {match['what']}".casefold()
    facet = f"pet.{match['what'].casefold().replace(' ', '_')}"
    first = Draft(facet=facet, value=value, text=f"The user has {value}.", single_valued=True)
    names = _names(clause.text[match.end() :])
    single = match["what"].casefold()
    return (
        first,
        *(
            Draft(facet=facet, value=name, text=f"One of the user's {single} is called {name}.")
            for name in names
        ),
    )


def _names(rest: str) -> list[str]:
    """The names behind "called": "Larry, Curly and Moe", however they are written."""
    told = re.match(r",? (?:called|named|:) ?(?P<names>[\w', &-]+)\Z", rest, re.IGNORECASE)
    if told is None:
        return []
    parts = re.split(r",? (?:and|&) |, | ", told["names"].strip())
    return [part[:1].upper() + part[1:] for part in parts if part.isalpha() and len(parts) <= 8]


def _keeps(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    what, verb = match["what"].casefold(), match["verb"].casefold()
    text = f"The user {verb}s {what}."
    return (Draft(facet=f"pet.{what.replace(' ', '_')}", value=what, text=text),)


def _died(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    facet, said = pet_facet_of(match["who"])
    name = match["name"] or ""
    when = first_date(clause, past=True)
    date = f" {when.phrase()}" if when else ""
    text = f"The user's {said}{f' {name}' if name else ''} died{date}."
    return (Draft(facet=facet, value=name or said, text=text, when=when, retracts=True),)


def _children(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = f"{match['count']} {match['kids']}".casefold()
    facet = f"family.{match['kids'].casefold().replace(' ', '_')}"
    return (Draft(facet=facet, value=value, text=f"The user has {value}.", single_valued=True),)


def _one(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    facet, said = facet_of(match["who"])
    return (Draft(facet=facet, value=said, text=f"The user has a {said}."),)


def _parent(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = f"{match['count']} {match.groupdict().get('kids') or 'children'}".casefold()
    text = f"The user is a {match['role'].casefold()} of {value}."
    return (Draft(facet="family.children", value=value, text=text, single_valued=True),)


def _siblings(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """Each of "two older brothers and a twin sister, Noor"."""
    drafts: list[Draft] = []
    for each in _SIBLING.finditer(clause.text):
        word = each["what"].casefold()
        value = f"{each['count']} {each['kind'] or ''}{word}".casefold()
        name = each["name"] or ""
        text = f"The user has {value}{f' called {name}' if name else ''}."
        drafts.append(Draft(facet=f"family.{word}", value=name or value, text=text))
    return drafts


_SIBLING = re.compile(
    r"\b(?P<count>an?|one|two|three|four|five|\d) (?P<kind>(?:(?:older|younger|elder|big|little"
    r"|twin|half|step)[- ])?)(?P<what>brothers?|sisters?)\b"
    rf"(?:,? (?:called |named )?(?P<name>{_NAME})(?=,|\Z| and ))?",
    re.IGNORECASE,
)


def _girl(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """The child of "we called her Wren"."""
    name = cleaned(match["value"], clause)
    if not named(name, words=3):
        return ()
    said = {"her": "daughter", "him": "son"}[match["whom"].casefold()]
    text = f"The user's {said} is called {name}."
    return (Draft(facet=f"family.{said}", value=name, text=text),)


RULES: tuple[Rule, ...] = (
    rule(
        "creatures.several",
        rf"(?:{I_HAVE}|(?:I|we) {ADVERBS}(?:got|have|own|keep|adopted|bought|raise|breed) )"
        rf"(?:about |around |also )?{_COUNT} (?:[\w-]+ ){{0,2}}?{_MANY}\b",
        _several,
    ),
    rule(
        "creatures.keeps",
        rf"(?:I|we) {ADVERBS}(?P<verb>foster|keep|breed|raise|rescue|train|show) {_MANY}\b.*",
        _keeps,
    ),
    rule(
        "creatures.died",
        rf"(?:my|our) (?:(?:old|beloved|poor|sweet|elderly|dear) )*{PET}(?:,?"
        rf" (?P<name>{_NAME}),?)? "
        r"(?:died|passed(?: away| on)?|was put (?:down|to sleep)|had to be put (?:down|to sleep))"
        r"\b.*",
        _died,
    ),
    rule(
        "creatures.siblings",
        rf"(?:{I_HAVE}){_SIBLING.pattern}.*".replace("(?P<name>", "(?P<n>"),
        _siblings,
    ),
    rule(
        "creatures.one",
        rf"(?:{I_HAVE})(?:an?|one) (?:older |younger |little |big |twin |teenage |baby )*"
        r"(?P<who>son|daughter|stepson|stepdaughter|grandson|granddaughter|niece|nephew|toddler"
        r"|newborn|girlfriend|boyfriend|wife|husband|twin)\b(?! (?:who|that|called|named|on the"
        r"|in my))"
        r"(?:,.*| and .*|\Z)",
        _one,
    ),
    rule(
        "creatures.children",
        rf"(?:{I_HAVE}|I'm raising |we're raising |raising )"
        rf"{_NUMBER} (?:\w+ )?{_CHILDREN}\b.*",
        _children,
    ),
    rule(
        "creatures.parent",
        rf"(?:I'm |I am |as )?(?:an? |the )?(?:single |proud |busy |tired |young |working )*"
        rf"(?P<role>mum|mom|mother|dad|father|parent|grandmother|grandfather|grandma|grandpa)"
        rf" (?:of|to) {_NUMBER}(?: (?:\w+ )?{_CHILDREN})?\b.*",
        _parent,
    ),
    rule(
        "creatures.named",
        r"(?:we|I) (?:called|named|are calling|decided to call) (?P<whom>her|him)"
        r" (?P<value>[^\W\d_].*)",
        _girl,
    ),
)
