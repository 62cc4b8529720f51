"""What is asked, prepared for the arms."""

import re
from dataclasses import dataclass

from sqlalchemy import Connection

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.recall.times import Stretch, stretches
from stratal_memory.store import Store
from stratal_memory.text import storable
from stratal_memory.truth import sqlite
from stratal_memory.truth.sqlite import QueryTerms

LONGEST = 4_000  # characters of a message that are searched for; the embedder reads fewer
_PAST = re.compile(
    r"\b(used to|before|previous(ly)?|former(ly)?|earlier|in the past|last (year|month|week)"
    r"|back then|originally|at first|history)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """A message as the arms search for it."""

    text: str
    vector: Vectors | None  # None without an embedder
    terms: QueryTerms
    about_past: bool  # it may want what has been superseded
    times: tuple[Stretch, ...] = ()  # the times it names


def question(store: Store, connection: Connection, text: str) -> Question:
    """The first 4,000 characters of `text` as vector and rare terms."""
    cut = storable(text)[:LONGEST]
    return Question(
        text=cut,
        vector=store.embed([cut])[0],
        terms=sqlite.query_terms(connection, cut),
        about_past=bool(_PAST.search(cut)),
        times=stretches(cut, store.clock()),
    )
