"""What a turn gives back: the answer, where it comes from, what it cost, what was learned."""

import operator
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal

from pydantic import TypeAdapter

from stratal.context.ledger import Ledger
from stratal.context.request import Recalled
from stratal.providers.prices import Cost, Prices, cost
from stratal.providers.provider import Usage
from stratal_memory.learning.gate import Decision
from stratal_memory.text import terms

# A sentence of a source counts as used when this share of its words stands in the answer.
USED = 0.6
FEWEST_TERMS = 2
SHORTEST = 8  # characters of a sentence that is looked for word by word
# A full stop inside a number or an abbreviation ends nothing: a blank must follow it.
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A remembered item the answer rests on, and the words of it that were used."""

    memory: str
    source: str
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One finished turn.

    `repeated` says that the request id was known and the stored answer came back;
    `redacted` names the kinds of secrets that were taken out of the message before it was stored.
    """

    text: str
    session: str
    turn: str
    model: str
    citations: tuple[Citation, ...]
    usage: Usage
    ledger: Ledger
    learned: tuple[Decision, ...] = ()
    procedure: str = ""  # name of the matched skill
    redacted: tuple[str, ...] = ()
    repeated: bool = False
    cost: Cost | None = None  # of all calls of the turn; None where no prices are known
    warnings: tuple[str, ...] = ()  # sentences for people


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted:
    """A tool begins to run; a `ToolRan` of the same `id` follows unless the turn ends first."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRan:
    """A tool call has its result, which is stored, while the turn goes on."""

    id: str
    name: str
    arguments: str
    result: str
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A piece of the answer while it is being written."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The last event of a turn."""

    reply: Reply
    kind: Literal["finished"] = "finished"


TurnEvent = Told | ToolStarted | ToolRan | Finished


def citations(
    answer: str, recalled: Sequence[Recalled], *, verbatim: bool = False
) -> tuple[Citation, ...]:
    """The items whose words the answer uses, best first, each with the sentence it used.

    With `verbatim` a sentence is used when it stands in the answer; otherwise when one sentence
    of the answer holds most of its words: words spread over a long answer prove nothing.
    """
    if verbatim:
        plain = " ".join(answer.split())
        recalled = [item for item in recalled if _stands_in(item, plain)]
    said = [set(terms(sentence)) for sentence in _SENTENCE_END.split(answer)]
    found = ((item, _used(item, said)) for item in recalled)
    return tuple(
        Citation(memory=item.memory, source=item.source, quote=quote)
        for item, quote in found
        if quote
    )


def _stands_in(item: Recalled, answer: str) -> bool:
    sentences = (" ".join(one.split()) for one in _SENTENCE_END.split(item.text))
    return any(len(one) >= SHORTEST and one.lstrip("-*• ") in answer for one in sentences)


def _used(item: Recalled, said: Sequence[set[str]]) -> str:
    """The sentence of an item that the answer uses most; empty when it uses none."""
    best, best_share = "", 0.0
    for sentence in _SENTENCE_END.split(item.text):
        words = set(terms(sentence))
        if len(words) < FEWEST_TERMS:
            continue
        share = max(len(words & one) for one in said) / len(words)
        if share >= USED and (share, len(sentence)) > (best_share, len(best)):
            best, best_share = sentence, share
    return best.strip()


def total(usages: Iterable[Usage]) -> Usage:
    """The tokens of several calls together."""
    every = list(usages)
    return Usage(
        input=sum(usage.input for usage in every),
        output=sum(usage.output for usage in every),
        cache_read=sum(usage.cache_read for usage in every),
        cache_write=sum(usage.cache_write for usage in every),
    )


def total_cost(usages: Iterable[Usage], prices: Prices | None) -> Cost | None:
    """What several calls cost together; None where no prices are known, or nothing was used."""
    costs = [cost(usage, prices) for usage in usages if usage != Usage()]
    known = [one for one in costs if one is not None]
    return reduce(operator.add, known) if known else None


USAGE = TypeAdapter(Usage)
