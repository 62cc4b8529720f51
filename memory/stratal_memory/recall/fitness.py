"""Relevant and yet not fit for the prompt: what only repeats, asks, or was corrected since."""

from collections.abc import Sequence
from functools import lru_cache

from sqlalchemy import Connection, select

from stratal_memory.recall.asking import asks
from stratal_memory.recall.candidates import Candidate, Verdict
from stratal_memory.recall.question import Question
from stratal_memory.records import Form, Memory, Status
from stratal_memory.store import Store
from stratal_memory.truth.access import Reach, visible
from stratal_memory.truth.memories import QUESTIONS
from stratal_memory.truth.schema import evidence, memories
from stratal_memory.truth.sqlite import Prepared, listed


def fit_for_prompt(
    candidate: Candidate, *, in_prompt: frozenset[str], outdated: frozenset[str], asked: Question
) -> Candidate:
    """Raw messages that would only repeat the history, a question, or what was corrected."""
    memory = candidate.memory
    if candidate.verdict is Verdict.OUT:
        return candidate
    if _only_asks(memory):
        return candidate.out("a question, not an answer")
    if memory.form is not Form.MESSAGE:
        return candidate
    if any(seen.ref in in_prompt for seen in memory.evidence):
        return candidate.out("stands in the history already")
    if not asked.about_past and any(seen.ref in outdated for seen in memory.evidence):
        return candidate.out("what it said was corrected later")
    return candidate


def _only_asks(memory: Memory) -> bool:
    if memory.form is Form.EPISODE:
        return memory.text.startswith(QUESTIONS.strip())
    return asks(memory.text)


def outdated_messages(
    store: Store, connection: Connection, candidates: Sequence[Candidate]
) -> frozenset[str]:
    """The raw messages among `candidates` whose facts were all superseded since."""
    refs = {
        seen.ref
        for item in candidates
        for seen in item.memory.evidence
        if item.memory.form is Form.MESSAGE
    }
    if not refs:
        return frozenset()
    found = _learned_from(store.reach).run(connection, sorted(refs))
    statuses: dict[str, set[str]] = {}
    for ref, status in found:
        statuses.setdefault(ref, set()).add(status)
    ended = {Status.SUPERSEDED.value, Status.RETRACTED.value}
    return frozenset(ref for ref, seen in statuses.items() if seen <= ended)


@lru_cache(maxsize=1_024)
def _learned_from(reach: Reach) -> Prepared:
    """The status of every fact that was learned from some messages, beside the message."""
    facts = visible(reach, forms=(Form.FACT,), statuses=tuple(Status))
    asked = listed()
    heard = asked.join(evidence, evidence.c.ref == asked.c.value)
    learned = heard.join(memories, memories.c.id == evidence.c.memory)
    return Prepared(select(evidence.c.ref, memories.c.status).select_from(learned).where(facts))
