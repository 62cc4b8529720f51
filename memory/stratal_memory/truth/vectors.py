"""Vectors in the truth, by generation: two generations are never compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from sqlalchemy import ColumnElement, Connection, bindparam, func, insert, select

from stratal_memory.embedding.embedder import Generation, Vectors
from stratal_memory.records import Status
from stratal_memory.truth import outbox
from stratal_memory.truth.schema import generations, memories, vectors

# Built once: see `messages`.
_INSERT = insert(vectors).values({column.name: bindparam(column.name) for column in vectors.c})
LIVE = (Status.ACTIVE, Status.PROVISIONAL, Status.CONTESTED)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of the truth beside their vectors: `vectors[i]` belongs to `seqs[i]`."""

    seqs: tuple[int, ...]
    vectors: Vectors  # (n, dimension) float32


def generation_number(connection: Connection, generation: Generation, *, now: datetime) -> int:
    """The number of a generation, given on first use (needs a writable connection then)."""
    found = known_generation(connection, generation)
    if found is not None:
        return found
    made = connection.execute(
        insert(generations).values(id=generation.id, dimension=generation.dimension, created=now)
    )
    return int(made.lastrowid)


def known_generation(connection: Connection, generation: Generation) -> int | None:
    """The number of a generation that was used before, else None."""
    return connection.execute(
        select(generations.c.number).where(generations.c.id == generation.id)
    ).scalar()


def store(connection: Connection, seqs: Sequence[int], rows: Vectors, *, generation: int) -> None:
    """Vectors for memories, and word of them to the index, in the caller's transaction."""
    if not seqs:
        return
    packed = np.ascontiguousarray(rows, dtype="<f4")
    connection.execute(
        _INSERT,
        [
            {"memory": seq, "generation": generation, "vector": row.tobytes()}
            for seq, row in zip(seqs, packed, strict=True)
        ],
    )
    outbox.announce(connection, seqs, generation=generation, operation=outbox.UPSERT)


def matrix(connection: Connection, where: ColumnElement[bool], *, generation: int) -> Matrix:
    """The vectors of every memory that `where` allows, by seq."""
    found = connection.execute(
        select(memories.c.seq, vectors.c.vector)
        .join(vectors, vectors.c.memory == memories.c.seq)
        .where(where, vectors.c.generation == generation)
        .order_by(memories.c.seq)
    ).all()
    return _matrix(found)


def of_seqs(connection: Connection, seqs: Sequence[int], *, generation: int) -> Matrix:
    """The vectors of these memories, by seq; those without one are left out."""
    found = connection.execute(
        select(vectors.c.memory, vectors.c.vector)
        .where(vectors.c.memory.in_(seqs), vectors.c.generation == generation)
        .order_by(vectors.c.memory)
    ).all()
    return _matrix(found)


def spread(connection: Connection, *, generation: int, most: int) -> Matrix:
    """At most `most` vectors of everybody, evenly spread over the rows: for statistics only."""
    last = connection.execute(select(func.max(vectors.c.memory))).scalar() or 0
    step = max(1, int(last) // most)
    wanted = range(1 + int(last) % step, int(last) + 1, step)
    return of_seqs(connection, list(wanted)[:most], generation=generation)


def _matrix(rows: Sequence[tuple[int, bytes]]) -> Matrix:
    if not rows:
        return Matrix((), np.empty((0, 0), dtype=np.float32))
    joined = np.frombuffer(b"".join(blob for _, blob in rows), dtype="<f4")
    return Matrix(tuple(seq for seq, _ in rows), joined.reshape(len(rows), -1))


def count(connection: Connection, *, generation: int) -> int:
    """How many vectors of `generation` belong to live memories."""
    return int(
        connection.execute(
            select(func.count())
            .select_from(vectors)
            .join(memories, memories.c.seq == vectors.c.memory)
            .where(vectors.c.generation == generation, memories.c.status.in_(LIVE))
        ).scalar_one()
    )
