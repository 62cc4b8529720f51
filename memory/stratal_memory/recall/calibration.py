"""How similar two unrelated texts look to an embedder: the null the relevance gate is set by.

A fixed threshold means something else for every model and every store (MEMORY, section 1.3). So
the cosines of everyday questions are measured: with statements that have nothing to do with them,
and, once there is enough, with what is stored.
"""

import json
import threading
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from sqlalchemy import Connection, Engine, bindparam, func, insert, select, update

from stratal_memory.embedding.embedder import Embedder, Vectors
from stratal_memory.store import Store
from stratal_memory.truth import vectors
from stratal_memory.truth.schema import state
from stratal_memory.truth.schema import vectors as table

# Everyday questions and statements of different subjects: no question fits any statement.
QUESTIONS = (
    "What is the capital of Mongolia?",
    "How do I reset the password of my router?",
    "Which vaccine does a puppy need first?",
    "When does the marathon start?",
    "Who painted the ceiling of the chapel?",
    "How many moons does Neptune have?",
    "What is my cousin's phone number?",
    "Where did we park the rental van?",
    "Why does the compiler warn about shadowing?",
    "Which train goes to the airport?",
    "How much salt goes into pickled cucumbers?",
    "What does the contract say about subletting?",
    "Who won the chess game on Sunday?",
    "How long do solar panels last?",
    "What is the wingspan of an albatross?",
    "Do I need a visa for Peru?",
)
STATEMENTS = (
    "The choir rehearses in the old gym.",
    "Her violin teacher retired in spring.",
    "Quarterly revenue grew by four percent.",
    "The fridge makes a humming noise at night.",
    "He prefers window seats and quiet carriages.",
    "Tomatoes grow best with six hours of sun.",
    "The museum lends its tapestries to schools.",
    "Invoices are paid within thirty days of receipt.",
    "My grandmother knitted this blue scarf.",
    "The printer on the second floor is out of toner.",
    "Glaciers in the valley shrank faster than expected.",
    "Our cat is afraid of the vacuum cleaner.",
    "The committee postponed the vote on parking fees.",
    "She started learning Portuguese two years ago.",
    "Concrete needs about a month to reach full strength.",
    "The bakery on the corner closes on Mondays.",
)
# A cosine this far above the null means "says the same": closeness 1. Measured on
# all-MiniLM-L6-v2, whose paraphrases of a statement lie around 0.8.
SAME = 0.85
FEWEST, SAMPLE = 200, 512  # rows from which a store has a null of its own, and those looked at
STEEPNESS = 3.1  # standard deviations: one random pair in a thousand lies above (normal tail)


@dataclass(frozen=True, slots=True)
class Null:
    """The cosines of unrelated pairs: their mean, and the value one in a thousand exceeds."""

    mean: float
    threshold: float


def measure(embedder: Embedder) -> Null:
    """The null of `embedder`, from all pairs of `QUESTIONS` and `STATEMENTS`."""
    questions = embedder.embed(QUESTIONS)
    statements = embedder.embed(STATEMENTS)
    return _null((questions @ statements.T).ravel())


def null_of(store: Store) -> Null | None:
    """The null of the store: its embedder's own pairs, or the questions beside what is stored.

    Measured on first use, again whenever there is twice as much, and kept; None without an
    embedder. What is kept are two numbers and how many rows there were.
    """
    with store.read() as connection:
        return null_in(store, connection)


def null_in(store: Store, connection: Connection, *, last: int | None = None) -> Null | None:
    """The null of the store, as of a snapshot; `last` is the number of its last memory.

    The truth is not asked while no more rows are there than were when it was asked before.
    """
    if store.embedder is None:
        return None
    name = f"null.{store.generation}"
    with _guard:
        known = _known.setdefault(store.database.engine, {})
    if last is not None and name in known and not known[name].is_outgrown_by(last):
        return known[name].null
    kept, rows = _kept(connection, name)
    if kept is None or kept.is_outgrown_by(rows):
        kept = _Kept(_of_store(store) or measure(store.embedder), rows)
        with store.database.write() as writing:
            _keep(writing, name, kept)
    known[name] = kept
    return kept.null


@dataclass(frozen=True, slots=True)
class _Kept:
    null: Null
    rows: int  # of the database when it was measured

    def is_outgrown_by(self, rows: int) -> bool:
        return rows >= max(FEWEST, 2 * self.rows)


_known: WeakKeyDictionary[Engine, dict[str, _Kept]] = WeakKeyDictionary()
_guard = threading.Lock()


def _of_store(store: Store) -> Null | None:
    """From `QUESTIONS` and rows spread over all that is stored; None while there are few."""
    if store.embedder is None:
        return None
    with store.database.read() as connection:
        sample = vectors.spread(connection, generation=store.generation, most=SAMPLE)
    if len(sample.seqs) < FEWEST:
        return None
    return _null((store.embedder.embed(QUESTIONS) @ sample.vectors.T).ravel())


def _null(cosines: Vectors) -> Null:
    mean = float(np.mean(cosines))
    return Null(mean, min(0.9, mean + STEEPNESS * float(np.std(cosines))))


# Built once: every recall asks it.
_FOUND = select(
    select(state.c.value).where(state.c.name == bindparam("name")).scalar_subquery(),
    select(func.max(table.c.memory)).scalar_subquery(),
)


def _kept(connection: Connection, name: str) -> tuple[_Kept | None, int]:
    """What was measured, and how many rows there are now."""
    value, rows = connection.execute(_FOUND, {"name": name}).one()
    if value is None:
        return None, int(rows or 0)
    fields = json.loads(value)
    null = Null(fields["mean"], fields["threshold"])
    return _Kept(null, fields.get("rows", 0)), int(rows or 0)


def _keep(connection: Connection, name: str, kept: _Kept) -> None:
    value = json.dumps(
        {"mean": kept.null.mean, "threshold": kept.null.threshold, "rows": kept.rows}
    )
    changed = connection.execute(update(state).where(state.c.name == name).values(value=value))
    if changed.rowcount == 0:
        connection.execute(insert(state).values(name=name, value=value))
