"""The user's people and animals."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.kin import (
    ONE,
    PET,
    RELATION,
    facet_of,
    is_small_name,
    pet_facet_of,
)
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

_CALLED = r"(?:'s name is|'s called| is called| is named|'s name was)"


_TITLED = re.compile(r"(?:dr|doctor|mr|mrs|ms|miss|prof|professor)\.? [a-z]{2,20}", re.IGNORECASE)


def _person(match: re.Match[str], clause: Clause, *, pet: bool) -> Sequence[Draft]:
    value = cleaned(match["value"], clause)
    if _TITLED.fullmatch(value):
        value = value.title()
    if not (named(value, words=3) or is_small_name(value)):
        return ()
    facet, said = (pet_facet_of if pet else facet_of)(_who(match))
    other = re.search(r",? not ([A-Z][\w'-]*)\Z", clause.text)
    return (
        Draft(
            facet=facet,
            value=value,
            text=f"The user's {said} is called {value}.",
            single_valued=said in ONE,
            correction=other is not None,
            instead_of=other[1] if other else "",
        ),
    )


def _who(match: re.Match[str]) -> str:
    return match["who"] + (match.groupdict().get("law") or "")


def _kin(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    return _person(match, clause, pet=False)


def _pet(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    return _person(match, clause, pet=True)


_VERB = re.compile(
    r"(?P<name>(?:[A-ZÀ-Þ][\w'-]*|(?!(?:who|that|and|both|also|still|just|only|really|always"
    r"|now|never"
    r"|both|even|already|currently|recently|usually|actually|is|has|are"
    r"|have)\b)[a-z]{3,12}(?= (?:lives|works"
    r"|studies|plays|moved|is|has|loves|likes|hates)\b))?)\s*(?P<rest>(?:lives?|works?"
    r"|studies|has|plays|speaks|likes|loves"
    r"|hates|moved|died|passed away|got married|is (?:an? |allergic|pregnant|vegan|vegetarian"
    r"|\d|studying|working|living|a))\b.*)"
)


def _about(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """Her name and what she does, from "My sister Ana lives in Porto"."""
    facet, said = facet_of(_who(match))
    told = _VERB.match(match["rest"])
    if told is None:
        return ()
    name = told["name"]
    rest = cleaned(re.split(r",? so (?!much|far|many|well)", told["rest"])[0], clause, past=True)
    when = first_date(clause, past=True)
    if len(rest.split()) < 2 and rest != "died":
        return ()
    drafts: list[Draft] = []
    if name and name[0].islower() and not is_small_name(name):
        return ()
    if name:
        name = name[:1].upper() + name[1:]
        text = f"The user's {said} is called {name}."
        drafts.append(Draft(facet=facet, value=name, text=text, single_valued=said in ONE))
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
    facet, said = pet_facet_of(match["who"])
    name = cleaned(match["value"] or "", clause)
    if name and named(name, words=3):
        text = f"The user has a {said} called {name}."
        return (Draft(facet=facet, value=name, text=text),)
    rest = clause.text[match.end("who") :]
    if not _ALONE.match(rest):  # "a cat subclass", "a dog sitter"
        return ()
    if re.match(
        r"\s*(?:\w+ )?(?:sitter|food|collar|bed|house|show|question|problem|class"
        r"|table|photo|model|meme)\b",
        rest,
    ):
        return ()
    return (Draft(facet=facet, value=said, text=f"The user has a {said}."),)


# What may stand behind an animal that stands for itself.
_ALONE = re.compile(
    r"\s*(?:\Z|[,.;:!?()-]|(?:and|or|who|that|which|called|named|at|in|on|with|but|so|too|now|since"
    r"|for|from|because|again|last|this|today|yesterday|already|also|as|to|here|about|is|has|when"
    r"|if|ago|just|\d|two|three|a|an|the|my|our|she|he|instead|though|then|mix|cross|puppy|kitten)\b)",
    re.IGNORECASE,
)


def _owned_kin(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """Everybody in "a daughter called Mia and a son called Leo"."""
    drafts: list[Draft] = []
    for each in _EACH.finditer(clause.text):
        facet, said = facet_of(each["who"])
        name = cleaned(each["value"], clause)
        if named(name, words=3):
            text = f"The user has a {said} called {name}."
            drafts.append(Draft(facet=facet, value=name, text=text, single_valued=said in ONE))
    return drafts


_EACH = re.compile(
    rf"\ban? {RELATION},? (?:called|named|whose name is) (?P<value>.+?)(?=,? and an? |\Z)",
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
    rule("people.name", rf"(?:the name of )?(?:my|our) {RELATION}{_CALLED} (?P<value>.+)", _kin),
    rule(
        "people.is", rf"(?:my|our) {RELATION} is (?P<value>[^\W\d_][\w'-]*(?: \w+){{0,2}})\Z", _kin
    ),
    rule("people.about", rf"(?:my|our) {RELATION},? (?P<rest>.+)", _about),
    rule(
        "people.have",
        rf"(?:{I_HAVE})an? {RELATION},? (?:called|named|whose name is) .+",
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
        rf"(?:the name of )?(?:my|our) (?:\w+ )?{PET}{_CALLED} (?P<value>.+)",
        _pet,
    ),
    rule("people.pet_is", rf"(?:my|our) {PET} is (?P<value>[^\W\d_][\w'-]*)\Z", _pet),
    rule(
        "people.pet",
        rf"(?:{I_HAVE}|(?:I|we|I've|we've) {ADVERBS}(?:got|adopted|bought|own) )an?"
        rf" (?:[\w-]+ ){{0,3}}?{PET}\b(?:,? (?:called|named|whose name is) (?P<value>.+))?",
        _owned_pet,
    ),
    rule(
        "people.pet_verb",
        rf"(?:my|our) (?:old |new )?{PET},? (?P<value>(?!(?:who|that|and|also|just|still"
        rf"|never|always|only)\b)"
        r"[^\W\d_][\w'-]*),? (?:only |always |never )?(?:is|was|has|likes|loves|hates|eats"
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
