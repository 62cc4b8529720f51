"""What no rule caught, noticed by its meaning: a clause that tells of a known attribute.

The rules know phrasings; this knows what a phrasing is near to. It is less sure of what exactly was
said, so the fact keeps the user's own words, and it is asked at night, when episodes are told.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from stratal_memory.attributes.catalogue import Attribute
from stratal_memory.attributes.reader import WORD, Reader
from stratal_memory.embedding.embedder import Vectors
from stratal_memory.facets import akin
from stratal_memory.learning.candidates import Found
from stratal_memory.learning.rules.extraction import hedged
from stratal_memory.learning.rules.kin import RELATION
from stratal_memory.learning.rules.repairs import repair
from stratal_memory.learning.rules.sentences import Clause, clauses
from stratal_memory.records import Memory, Message, Status
from stratal_memory.text import storable

# How sure the reader must be; below `SETTLED` the fact waits for a second source.
SURE, SETTLED = 0.35, 0.7
RULE = "attribute"  # the beginning of the rule's name
_NAME = re.compile(r"[A-ZÀ-Þ]|\w \w")  # in capitals, or of two words where nobody types them
_DIGIT = re.compile(r"\d")
_OVER = re.compile(
    r"\b(?:used to|no longer|not? .{1,40}\bany ?more|any longer|stopped|quit|gave up|given up"
    r"|cancel(?:l?ed)|dropped|sold|finished with|done with|got rid of|former|formerly|broke up"
    r"|passed away|died|is over|my ex|my old)\b",
    re.IGNORECASE,
)
_ANEW = re.compile(
    r"\b(?:now|instead|switched|new|started|since|changed|swapped|moved|replaced)\b", re.IGNORECASE
)
_INSTEAD = re.compile(
    r"\b(?:instead|not|no longer|any ?more|forget|switched|swapped|replaced|from .+ to|off)\b",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(rf"\b(?:my|our|a) (?:\w+ )?{RELATION}|\bof mine\b", re.IGNORECASE)
_FAMILY = ("family", "pet")  # facets that speak of others
_UNDECIDED = re.compile(r"\b(?:thinking (?:about|of)|considering|toying with)\b", re.IGNORECASE)
_MADE_UP = re.compile(
    r"\b(?:test (?:account|user|data|profile)|my character|in the campaign)\b", re.IGNORECASE
)
_SELF = re.compile(
    r"\b(?:i|i['’]\w+|im|ive|my|me|mine|myself|we|we['’]\w+|our|us)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noticed:
    """A statement that was noticed in a message."""

    message: Message
    attribute: Attribute
    found: Found
    sure: bool = True  # else it waits for a second source


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A message of the user, the time it was said in their zone, and what the rules read of it."""

    message: Message
    text: str  # without what we put in
    at: datetime
    read: tuple[tuple[int, int], ...] = ()  # stretches that facts were learned from


Embed = Callable[[Sequence[str]], Sequence[Vectors | None]]
Known = Callable[[Attribute], Sequence[Memory]]


def noticed(heard: Sequence[Heard], *, reader: Reader, embed: Embed, known: Known) -> list[Noticed]:
    """What the messages of one stretch tell of known attributes and no rule has read, in order.

    `known` has the live facts of an attribute. What repeats one is left out; what says that one is
    over retracts it; a message that puts right the one before gives the attribute its value.
    """
    told = [list(_clauses(one)) for one in heard]
    rows = iter(embed([clause.text for some in told for clause in some]))
    found: list[Noticed] = []
    before: list[Noticed] = []
    for one, some in zip(heard, told, strict=True):
        vectors = list(islice(rows, len(some)))
        right = _put_right(one, before)
        if right is not None:
            found[found.index(right[0])] = right[1]
            before = []
            continue
        before = [
            made
            for clause, row in zip(some, vectors, strict=True)
            if row is not None and (made := _read(one, clause, row, reader, known)) is not None
        ]
        found += before
    return _worded(found, reader, embed)


