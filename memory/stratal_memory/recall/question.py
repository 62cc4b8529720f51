"""What is asked, prepared for the arms."""

import re
from dataclasses import dataclass

from sqlalchemy import Connection

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.index.holdings import Holdings
from stratal_memory.index.sight import Sight
from stratal_memory.recall.asking import says_something, subject
from stratal_memory.recall.times import Stretch, stretches
from stratal_memory.recall.wanted import Wanted, wanted
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
    vector: Vectors | None  # None without an embedder, and where nothing is said
    terms: QueryTerms
    about_past: bool  # it may want what has been superseded
    times: tuple[Stretch, ...] = ()  # the times it names
    sight: Sight | None = None  # the scopes in memory; None when they are too large for it
    wanted: Wanted | None = None  # the attribute of themselves that the user asks for

    @property
    def may_be_pinned(self) -> bool:
        """Whether something within reach is perhaps pinned."""
        return self.sight is None or self.sight.has_pinned


def question(
    store: Store, connection: Connection, text: str, *, attributes: bool = True
) -> Question:
    """The first 4,000 characters of `text`, with vector and rare terms of what they are about.

    With `attributes` also which attribute of the user it asks for as it is now.
    """
    cut = storable(text)[:LONGEST]
    about = subject(cut)
    sight = Holdings.of(store.database).sight(connection, store.reach, generation=store.generation)
    vector = store.embed([about])[0] if says_something(about) else None
    past = bool(_PAST.search(cut))
    return Question(
        text=cut,
        vector=vector,
        terms=sight.query_terms(about) if sight else sqlite.query_terms(connection, about),
        about_past=past,
        times=stretches(cut, store.clock()),
        sight=sight,
        wanted=wanted(store.embedder, cut, vector) if attributes and not past else None,
    )
