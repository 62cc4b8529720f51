"""Relevant and yet not fit for the prompt: what only repeats, asks, or was corrected since."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from sqlalchemy import Connection, or_, select

from stratal_memory.recall.asking import asks
from stratal_memory.recall.candidates import Candidate, Verdict
from stratal_memory.recall.question import Question
from stratal_memory.records import Form, Memory, Status
from stratal_memory.store import Store
from stratal_memory.text import sentences_of, terms
from stratal_memory.truth.access import Reach, visible
from stratal_memory.truth.memories import QUESTIONS, SAID
from stratal_memory.truth.schema import evidence, memories
from stratal_memory.truth.sqlite import Prepared, listed

SHOWN = 3  # sentences of one episode, where the question names no time
TALKED = (Form.MESSAGE, Form.EPISODE)
_ENDED = frozenset({Status.SUPERSEDED.value, Status.RETRACTED.value})


@dataclass(frozen=True, slots=True)
class Outdated:
    """What was said and holds no more: whole messages, and the words that facts were learned from.

    A message is outdated when all that was learned from it was superseded since.
    """

    messages: frozenset[str] = frozenset()
    quotes: frozenset[str] = frozenset()  # casefolded


def fit_for_prompt(
    candidate: Candidate, *, in_prompt: frozenset[str], outdated: Outdated, asked: Question
) -> Candidate:
    """Raw messages and episodes that would only repeat the history, a question, or what is over."""
    memory = candidate.memory
    if candidate.verdict is Verdict.OUT:
        return candidate
    if _only_asks(memory) and not candidate.tells:
        return candidate.out("a question, not an answer")
    if memory.form is Form.EPISODE:
        return _episode(candidate, outdated, asked)
    if memory.form is not Form.MESSAGE:
        return candidate
    if any(seen.ref in in_prompt for seen in memory.evidence):
        return candidate.out("stands in the history already")
    if not asked.about_past and any(seen.ref in outdated.messages for seen in memory.evidence):
        return candidate.out("what it said was corrected later")
    return candidate


def _episode(candidate: Candidate, outdated: Outdated, asked: Question) -> Candidate:
    """Of an episode the sentences that the question is about, without those that hold no more.

    What a time is asked of is told whole. One in a model's words is no row of sentences that were
    said, and stays whole too, as long as all it tells holds.
    """
    memory = candidate.memory
    if asked.about_past or (memory.facet and asked.times):
        return candidate
    if memory.facet:
        return candidate.out("tells of a time, and none was asked for")
    said, _, _ = memory.text.partition(QUESTIONS)
    verbatim = said.startswith(SAID)
    sentences = sentences_of(said.removeprefix(SAID))
    held = [one for one in sentences if not _over(one, outdated)]
    if not held or (len(held) < len(sentences) and not verbatim):
        return candidate.out("what it tells was corrected later")
    if not verbatim:
        return candidate
    close = sorted(held, key=lambda one: -_about(one, asked))[:SHOWN]
    kept = [one for one in held if one in close and _about(one, asked)]
    if not kept:
        return candidate.out("nothing in it has the words of the question")
    return replace(candidate, memory=replace(memory, text=f"{SAID} {' '.join(kept)}"))


def _over(sentence: str, outdated: Outdated) -> bool:
    bare = " ".join(sentence.split()).casefold()
    return any(quote in bare for quote in outdated.quotes)


def _about(sentence: str, asked: Question) -> float:
    """How much of the question's words a sentence holds, the rare ones first."""
    return sum(asked.terms.idf.get(term, 0.0) for term in set(terms(sentence)))


def _only_asks(memory: Memory) -> bool:
    if memory.form is Form.EPISODE:
        return memory.text.startswith(QUESTIONS.strip())
    return asks(memory.text)


def outdated_among(
    store: Store, connection: Connection, candidates: Sequence[Candidate]
) -> Outdated:
    """What of the conversations among `candidates` holds no more."""
    refs = {
        seen.ref
        for item in candidates
        for seen in item.memory.evidence
        if item.memory.form in TALKED and item.is_in
    }
    if not refs:
        return Outdated()
    statuses: dict[str, set[str]] = {}
    by_quote: dict[str, set[str]] = {}
    for ref, status, quote in _learned_from(store.reach).run(connection, sorted(refs)):
        statuses.setdefault(ref, set()).add(status)
        by_quote.setdefault(" ".join(quote.split()).casefold(), set()).add(status)
    return Outdated(
        messages=frozenset(ref for ref, seen in statuses.items() if seen <= _ENDED),
        quotes=frozenset(quote for quote, seen in by_quote.items() if quote and seen <= _ENDED),
    )


@lru_cache(maxsize=1_024)
def _learned_from(reach: Reach) -> Prepared:
    """Status and words of every fact that was learned from some messages, beside the message."""
    facts = visible(reach, forms=(Form.FACT,), statuses=tuple(Status))
    asked = listed()
    heard = asked.join(evidence, evidence.c.ref == asked.c.value)
    learned = heard.join(memories, memories.c.id == evidence.c.memory)
    # What was let go because nobody confirmed it says nothing against the line it came from.
    held = or_(memories.c.status != Status.RETRACTED, memories.c.valid_to.is_not(None))
    columns = select(evidence.c.ref, memories.c.status, evidence.c.quote)
    return Prepared(columns.select_from(learned).where(facts, held))
