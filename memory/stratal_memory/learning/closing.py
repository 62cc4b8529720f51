"""What a message ends by naming it: known facts whose value, or a word of it alone, it calls over.

The words that say that something is over are read by rules (`rules/endings.py`); here they meet
memory. One fact must fit clearly: where two do, nothing is closed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import and_, func, or_

from stratal_memory.facets import akin, one_at_a_time
from stratal_memory.learning.candidates import Found
from stratal_memory.learning.rules import ending_ways as ways
from stratal_memory.learning.rules.endings import Ending, endings
from stratal_memory.learning.rules.possessions import THING
from stratal_memory.learning.rules.rule import bare
from stratal_memory.learning.wordlist import words
from stratal_memory.records import Form, Memory, Message, ScopeKind
from stratal_memory.store import Store
from stratal_memory.text import STOP_WORDS
from stratal_memory.truth import memories
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.vectors import LIVE

LONGEST = 480  # characters of the sentence that tells of the end
# By the part of a facet before its first dot; what is not named here may be anything one has or does.
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
_ROMANCE = akin("family.partner")
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
_JOB = frozenset({"job", "work"})
_WORD = re.compile(r"[^\W_]+")
_OWN = re.compile(r"\A(?:my|our)\b", re.IGNORECASE)
_OTHERS = words("his her their your its whose someone somebody")
_NO_SUCCESSOR = words(
    "something someone another new good now it them that this a one nothing anything work fun cash"
    " money free me us reasons life ever while sure real him her"
)


@dataclass(frozen=True, slots=True)
class _Named:
    """The words an ending names something by."""

    words: frozenset[str]
    own: bool  # "my ..."

    @classmethod
    def of(cls, said: str) -> "_Named":
        found = frozenset(_folded(said)) - {"my", "our", "the", "a", "an", "this", "that", "of"}
        return cls(found, bool(_OWN.match(said)))


def _folded(text: str) -> list[str]:
    """The words of `text` in small letters, without the ending of a plural or of a genitive."""
    plain = re.sub(r"['’]s\b", "", text.casefold())
    found = _WORD.findall(plain)
    return [one[:-1] if len(one) > 3 and one.endswith("s") else one for one in found]


_GENERIC_FOLDED = frozenset(part for one in _GENERIC for part in _folded(one))


def ended(store: Store, message: Message, said: str, found: Sequence[Found]) -> list[Found]:
    """The candidates of a message, with the ends of known facts that it names.

    `said` is its text without what we put in. What a rule read in words that end something known
    is left out where it reads them as something else: "moved from Monzo to Starling" is no move.
    """
    assert message.created is not None
    over = list(endings(said, store.gate.local(message.created)))
    if not over:
        return list(found)
    known = _known(store, over)
    made = list(found)
    for one in over:
        meant = [fact for fact in _meant(one, known) if not _settled(fact, one, made)]
        if not meant:
            continue
        made = [other for other in made if not _misread(other, one, meant)]
        made += [closed for fact in meant for closed in _closings(fact, one, said)]
    return made


def _known(store: Store, over: Sequence[Ending]) -> list[Memory]:
    """The live facts of the user that one of the words may stand for, newest first."""
    said = {word for one in over for word in _Named.of(one.named).words}
    if not said:
        return []
    scope = store.reach.principal.scope(ScopeKind.USER)
    some = [
        column.contains(word, autoescape=True)
        for word in sorted(said)
        for column in (func.lower(table.c.value), table.c.facet)
    ]
    for noun, facets in ((frozenset({"partner"}), _ROMANCE), (_JOB, {"work.employer"})):
        if noun & said:
            some.append(table.c.facet.in_(sorted(facets)))
    where = and_(
        table.c.scope_kind == scope.kind,
        table.c.scope_id == scope.id,
        table.c.form == Form.FACT,
        table.c.status.in_(LIVE),
        table.c.value != "",
        or_(*some),
    )
    with store.read() as connection:
        return memories.select_memories(connection, where, newest_first=True)


def kinds_of(facet: str) -> frozenset[str]:
    """What kinds of ends a fact of this facet can have; empty where it has none by naming.

    >>> sorted(kinds_of("possession.car")), sorted(kinds_of("birthday"))
    (['owned'], [])
    """
    head, _, noun = facet.partition(".")
    if facet in _ROMANCE:
        return frozenset({ways.ROMANCE, ways.PERSON})
    if head in _LASTING or facet.endswith(".about"):
        return frozenset()
    if re.fullmatch(THING, noun):
        return frozenset({ways.OWNED})
    return frozenset(_KINDS.get(head, (ways.OTHER, ways.COURSE)))


def _meant(one: Ending, known: Sequence[Memory]) -> list[Memory]:
    """The facts an ending names; none where they are not one and the same thing."""
    named = _Named.of(one.named)
    if not named.words or named.words & _OTHERS:
        return []
    able = [fact for fact in known if kinds_of(fact.facet) & set(one.kinds)]
    for fits in (_is_value, _in_value, _is_kind):
        meant = [fact for fact in able if fits(named, fact)]
        if meant:
            values = {frozenset(_folded(fact.value)) for fact in meant}
            return meant if len(values) == 1 else []
    return []


def _is_value(named: _Named, fact: Memory) -> bool:
    return named.words == frozenset(_folded(fact.value))


def _in_value(named: _Named, fact: Memory) -> bool:
    """Whether every word is one of the fact's, and one of them says which it is."""
    value = frozenset(_folded(fact.value))
    about = value | frozenset(_folded(f"{fact.facet} {fact.text}")) | _GENERIC_FOLDED
    telling = (named.words & value) - _GENERIC_FOLDED - STOP_WORDS
    return bool(telling) and named.words <= about


