"""How similar two unrelated texts look to an embedder: the null the relevance gate is set by.

A fixed threshold means something else for every model (MEMORY, section 1.3). So the cosines of
questions with statements that have nothing to do with them are measured once a generation.
"""

import json
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, insert, select

from stratal_memory.embedding.embedder import Embedder
from stratal_memory.store import Store
from stratal_memory.truth.schema import state

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
    cosines = (questions @ statements.T).ravel()
    mean = float(np.mean(cosines))
    return Null(mean, min(0.9, mean + STEEPNESS * float(np.std(cosines))))


def null_of(store: Store) -> Null | None:
    """The null of the store's embedder, measured on first use and kept; None without one."""
    if store.embedder is None:
        return None
    name = f"null.{store.generation}"
    with store.read() as connection:
        kept = _kept(connection, name)
    if kept is not None:
        return kept
    null = measure(store.embedder)
    with store.database.write() as connection:
        if _kept(connection, name) is None:
            value = json.dumps({"mean": null.mean, "threshold": null.threshold})
            connection.execute(insert(state).values(name=name, value=value))
    return null


def _kept(connection: Connection, name: str) -> Null | None:
    value = connection.execute(select(state.c.value).where(state.c.name == name)).scalar()
    if value is None:
        return None
    fields = json.loads(value)
    return Null(fields["mean"], fields["threshold"])
