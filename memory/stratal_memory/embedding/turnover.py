"""Which embedding model serves, and how a new one takes over from the one before it.

While memories are embedded anew, questions are compared by the old model: all of them or none.
The new generation serves from the transaction on in which nothing lacks its vector.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from stratal_memory.embedding.embedder import Embedder
from stratal_memory.errors import EmbeddingError
from stratal_memory.truth import generations, vectors
from stratal_memory.truth.database import Database
from stratal_memory.truth.generations import Serving

# The embedder that a setting names; None, or an `EmbeddingError`, when there is none any more.
Find = Callable[[str], Embedder | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """An embedder and the number its generation has in one data directory."""

    embedder: Embedder
    generation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Engaged:
    """The models at work in a data directory.

    `lost` is the generation that should serve and whose model can't be had: then the new model
    serves at once, of what it has embedded so far, and words find the rest.
    """

    serving: Model
    coming: Model | None = None  # fills its generation beside the one that serves
    lost: str = ""


def engaged(database: Database, chosen: Embedder, *, former: Find | None, now: datetime) -> Engaged:
    """The models that work when `chosen` is the one the settings name.

    `former` finds the model before it again, by the setting that was noted when it took over.
    """
    with database.read() as connection:
        served = generations.serving(connection)
        known = vectors.known_generation(connection, chosen.generation)
    mine = Model(embedder=chosen, generation=known or _new(database, chosen, now=now))
    if served is None or served.id == chosen.generation.id:
        if served is None or served.setting != chosen.generation.setting:
            _serve(database, mine)
        return Engaged(serving=mine)
    if take_over(database, mine):
        return Engaged(serving=mine)
    before = _found(served, former)
    if before is None:
        return Engaged(serving=mine, lost=served.id)
    return Engaged(serving=Model(embedder=before, generation=served.number), coming=mine)


def _new(database: Database, chosen: Embedder, *, now: datetime) -> int:
    with database.write() as connection:
        return vectors.generation_number(connection, chosen.generation, now=now)


def _serve(database: Database, model: Model) -> None:
    with database.write() as connection:
        generations.serve(connection, model.embedder.generation, number=model.generation)


def _found(served: Serving, former: Find | None) -> Embedder | None:
    """The model of the generation that serves, if it is still here and still the same."""
    if former is None or not served.setting:
        return None
    try:
        before = former(served.setting)
    except EmbeddingError:
        return None  # `lost` says so
    return before if before and before.generation.id == served.id else None


def take_over(database: Database, model: Model) -> bool:
    """Whether `model` serves now: it does once no live memory lacks its vector."""
    with database.read() as connection:
        served = generations.serving(connection)
        if served is not None and served.number == model.generation:
            return True
        if not generations.is_complete(connection, generation=model.generation):
            return False
    with database.write() as connection:  # somebody may have written since
        if not generations.is_complete(connection, generation=model.generation):
            return False
        generations.serve(connection, model.embedder.generation, number=model.generation)
        return True
