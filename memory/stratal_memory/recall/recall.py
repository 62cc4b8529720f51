"""The way from a message to recalled text; read top to bottom."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from sqlalchemy import ColumnElement, Connection, or_

from stratal_memory.errors import InputError
from stratal_memory.recall.answering import answered
from stratal_memory.recall.arms import propose
from stratal_memory.recall.calibration import null_in
from stratal_memory.recall.candidates import Block, Candidate, Verdict
from stratal_memory.recall.contested import together, with_rivals
from stratal_memory.recall.diversity import distinct, told_once, varied
from stratal_memory.recall.fitness import fit_for_prompt, outdated_among
from stratal_memory.recall.formatter import Cap, Count, format_block
from stratal_memory.recall.judged import counts_of, judged
from stratal_memory.recall.pinned import CURRENT, pinned_facts, pinned_first
from stratal_memory.recall.question import Question, question
from stratal_memory.recall.ranker import rank
from stratal_memory.recall.reranking import reranked
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.recall.sources import Seen, Source, Stored
from stratal_memory.records import Form
from stratal_memory.store import Store
from stratal_memory.truth import views
from stratal_memory.truth.access import Reach, visible
from stratal_memory.truth.memories import ENDED
from stratal_memory.truth.moments import ONCE, true_at, zoned
from stratal_memory.truth.schema import memories
from stratal_memory.truth.sqlite import Prepared

# What each block of the prompt is made of.
BLOCK_FORMS: dict[str, tuple[Form, ...]] = {
    "memories": (Form.FACT, Form.OBSERVATION),
    "knowledge": (Form.CHUNK,),
    "episodes": (Form.EPISODE, Form.MESSAGE),
}
SEARCHABLE = (Form.FACT, Form.OBSERVATION, Form.CHUNK, Form.EPISODE, Form.MESSAGE)
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
    with store.read() as connection:
        asked = question(store, connection, text, attributes=not settings.plain_cosine)
        found = _considered(store, connection, asked, list(BLOCK_FORMS.values()), settings=settings)
        considered = dict(zip(BLOCK_FORMS, found, strict=True))
        outdated = outdated_among(store, connection, considered["episodes"])
        pinned = pinned_facts(store, connection) if asked.may_be_pinned else []
    considered = answered(asked.wanted, considered, words=asked.terms.idf.keys(), now=store.clock())
    considered["memories"] = pinned_first(
        considered["memories"], pinned, settings=settings, now=store.clock()
    )
    considered["episodes"] = [
        fit_for_prompt(candidate, in_prompt=in_prompt, outdated=outdated, asked=asked)
        for candidate in considered["episodes"]
    ]
    said_once = distinct(
        told_once([item for name in BLOCK_FORMS for item in considered[name]]),
        asked=asked.terms.idf.keys(),
    )
    dated = [_dated(store, item) for item in said_once]
    return _formatted(dated, settings=settings, count=count, nonce=nonce)


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
    Raises `InputError` for a `limit` below 1 and a time without a zone.
    """
    if limit < 1:
        raise InputError(f"{limit} hits can't be found", hint="Ask for 1 or more.")
    then = None if as_of is None else zoned(as_of)
    with store.read() as connection:
        asked = question(store, connection, text)
        [found] = _considered(store, connection, asked, [forms], settings=settings, as_of=then)
    passed = [item for item in found if item.verdict is Verdict.IN or not gate]
    return [_dated(store, item) for item in passed[:limit]]


def _dated(store: Store, candidate: Candidate) -> Candidate:
    """The candidate with its times in the user's zone, whose days the model and people read."""
    memory = store.gate.dated(candidate.memory)
    return candidate if memory is candidate.memory else replace(candidate, memory=memory)


def ranking(
    store: Store,
    text: str,
    *,
    settings: RecallSettings,
    forms: Sequence[Form] = SEARCHABLE,
) -> list[Candidate]:
    """Every candidate in the ranker's order, by similarity: before gate, diversity and caps."""
    with store.read() as connection:
        asked = question(store, connection, text)
        [found] = _considered(store, connection, asked, [forms], settings=settings)
    return sorted(found, key=lambda one: -one.parts.similarity)


def _considered(
    store: Store,
    connection: Connection,
    asked: Question,
    groups: Sequence[Sequence[Form]],
    *,
    settings: RecallSettings,
    as_of: datetime | None = None,
) -> list[list[Candidate]]:
    """Of each group of forms what was proposed, scored, gated and ranked.

    Best first, those below the gate behind. All groups are read back from the truth together.
    """
    null = null_in(store, connection, last=asked.sight.last if asked.sight else None)
    source = _source(store, connection, asked, as_of=as_of)
    parts = [source.of(forms) for forms in groups]
    proposed = [propose(asked, part, limit=settings.proposals, null=null) for part in parts]
    found = source.memories(sorted({seq for one in proposed for seq in one.wanted}))
    now = as_of or store.clock()
    counts = counts_of(store, connection, found.values(), settings=settings)
    result: list[list[Candidate]] = []
    for part, one in zip(parts, proposed, strict=True):
        hits = one.hits(asked, found)
        weighed = [judged(hit, null, settings, now=now, counts=counts) for hit in hits]
        ranked = rank(item for item in weighed if item.verdict is Verdict.IN)
        ranked += rank(item for item in weighed if item.verdict is Verdict.OUT)
        ranked = reranked(asked.text, ranked, settings)
        result.append(with_rivals(connection, ranked, part, settings=settings, now=now))
    return result


def _source(
    store: Store, connection: Connection, asked: Question, *, as_of: datetime | None
) -> Source:
    if as_of is not None:  # a past is looked at once
        then = visible(store.reach, forms=tuple(Form), statuses=ONCE) & true_at(as_of)
        return Stored(store, connection, asked, then, view=None)
    where = _readable(store.reach, about_past=asked.about_past)
    if asked.sight is None:
        return Stored(store, connection, asked, where, view=asked.about_past)
    return Seen(
        connection,
        asked,
        asked.sight,
        where,
        confirming=_confirming(store.reach, about_past=asked.about_past),
        view=asked.sight.view(connection, where, asked.about_past),
    )


@lru_cache(maxsize=1_024)
def _readable(reach: Reach, *, about_past: bool) -> ColumnElement[bool]:
    """What holds now; for the past also what held once and no more.

    What was corrected or taken back by hand never held; one that was merged is told by the other.
    """
    if not about_past:
        return visible(reach, forms=tuple(Form), statuses=CURRENT)
    held = or_(
        memories.c.status.in_(CURRENT),
        memories.c.valid_to > memories.c.valid_from,
    )
    return visible(reach, forms=tuple(Form), statuses=_PAST) & held


@lru_cache(maxsize=1_024)
def _confirming(reach: Reach, *, about_past: bool) -> Prepared:
    return views.confirming(_readable(reach, about_past=about_past))


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
