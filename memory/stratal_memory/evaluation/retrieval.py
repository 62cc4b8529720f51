"""Retrieval, measured through the real write and read path; read top to bottom."""

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from stratal_memory.embedding.embedder import Embedder
from stratal_memory.evaluation.dataset import Conversation, QuestionRow
from stratal_memory.evaluation.measures import (
    DEPTH,
    Said,
    auroc,
    intervals,
    latest_first,
    mean,
    measures,
)
from stratal_memory.evaluation.telling import Calendar, tell, turn_ids
from stratal_memory.recall.candidates import Candidate, Verdict
from stratal_memory.recall.recall import ranking
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.truth.database import Database

UPDATES = "knowledge_update"
USER = "evaluation"
OnProgress = Callable[[int, int, str], None]  # done, of how many, what


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one question found."""

    question: QuestionRow
    evidence: tuple[str, ...]  # the turns that hold the answer and were told
    ranking: tuple[str, ...]  # turn ids, best first
    best: float  # similarity of the best candidate, 0 when there is none
    passed: int  # candidates above the gate
    measured: dict[str, float]  # empty when nothing was to be found
    seconds: float
    latest: bool | None  # latest statement above the superseded; None for other questions


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The measures of a data set; names and rounding as the reference evaluator's."""

    n: int
    overall: dict[str, float]
    per_category: dict[str, dict[str, float]]
    ci95: dict[str, tuple[float, float]]
    index_s: float
    ms_per_query: float
    auroc: float | None  # best score of answerable against unanswerable questions
    unanswerable_injecting_nothing: float | None
    knowledge_update: float | None
    knowledge_updates: int  # questions it is the share of
    answers: tuple[Answer, ...]


def evaluate(
    conversations: Sequence[Conversation],
    embedder: Embedder | None,
    *,
    limit: int = DEPTH,
    settings: RecallSettings = RecallSettings(),  # noqa: B008 - a frozen value
    on_progress: OnProgress = lambda done, total, what: None,
) -> Scores:
    """The scores of memory on `conversations`, each told to a store of its own for a while.

    Ranker order counts: before the gate, diversity and caps. `limit` turns of it are looked at.
    """
    total = sum(len(one.turns) + len(one.questions) for one in conversations)
    answers: list[Answer] = []
    telling, done = 0.0, 0

    def advance(what: str) -> None:
        nonlocal done
        done += 1
        on_progress(done, total, what)

    for conversation in conversations:
        folder = TemporaryDirectory(prefix="stratal-eval-")
        with folder, Database.open(Path(folder.name)) as database:
            started = time.perf_counter()
            subject = told(database, embedder, conversation, on_turn=advance)
            telling += time.perf_counter() - started
            for question in conversation.questions:
                answers.append(subject.ask(question, limit=limit, settings=settings))
                advance(f"{conversation.id}: asking")
            subject.store.close()
    return scores_of(answers, index_s=telling)


@dataclass(frozen=True, slots=True)
class Subject:
    """One conversation in a store, ready to be asked about."""

    store: Store
    conversation: Conversation
    written: dict[str, str]  # turn ids by message id
    said: dict[str, Said]

    def ask(self, question: QuestionRow, *, limit: int, settings: RecallSettings) -> Answer:
        """What memory finds, with its measures."""
        started = time.perf_counter()
        found = ranking(self.store, question.question, settings=settings, forms=(Form.MESSAGE,))
        took = time.perf_counter() - started
        ranked = turn_ids(_refs(found), self.written)[:limit]
        evidence = tuple(turn for turn in dict.fromkeys(question.evidence) if turn in self.said)
        return Answer(
            question=question,
            evidence=evidence,
            ranking=tuple(ranked),
            best=found[0].parts.similarity if found else 0.0,
            passed=sum(one.verdict is Verdict.IN for one in found),
            measured=measures(ranked, evidence, self.said) if evidence else {},
            seconds=took,
            latest=self._latest(question, ranked),
        )

    def _latest(self, question: QuestionRow, ranked: Sequence[str]) -> bool | None:
        if question.category != UPDATES or not question.answerable:
            return None
        order = {turn.turn_id: place for place, turn in enumerate(self.conversation.turns)}
        roles = question.evidence_roles
        known = sorted((turn for turn in question.evidence if turn in order), key=order.__getitem__)
        updated = [turn for turn in roles.updated_info if turn in order] or known[-1:]
        old = [turn for turn in roles.original_info if turn in order] or known[:-1]
        superseded = set(old) - set(updated)
        if not updated or not superseded:
            return None
        latest = min(updated, key=lambda turn: _place(ranked, turn))
        return latest_first(ranked, updated=latest, superseded=superseded)


def _place(ranked: Sequence[str], turn: str) -> int:
    return ranked.index(turn) if turn in ranked else len(ranked)


def _refs(found: Sequence[Candidate]) -> list[str]:
    return [seen.ref for one in found for seen in one.memory.evidence]


def told(
    database: Database,
    embedder: Embedder | None,
    conversation: Conversation,
    *,
    on_turn: Callable[[str], None] = lambda what: None,
) -> Subject:
    """`conversation` in a store of its own in `database`; close `Subject.store` afterwards."""
    clock = Calendar(conversation.turns[0].at)
    store = Store.open(database, Principal(user=USER), embedder=embedder, clock=clock)
    written = tell(
        store, conversation, clock=clock, on_turn=lambda: on_turn(f"{conversation.id}: telling")
    )
    said = {
        turn.turn_id: Said(turn.session_id, len(turn.text) + len(turn.caption or ""))
        for turn in conversation.turns
    }
    return Subject(store, conversation, written, said)


def scores_of(answers: Sequence[Answer], *, index_s: float = 0.0) -> Scores:
    """The scores of what was found; questions whose evidence was not told count in no measure."""
    measured = [one for one in answers if one.measured]
    answerable = [one.measured for one in measured if one.question.answerable]
    by_category: dict[str, list[dict[str, float]]] = defaultdict(list)
    for one in measured:
        by_category[one.question.category].append(one.measured)
    updates = [one.latest for one in answers if one.latest is not None]
    unanswerable = [one for one in answers if not one.question.answerable]
    return Scores(
        n=len(answerable),
        overall=mean(answerable),
        per_category={
            name: {"n": len(rows), **mean(rows)} for name, rows in sorted(by_category.items())
        },
        ci95=intervals(answerable),
        index_s=round(index_s, 2),
        ms_per_query=round(_share([1_000 * one.seconds for one in answers]) or 0.0, 2),
        auroc=auroc(
            [one.best for one in measured if one.question.answerable],
            [one.best for one in unanswerable],
        ),
        unanswerable_injecting_nothing=_share([float(one.passed == 0) for one in unanswerable]),
        knowledge_update=_share([float(latest) for latest in updates]),
        knowledge_updates=len(updates),
        answers=tuple(answers),
    )


def _share(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
