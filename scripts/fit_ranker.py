"""Fit the weights of `stratal_memory.recall.weights` on questions whose evidence is known.

    python scripts/fit_ranker.py TURNS QUESTIONS [TURNS QUESTIONS ...]

Each pair is a data set in the form `stratal eval retrieval` reads; all count the same. What is
fitted is what the product measures (`Candidate.signals`), through its own write and read path.
Prints the weights, and per data set the recall when each conversation is ranked by weights
that were fitted without it. The embedding model must be on this machine. It takes minutes.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from stratal_memory.embedding.discovery import AUTOMATIC, find_embedder
from stratal_memory.embedding.embedder import Embedder
from stratal_memory.evaluation.dataset import Conversation, load
from stratal_memory.evaluation.retrieval import Subject, told
from stratal_memory.recall.features import Features
from stratal_memory.recall.recall import ranking
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form
from stratal_memory.truth.database import Database

Array = NDArray[np.float64]
NAMES = tuple(Features.__slots__)
PROPOSALS = RecallSettings(proposals=60)  # a little more than in use: more to tell apart
STEPS, RATE, RIDGE = 400, 0.05, 1e-3  # of the descent; weights of standardised features
TOP = 10


@dataclass(frozen=True, slots=True)
class Asked:
    """The candidates of one question."""

    data: int
    conversation: str
    turns: tuple[str, ...]
    values: Array  # (n, features)
    holds: Array  # (n,): 1 where the candidate is evidence
    evidence: frozenset[str]


def collected(data: int, conversations: Sequence[Conversation], embedder: Embedder) -> list[Asked]:
    """The candidates of every answerable question."""
    found: list[Asked] = []
    for conversation in conversations:
        folder = TemporaryDirectory(prefix="stratal-fit-")
        with folder, Database.open(Path(folder.name)) as database:
            subject = told(database, embedder, conversation)
            found.extend(_asked(data, subject))
            subject.store.close()
        print(f"{conversation.id}: {len(found)} questions so far", file=sys.stderr)
    return found


def _asked(data: int, subject: Subject) -> list[Asked]:
    found: list[Asked] = []
    for question in subject.conversation.questions:
        evidence = frozenset(question.evidence) & frozenset(subject.said)
        if not evidence or not question.answerable:
            continue
        candidates = ranking(
            subject.store, question.question, settings=PROPOSALS, forms=(Form.MESSAGE,)
        )
        turns = tuple(subject.written[one.memory.evidence[0].ref] for one in candidates)
        values = [[signal.value for signal in one.signals] for one in candidates]
        found.append(
            Asked(
                data,
                subject.conversation.id,
                turns,
                np.array(values, dtype=np.float64).reshape(-1, len(NAMES)),
                np.array([turn in evidence for turn in turns], dtype=np.float64),
                evidence,
            )
        )
    return found


def fitted(questions: Sequence[Asked]) -> Array:
    """The weights that make evidence likeliest among the candidates of its question (softmax)."""
    usable = [one for one in questions if one.holds.any()]
    sizes = {data: sum(one.data == data for one in usable) for data in {one.data for one in usable}}
    values = np.concatenate([one.values for one in usable])
    spread = values.std(axis=0) + 1e-9
    values = (values - values.mean(axis=0)) / spread
    wanted = np.concatenate([one.holds / one.holds.sum() for one in usable])
    starts = np.cumsum([0, *(len(one.holds) for one in usable[:-1])])
    own = np.repeat(np.arange(len(usable)), [len(one.holds) for one in usable])
    shares = np.array([1 / (len(sizes) * sizes[one.data]) for one in usable])[own]
    weights, speed, size = (np.zeros(len(NAMES)) for _ in range(3))
    for step in range(1, STEPS + 1):
        scores = values @ weights
        powers = np.exp(scores - np.maximum.reduceat(scores, starts)[own])
        likely = powers / np.add.reduceat(powers, starts)[own]
        slope = values.T @ (shares * (likely - wanted)) + RIDGE * weights
        speed, size = 0.9 * speed + 0.1 * slope, 0.999 * size + 0.001 * slope**2
        weights -= RATE * (speed / (1 - 0.9**step)) / (np.sqrt(size / (1 - 0.999**step)) + 1e-8)
    return np.asarray(weights / spread)


def recall_at_top(questions: Sequence[Asked], weights: Array) -> list[float]:
    """The share of evidence among the ten best turns, by question."""
    shares: list[float] = []
    for one in questions:
        order = np.argsort(-(one.values @ weights), kind="stable")
        best = list(dict.fromkeys(one.turns[i] for i in order))[:TOP]
        shares.append(len(one.evidence.intersection(best)) / len(one.evidence))
    return shares


def main(paths: Sequence[str]) -> None:
    """Fit on all pairs of files named on the command line."""
    embedder = find_embedder(AUTOMATIC, models_dir=Path("models"))
    if embedder is None or len(paths) < 2 or len(paths) % 2:
        raise SystemExit(__doc__)
    pairs = [(Path(paths[i]), Path(paths[i + 1])) for i in range(0, len(paths), 2)]
    questions = [
        one
        for data, (turns, asked) in enumerate(pairs)
        for one in collected(data, load(turns, asked), embedder)
    ]
    for name, weight in zip(NAMES, fitted(questions).tolist(), strict=True):
        print(f"    {name}={weight:.2f},")
    for data, (turns, _) in enumerate(pairs):
        held: list[float] = []
        for conversation in sorted({one.conversation for one in questions if one.data == data}):
            left = [
                one for one in questions if (one.data, one.conversation) != (data, conversation)
            ]
            out = [one for one in questions if (one.data, one.conversation) == (data, conversation)]
            held.extend(recall_at_top(out, fitted(left)))
        print(f"{turns}: R@{TOP} {np.mean(held):.3f} of {len(held)} questions, each left out")


if __name__ == "__main__":
    main(sys.argv[1:])
