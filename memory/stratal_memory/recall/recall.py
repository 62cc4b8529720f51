"""The way from a message to recalled text; read top to bottom."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, or_

from stratal_memory.recall.arms import Hit, propose
from stratal_memory.recall.calibration import Null, null_of
from stratal_memory.recall.candidates import Block, Candidate, Verdict
from stratal_memory.recall.contested import together, with_rivals
from stratal_memory.recall.diversity import distinct, varied
from stratal_memory.recall.fitness import fit_for_prompt, outdated_messages
from stratal_memory.recall.formatter import Cap, Count, format_block
from stratal_memory.recall.pinned import CURRENT, pinned_facts, pinned_first
from stratal_memory.recall.question import Question, question
from stratal_memory.recall.ranker import factors_of, parts_of, rank, score
from stratal_memory.recall.relevance import relevance
from stratal_memory.recall.reranking import reranked
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form
from stratal_memory.store import Store
from stratal_memory.truth.access import visible
from stratal_memory.truth.memories import ENDED
from stratal_memory.truth.moments import ONCE, true_at
from stratal_memory.truth.schema import memories

# What each block of the prompt is made of.
BLOCK_FORMS: dict[str, tuple[Form, ...]] = {
    "memories": (Form.FACT,),
    "knowledge": (Form.CHUNK,),
    "episodes": (Form.EPISODE, Form.MESSAGE),
}
SEARCHABLE = (Form.FACT, Form.CHUNK, Form.EPISODE, Form.MESSAGE)
_PAST = (*CURRENT, *ENDED)


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
        outdated = outdated_messages(store, connection, considered["episodes"])
        pinned = pinned_facts(store, connection)
    considered["memories"] = pinned_first(
        considered["memories"], pinned, settings=settings, now=store.clock()
    )
    considered["episodes"] = [
        fit_for_prompt(candidate, in_prompt=in_prompt, outdated=outdated, asked=asked)
        for candidate in considered["episodes"]
    ]
    said_once = distinct(
        [item for name in BLOCK_FORMS for item in considered[name]], asked=asked.terms.idf.keys()
    )
    return _formatted(said_once, settings=settings, count=count, nonce=nonce)


def search(
    store: Store,
    text: str,
    *,
    settings: RecallSettings,
    forms: Sequence[Form] = SEARCHABLE,
    limit: int = 10,
    gate: bool = True,
    as_of: datetime | None = None,
) -> list[Candidate]:
    """The `limit` best candidates, best first, without caps; with `gate` off what it cut too.

    With `as_of` among what was true then, by what is known today.
    """
    null = null_of(store)
    with store.read() as connection:
        asked = question(store, connection, text)
        found = _considered(
            store, connection, asked, forms, null=null, settings=settings, as_of=as_of
        )
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
    as_of: datetime | None = None,
) -> list[Candidate]:
    """Proposed, scored, gated and ranked: best first, those below the gate behind."""
    where = _readable(store, forms, about_past=asked.about_past, as_of=as_of)
    view = (tuple(forms), asked.about_past)
    hits = propose(
        store,
        connection,
        asked,
        where,
        limit=settings.proposals,
        null=null,
        view=view if as_of is None else None,  # a past is looked at once
    )
    now = as_of or store.clock()
    judged = [_judged(hit, null, settings, now=now) for hit in hits]
    ranked = rank(item for item in judged if item.verdict is Verdict.IN)
    ranked += rank(item for item in judged if item.verdict is Verdict.OUT)
    ranked = reranked(asked.text, ranked, settings)
    return with_rivals(connection, ranked, where, settings=settings, now=now)


def _readable(
    store: Store, forms: Sequence[Form], *, about_past: bool, as_of: datetime | None
) -> ColumnElement[bool]:
    """What holds now, or held at `as_of`; for the past also what held once and no more.

    What was corrected or taken back by hand never held; one that was merged is told by the other.
    """
    if as_of is not None:
        return visible(store.reach, forms=forms, statuses=ONCE) & true_at(as_of)
    if not about_past:
        return visible(store.reach, forms=forms, statuses=CURRENT)
    held = or_(
        memories.c.status.in_(CURRENT),
        memories.c.valid_to > memories.c.valid_from,
    )
    return visible(store.reach, forms=forms, statuses=_PAST) & held


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


def _formatted(
    said_once: Sequence[Candidate],
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
            together(varied([item for item in said_once if item.memory.form in forms])),
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