def _worded(found: Sequence[Noticed], reader: Reader, embed: Embed) -> list[Noticed]:
    """Those whose value is like the values of their attribute: "remember" is no allergy."""
    rows = embed([one.found.value for one in found])
    return [
        one
        for one, row in zip(found, rows, strict=True)
        if one.found.retracts or (row is not None and reader.is_value(one.attribute, row))
    ]


def _clauses(one: Heard) -> Iterator[Clause]:
    """The clauses that speak of the user themselves and of which the rules made nothing."""
    if _MADE_UP.search(one.text):
        return
    for clause in clauses(one.text, one.at):
        taken = any(start < clause.end and end > clause.start for start, end in one.read)
        if not taken and not hedged(clause.text) and _of_themselves(clause.text):
            yield clause


def _of_themselves(text: str) -> bool:
    """Whether the user speaks of themselves: "and drives a Tesla" goes on about somebody else."""
    return bool(_SELF.search(text)) and not _UNDECIDED.search(text)


def _of_another(text: str, attribute: Attribute) -> bool:
    """Whether it is said of somebody else, who is not what the attribute is about."""
    named = _SOMEBODY.search(text)
    if named is None or attribute.facet.partition(".")[0] in _FAMILY:
        return False
    who = (named["who"] or "").casefold().rstrip("s")
    return f"people.{who}" not in akin(attribute.facet)


def _read(one: Heard, clause: Clause, row: Vectors, reader: Reader, known: Known) -> Noticed | None:
    reading = reader.best_told(row)
    attribute = reading.attribute
    if reading.sure < SURE:
        return None
    if _of_another(clause.text, attribute):
        return None
    words = _words(clause.text)
    of = known(attribute)
    same = next((fact for fact in of if fact.value and _words(fact.value) <= words), None)
    held = same is not None and same.status is Status.PROVISIONAL
    over = bool(_OVER.search(clause.text)) and not _ANEW.search(clause.text)
    if same is not None and not over and _INSTEAD.search(clause.text):
        same, held = None, False  # what it names is what was before
    if over and same is not None:
        return _noticed(one, clause, attribute, value=same.value, retracts=True)
    if over or (same is not None and not held):
        return None
    value = same.value if same is not None else reader.residue(attribute, clause.text)
    if not value or (attribute.facet.startswith("people.") and not _NAME.search(value)):
        return None
    made = _noticed(one, clause, attribute, value=value)
    return replace(made, sure=reading.sure >= SETTLED)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(text)}


def _noticed(
    one: Heard, clause: Clause, attribute: Attribute, *, value: str, retracts: bool = False
) -> Noticed:
    quote = one.message.text[clause.start : clause.end]
    found = Found(
        text=storable(f"The user's {attribute.label}: {' '.join(quote.split())}"),
        value=value,
        span=(clause.start, clause.end),
        quote=quote,
        rule=f"{RULE}.{attribute.name}",
        facet=attribute.facet,
        single_valued=attribute.one,
        retracts=retracts,
    )
    return Noticed(message=one.message, attribute=attribute, found=found)


def _put_right(one: Heard, before: Sequence[Noticed]) -> tuple[Noticed, Noticed] | None:
    """What was noticed in the message `before` and is put right by this one, and as it is right."""
    wanted = repair(one.text)
    if wanted is None or not wanted.value:
        return None
    digits = bool(_DIGIT.search(wanted.value))
    of = [last for last in before if bool(_DIGIT.search(last.found.value)) == digits]
    if not of or of[-1].found.retracts:
        return None
    last = of[-1]
    found = replace(
        last.found,
        text=storable(f"The user's {last.attribute.label}: {wanted.value}"),
        value=storable(wanted.value),
        span=(0, len(one.message.text)),
        quote=one.message.text,
    )
    return last, Noticed(message=one.message, attribute=last.attribute, found=found)