def _is_kind(named: _Named, fact: Memory) -> bool:
    """Whether it is called by what it is: "my car", "my gym membership"."""
    nouns = frozenset(
        part for facet in akin(fact.facet) for part in _folded(facet.rpartition(".")[2])
    ) | (_JOB if fact.facet == "work.employer" else frozenset())
    said = named.words - ({"membership", "subscription", "account"} | {"old", "poor", "beloved"})
    return named.own and "." in fact.facet and bool(said) and said <= nouns


def _settled(fact: Memory, one: Ending, found: Sequence[Found]) -> bool:
    """Whether what the rules found in the same words ends or replaces the fact already."""
    return any(
        other.facet == fact.facet
        and _inside(other, one)
        and (other.retracts or other.single_valued or other.instead_of)
        and (other.retracts or _folded(other.value) != _folded(fact.value))
        for other in found
    )


def _inside(other: Found, one: Ending) -> bool:
    return other.span[0] < one.clause.end and other.span[1] > one.clause.start


def _misread(other: Found, one: Ending, meant: Sequence[Memory]) -> bool:
    """Whether a candidate reads the words that end something as anything but an event."""
    if not _inside(other, one) or other.explicit or other.rule.startswith("endings."):
        return False
    if other.facet == "event":
        return False
    return other.retracts or any(
        part in _folded(f"{fact.value} {one.instead}")
        for fact in meant
        for part in _folded(other.value)
    )


def _closings(fact: Memory, one: Ending, said: str) -> Iterator[Found]:
    """The end of a fact, and what took its place if that was named."""
    span = (one.clause.start, one.clause.end)
    quote = said[slice(*span)]
    yield Found(
        text=f"No longer true: {fact.text}"[:LONGEST],
        value=fact.value,
        span=span,
        quote=quote,
        rule="endings.named",
        facet=fact.facet,
        valid_from=one.at,
        retracts=True,
    )
    new = _successor(one.instead)
    if new and fact.value in fact.text:
        yield Found(
            text=fact.text.replace(fact.value, new),
            value=new,
            span=span,
            quote=quote,
            rule="endings.instead",
            facet=fact.facet,
            single_valued=one_at_a_time(fact.facet),
            valid_from=one.at,
        )


def _successor(said: str) -> str:
    """The value that took the place of another; empty where none was named."""
    new = bare(said)
    parts = new.casefold().split()
    if not 0 < len(parts) <= 4 or parts[0] in _NO_SUCCESSOR or parts[-1] in STOP_WORDS:
        return ""
    return new
