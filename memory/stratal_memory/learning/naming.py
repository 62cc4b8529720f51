"""Which known fact is meant by words that name something as over; pure.

One fact must fit clearly: its value, a word of it alone, or what it is ("my car").
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from stratal_memory.facets import akin
from stratal_memory.learning.rules import ending_words as ways
from stratal_memory.learning.rules.endings import Ending
from stratal_memory.learning.rules.possessions import THING
from stratal_memory.learning.wordlist import words
from stratal_memory.records import Memory
from stratal_memory.text import STOP_WORDS

# By the part of a facet before its first dot; what is not named here may be any course or thing.
_KINDS: dict[str, tuple[str, ...]] = {
    "possession": (ways.OWNED,),
    "tool": (ways.OWNED,),
    "stack": (ways.OWNED,),
    "subscription": (ways.OWNED,),
    "hobby": (ways.HOBBY,),
    "activity": (ways.HOBBY,),
    "sport": (ways.HOBBY,),
    "exercise": (ways.HOBBY,),
    "routine": (ways.HOBBY,),
    "habit": (ways.HOBBY,),
    "learning": (ways.COURSE,),
    "study": (ways.COURSE,),
    "diet": (ways.HOBBY, ways.HEALTH),
    "health": (ways.HEALTH,),
    "medication": (ways.HEALTH,),
    "work": (ways.WORK,),
    "home": (ways.HOME,),
    "people": (ways.PERSON,),
    "pet": (ways.PET,),
    "plan": (ways.PLAN,),
    "appointment": (ways.PLAN,),
}
# Who one is, what one likes and what happened do not end by a word like "left" or "sold".
_LASTING = words(
    """
    name nickname surname birthday age origin nationality grew_up pronouns height religion event
    blood_type native_language mother_tongue preference favourite dislike allergy language
    constraint decision fact context note family star_sign food drink likes interest
    """
)
ROMANCE = akin("family.partner")
# Words that say what kind of thing is meant, and not which.
_GENERIC = words(
    """
    membership subscription account class classes course lesson lessons job contract plan habit app
    diet trip holiday vacation appointment club team routine project training treatment tablets
    pills meds medication session sessions series show book place flight visit deal old new poor
    beloved trusty dear stupid damn bloody whole entire good little last ever first one lovely dog
    cat rabbit bunny hamster puppy kitten mr mrs ms dr
    """
)
JOB = frozenset({"job", "work"})
_WORD = re.compile(r"[^\W_]+")
_SMALL = words("my our the a an this that of")
_OWN = re.compile(r"\A(?:my|our)\b", re.IGNORECASE)
_OTHERS = words("his her their your its whose someone somebody")


@dataclass(frozen=True, slots=True)
class Named:
    """The words an ending names something by."""

    words: frozenset[str]
    own: bool  # "my ..."

    @classmethod
    def of(cls, said: str) -> "Named":
        """The words that count of those that were said."""
        found = frozenset(folded_words(said)) - _SMALL
        return cls(found, bool(_OWN.match(said)))


def folded_words(text: str) -> list[str]:
    """The words of `text` in small letters, without the ending of a plural or of a genitive."""
    plain = re.sub(r"['’]s\b", "", text.casefold())
    found = _WORD.findall(plain)
    return [one[:-1] if len(one) > 3 and one.endswith("s") else one for one in found]


_KINDLESS = frozenset(part for one in _GENERIC for part in folded_words(one))


def kinds_of(facet: str) -> frozenset[str]:
    """What kinds of ends a fact of this facet can have; empty where it has none by naming.

    >>> sorted(kinds_of("possession.car")), sorted(kinds_of("birthday"))
    (['owned'], [])
    """
    head, _, noun = facet.partition(".")
    if facet in ROMANCE:
        return frozenset({ways.ROMANCE, ways.PERSON})
    if head in _LASTING or facet.endswith(".about"):
        return frozenset()
    if re.fullmatch(THING, noun):
        return frozenset({ways.OWNED})
    return frozenset(_KINDS.get(head, (ways.OTHER, ways.COURSE)))


def meant_by(one: Ending, known: Sequence[Memory]) -> list[Memory]:
    """The facts an ending names; none where they are not one and the same thing."""
    named = Named.of(one.named)
    if not named.words or named.words & _OTHERS:
        return []
    able = [fact for fact in known if kinds_of(fact.facet) & set(one.kinds)]
    for fits in (_is_value, _in_value, _is_kind):
        meant = [fact for fact in able if fits(named, fact)]
        if meant:
            values = {frozenset(folded_words(fact.value)) for fact in meant}
            return meant if len(values) == 1 else []
    return []


def _is_value(named: Named, fact: Memory) -> bool:
    return named.words == frozenset(folded_words(fact.value))


def _in_value(named: Named, fact: Memory) -> bool:
    """Whether every word is one of the fact's, and one of them says which it is."""
    value = frozenset(folded_words(fact.value))
    about = value | frozenset(folded_words(f"{fact.facet} {fact.text}")) | _KINDLESS
    telling = (named.words & value) - _KINDLESS - STOP_WORDS
    return bool(telling) and named.words <= about


def _is_kind(named: Named, fact: Memory) -> bool:
    """Whether it is called by what it is: "my car", "my gym membership"."""
    nouns = frozenset(
        part for facet in akin(fact.facet) for part in folded_words(facet.rpartition(".")[2])
    ) | (JOB if fact.facet == "work.employer" else frozenset())
    said = named.words - ({"membership", "subscription", "account"} | {"old", "poor", "beloved"})
    return named.own and "." in fact.facet and bool(said) and said <= nouns
