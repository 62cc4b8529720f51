"""Memories that were written without a model get their vectors once there is one."""

from collections.abc import Callable

import numpy as np

from stratal_memory.embedding.embedder import Embedder
from stratal_memory.truth import memories, vectors
from stratal_memory.truth.database import Database

PAGE = 256  # memories a transaction


def embed_missing(
    database: Database,
    embedder: Embedder,
    *,
    generation: int,
    most: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> int:
    """How many live memories were given a vector of `generation`; page by page, resumable.

    It stops after the page in which `most` were done; the rest is found by words meanwhile.
    """
    done = 0
    while most is None or done < most:
        with database.read() as connection:
            found = memories.unembedded(connection, generation=generation, limit=PAGE)
        if not found:
            return done
        rows = embedder.embed([memories.embeddable(memory) for memory in found.values()])
        with database.write() as connection:
            # Another process may have been here since the read: its vectors stay.
            wanted = memories.unembedded(connection, generation=generation, limit=PAGE)
            kept = [i for i, seq in enumerate(found) if seq in wanted]
            seqs = list(found)
            vectors.store(
                connection,
                [seqs[i] for i in kept],
                np.asarray(rows)[kept],
                generation=generation,
            )
        done += len(kept)
        if on_progress:
            on_progress(done)
    return done
