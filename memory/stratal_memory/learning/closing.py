"""What a message ends by naming it: known facts whose value, or a word of it alone, it calls over.

The words that say that something is over are read by rules (`rules/endings.py`); here they meet
memory. One fact must fit clearly: where two do, nothing is closed.
"""

from collections.abc import Iterator, Sequence

from sqlalchemy import and_, func, or_

from stratal_memory.facets import one_at_a_time
from stratal_memory.learning.candidates import Found
from stratal_memory.learning.naming import JOB, ROMANCE, Named, folded_words, meant_by
from stratal_memory.learning.rules.endings import Ending, endings
from stratal_memory.learning.rules.rule import bare
from stratal_memory.learning.wordlist import words
from stratal_memory.records import Form, Memory, Message, ScopeKind
from stratal_memory.store import Store
from stratal_memory.text import STOP_WORDS
from stratal_memory.truth import memories
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.vectors import LIVE

LONGEST = 480  # characters of the sentence that tells of the end
_NO_SUCCESSOR = words(
    "something someone another new good now it them that this a one nothing anything work fun cash"
    " money free me us reasons life ever while sure real him her"
)


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
        meant = [fact for fact in meant_by(one, known) if not _settled(fact, one, made)]
        if not meant:
            continue
        made = [other for other in made if not _misread(other, one, meant)]
        made += [closed for fact in meant for closed in _closings(fact, one, said)]
    return made


def _known(store: Store, over: Sequence[Ending]) -> list[Memory]:
    """The live facts of the user that one of the words may stand for, newest first."""
    said = {word for one in over for word in Named.of(one.named).words}
    if not said:
        return []
    scope = store.reach.principal.scope(ScopeKind.USER)
    some = [
        column.contains(word, autoescape=True)
        for word in sorted(said)
        for column in (func.lower(table.c.value), table.c.facet)
    ]
    for noun, facets in ((frozenset({"partner"}), ROMANCE), (JOB, {"work.employer"})):
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


def _settled(fact: Memory, one: Ending, found: Sequence[Found]) -> bool:
    """Whether what the rules found in the same words ends or replaces the fact already."""
    return any(
        other.facet == fact.facet
        and _inside(other, one)
        and (other.retracts or other.single_valued or other.instead_of)
        and (other.retracts or folded_words(other.value) != folded_words(fact.value))
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
        part in folded_words(f"{fact.value} {one.instead}")
        for fact in meant
        for part in folded_words(other.value)
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
