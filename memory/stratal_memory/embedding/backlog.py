"""What lacks a vector gets one: written without a model, or by the model before this one."""

from collections.abc import Callable

import numpy as np

from stratal_memory.embedding.embedder import Embedder
from stratal_memory.embedding.turnover import Model, take_over
from stratal_memory.records import Memory
from stratal_memory.store import Store
from stratal_memory.truth import generations, memories, vectors
from stratal_memory.truth.database import Database

# Memories a transaction. Embedders sort by length what they are given at once: the larger the page,
# the less is padded.
PAGE = 1_024
OPENING = 32  # memories embedded whenever an agent opens: a tenth of a second for short ones
SWEPT = 10_000  # vectors of a former model removed in one transaction


def embed_backlog(
    store: Store,
    *,
    most: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> int:
    """How many memories of everybody got a vector of the model the settings name; 0 without one.

    A new model serves as soon as nothing is missing: `store.current()` is by it then.
    """
    model = store.filling
    if model is None:
        return 0
    return embed_missing(
        store.database,
        model.embedder,
        generation=model.generation,
        most=most,
        on_progress=on_progress,
    )


def embed_missing(
    database: Database,
    embedder: Embedder,
    *,
    generation: int,
    most: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> int:
    """How many live memories were given a vector of `generation`; page by page, resumable.

    At most `most`; the rest is found by words, or by the model before, meanwhile. A look for
    `most` begins where the last one found nothing missing. The generation serves from the moment
    nothing is missing.
    """
    model = Model(embedder=embedder, generation=generation)
    with database.read() as connection:
        looked = generations.looked_through(connection, generation=generation)
    done, after = 0, 0 if most is None else looked
    while most is None or done < most:
        limit = PAGE if most is None else min(PAGE, most - done)
        with database.read() as connection:
            found = generations.without_vector(
                connection, generation=generation, after=after, limit=limit
            )
            last = generations.newest(connection)
        if not found:
            _note_looked(database, model, looked=looked, last=last)
            break
        done += _embed_page(database, model, found)
        after = max(found)
        if on_progress:
            on_progress(done)
    take_over(database, model)
    return done


def _note_looked(database: Database, model: Model, *, looked: int, last: int) -> None:
    """So that opening an agent on a million memories does not look through them all."""
    if last >= looked + PAGE:
        with database.write() as connection:
            generations.note_looked(connection, generation=model.generation, up_to=last)


def _embed_page(database: Database, model: Model, found: dict[int, Memory]) -> int:
    rows = model.embedder.embed([memories.embeddable(memory) for memory in found.values()])
    seqs, generation = list(found), model.generation
    with database.write() as connection:
        # Another process may have been here since the read: its vectors stay.
        wanted = generations.still_without(connection, seqs, generation=generation)
        kept = [place for place, seq in enumerate(seqs) if seq in wanted]
        fresh = np.asarray(rows)[kept]
        vectors.store(connection, [seqs[place] for place in kept], fresh, generation=generation)
    return len(kept)


def sweep(store: Store) -> int:
    """How many vectors of models that serve no more were removed; none while a new one is coming.

    A process that still works by a former model finds by words alone from then on.
    """
    removed = 0
    while store.coming is None and not store.lost:
        with store.database.write() as connection:
            served = generations.serving(connection)
            if served is None or served.number != store.generation:
                break
            page = generations.sweep(connection, keep=served.number, limit=SWEPT)
        removed += page
        if page < SWEPT:
            break
    return removed
