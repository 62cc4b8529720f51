"""The way from a message to recalled text; read top to bottom."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from stratal_memory.recall.arms import Hit, propose
from stratal_memory.recall.asking import asks
from stratal_memory.recall.calibration import Null, null_of
from stratal_memory.recall.candidates import Block, Candidate, Verdict
from stratal_memory.recall.diversity import distinct, varied
from stratal_memory.recall.formatter import Cap, Count, format_block
from stratal_memory.recall.question import Question, question
from stratal_memory.recall.ranker import factors_of, parts_of, rank, score
from stratal_memory.recall.relevance import relevance
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form, Memory, Status
from stratal_memory.store import Store
from stratal_memory.truth.access import visible
from stratal_memory.truth.memories import QUESTIONS
from stratal_memory.truth.schema import evidence, memories

# What each block of the prompt is made of.
BLOCK_FORMS: dict[str, tuple[Form, ...]] = {
    "memories": (Form.FACT,),
    "knowledge": (Form.CHUNK,),
    "episodes": (Form.EPISODE, Form.MESSAGE),
}
SEARCHABLE = (Form.FACT, Form.CHUNK, Form.EPISODE, Form.MESSAGE)
_CURRENT = (Status.ACTIVE, Status.CONTESTED)
_PAST = (*_CURRENT, Status.SUPERSEDED)


@dataclass(frozen=True, slots=True)
class Recollection:
    """What was recalled: blocks for the prompt, and every candidate with its verdict."""

    blocks: tuple[Block, ...]
    candidates: tuple[Candidate, ...]

    @property
    def just_below(self) -> int:
        """How many candidates lay just below the gate: too strict is a fault as well."""
        return sum(one.reason.startswith("just below") for one in self.candidates)


def recall(
    store: Store,
    text: str,
    *,
    settings: RecallSettings,
    count: Count,
    nonce: str,
    in_prompt: frozenset[str] = frozenset(),
) -> Recollection:
    """What memory has to say to `text`, inside the store's scopes, in capped fenced blocks.

    `in_prompt` are ids of messages that stand in the history anyway; they are not repeated.
    """
    null = null_of(store)
    with store.read() as connection:
        asked = question(store, connection, text)
        considered = {
            name: _considered(store, connection, asked, forms, null=null, settings=settings)
            for name, forms in BLOCK_FORMS.items()
        }
        outdated = _outdated_messages(store, connection, considered["episodes"])
    considered["episodes"] = [
        _fit_for_prompt(candidate, in_prompt=in_prompt, outdated=outdated, asked=asked)
        for candidate in considered["episodes"]
    ]
    together = distinct(
        [item for name in BLOCK_FORMS for item in considered[name]], asked=asked.terms.idf.keys()
    )
    return _formatted(together, settings=settings, count=count, nonce=nonce)


def search(
    store: Store,
    text: str,
    *,
    settings: RecallSettings,
    forms: Sequence[Form] = SEARCHABLE,
    limit: int = 10,
    gate: bool = True,
) -> list[Candidate]:
    """The `limit` best candidates, best first, without caps; with `gate` off what it cut too."""
    null = null_of(store)
    with store.read() as connection:
        asked = question(store, connection, text)
        found = _considered(store, connection, asked, forms, null=null, settings=settings)
    passed = [item for item in found if item.verdict is Verdict.IN or not gate]
    return passed[:limit]


def ranking(
    store: Store,
    text: str,
    *,
    settings: RecallSettings,
    forms: Sequence[Form] = SEARCHABLE,
) -> list[Candidate]:
    """Every candidate in the ranker's order, by similarity: before gate, diversity and caps."""
    null = null_of(store)
    with store.read() as connection:
        asked = question(store, connection, text)
        found = _considered(store, connection, asked, forms, null=null, settings=settings)
    return sorted(found, key=lambda one: -one.parts.similarity)


def _considered(
    store: Store,
    connection: Connection,
    asked: Question,
    forms: Sequence[Form],
    *,
    null: Null | None,
    settings: RecallSettings,
) -> list[Candidate]:
    """Proposed, scored, gated and ranked: best first, those below the gate behind."""
    statuses = _PAST if asked.about_past else _CURRENT
    where = visible(store.reach, forms=forms, statuses=statuses)
    view = (store.reach.scopes, store.reach.principal.agent, tuple(forms), statuses)
    hits = propose(store, connection, asked, where, limit=settings.proposals, null=null, view=view)
    now = store.clock()
    judged = [_judged(hit, null, settings, now=now) for hit in hits]
    ranked = rank(item for item in judged if item.verdict is Verdict.IN)
    return ranked + rank(item for item in judged if item.verdict is Verdict.OUT)


def _judged(hit: Hit, null: Null | None, settings: RecallSettings, *, now: datetime) -> Candidate:
    fit = relevance(hit, null, settings)
    parts = parts_of(hit.memory, similarity=fit.similarity, settings=settings)
    factors = factors_of(hit.memory, settings, now=now)
    return Candidate(
        memory=hit.memory,
        parts=parts,
        score=score(parts, settings) * factors.product,
        factors=factors,
        signals=fit.signals,
        verdict=Verdict.IN if fit.passed else Verdict.OUT,
        reason="relevant" if fit.passed else fit.reason,
    )


def _fit_for_prompt(
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


def _outdated_messages(
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
    facts = visible(store.reach, forms=(Form.FACT,), statuses=tuple(Status))
    found = connection.execute(
        select(evidence.c.ref, memories.c.status)
        .join(memories, memories.c.id == evidence.c.memory)
        .where(evidence.c.ref.in_(sorted(refs)), facts)
    )
    statuses: dict[str, set[str]] = {}
    for ref, status in found:
        statuses.setdefault(ref, set()).add(status)
    ended = {Status.SUPERSEDED.value, Status.RETRACTED.value}
    return frozenset(ref for ref, seen in statuses.items() if seen <= ended)


def _formatted(
    together: Sequence[Candidate],
    *,
    settings: RecallSettings,
    count: Count,
    nonce: str,
) -> Recollection:
    caps = {
        "memories": Cap(items=settings.memory_items, characters=settings.memory_characters),
        "knowledge": Cap(items=settings.knowledge_items, tokens=settings.knowledge_tokens),
        "episodes": Cap(items=settings.episode_items, tokens=settings.episode_tokens),
    }
    formatted = [
        format_block(
            name,
            varied([item for item in together if item.memory.form in forms]),
            cap=caps[name],
            nonce=nonce,
            count=count,
        )
        for name, forms in BLOCK_FORMS.items()
    ]
    return Recollection(
        blocks=tuple(item.block for item in formatted),
        candidates=tuple(candidate for item in formatted for candidate in item.candidates),
    )
