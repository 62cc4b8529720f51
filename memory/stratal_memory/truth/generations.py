"""Which generation of vectors serves, and what another one still lacks.

Questions are compared inside the generation that serves and with no other. When the embedding
model changes, the next generation is filled beside it and takes over when nothing is missing.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Select, and_, delete, func, insert, select, update

from stratal_memory.embedding.embedder import Generation
from stratal_memory.records import Form, Memory
from stratal_memory.truth import outbox
from stratal_memory.truth import vectors as vector_rows
from stratal_memory.truth.memories import by_seq
from stratal_memory.truth.schema import memories, state, vectors
from stratal_memory.truth.vectors import LIVE

_SERVING, _LOOKED = "embedding.serving", "embedding.looked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """The generation that serves."""

    number: int
    id: str  # as `Generation.id`
    setting: str  # what finds its model again; empty when nothing does


def serving(connection: Connection) -> Serving | None:
    """The generation that serves; None before there was a model."""
    value = connection.execute(select(state.c.value).where(state.c.name == _SERVING)).scalar()
    return None if value is None else Serving(**json.loads(value))


def serve(connection: Connection, generation: Generation, *, number: int) -> None:
    """Let a generation serve from the end of this transaction on."""
    noted = {"number": number, "id": generation.id, "setting": generation.setting}
    _note(connection, _SERVING, json.dumps(noted))


def looked_through(connection: Connection, *, generation: int) -> int:
    """The row up to which nothing lacked a vector of `generation` when it was last looked at."""
    name = f"{_LOOKED}.{generation}"
    found = connection.execute(select(state.c.value).where(state.c.name == name)).scalar()
    return int(found or 0)


def note_looked(connection: Connection, *, generation: int, up_to: int) -> None:
    """Note that nothing up to a row lacks a vector of `generation`."""
    _note(connection, f"{_LOOKED}.{generation}", str(up_to))


def _note(connection: Connection, name: str, value: str) -> None:
    changed = connection.execute(update(state).where(state.c.name == name).values(value=value))
    if changed.rowcount == 0:
        connection.execute(insert(state).values(name=name, value=value))


def newest(connection: Connection) -> int:
    """The last row of memory; 0 when there is none."""
    return int(connection.execute(select(func.max(memories.c.seq))).scalar() or 0)


def without_vector(
    connection: Connection, *, generation: int, after: int = 0, limit: int
) -> dict[int, Memory]:
    """The oldest live memories of everybody that lack a vector of `generation`, by row number.

    Only rows behind `after` are looked at, so that page after page costs the same.
    """
    missing = _missing(generation, memories.c.seq > after)
    seqs = connection.execute(missing.order_by(memories.c.seq).limit(limit)).scalars().all()
    return by_seq(connection, seqs, memories.c.status.in_(LIVE))


def still_without(connection: Connection, seqs: Sequence[int], *, generation: int) -> set[int]:
    """Those of `seqs` that are live and lack a vector of `generation`."""
    return set(connection.execute(_missing(generation, memories.c.seq.in_(seqs))).scalars())


def is_complete(connection: Connection, *, generation: int) -> bool:
    """Whether every live memory of everybody has a vector of `generation`."""
    return connection.execute(_missing(generation).limit(1)).first() is None


def progress(connection: Connection, *, generation: int) -> tuple[int, int]:
    """How many live memories of everybody have a vector of `generation`, and how many there are."""
    live = select(func.count()).select_from(memories).where(_embedded())
    done = vector_rows.count(connection, generation=generation)
    return done, int(connection.execute(live).scalar_one())


def _embedded() -> ColumnElement[bool]:
    """What has vectors: all that lives but lines of the profile, which are never searched."""
    return and_(memories.c.status.in_(LIVE), memories.c.form != Form.SLOT)


def _missing(generation: int, *where: ColumnElement[bool]) -> Select[int]:
    return (
        select(memories.c.seq)
        .join(
            vectors,
            and_(vectors.c.memory == memories.c.seq, vectors.c.generation == generation),
            isouter=True,
        )
        .where(vectors.c.memory.is_(None), _embedded(), *where)
    )


def sweep(connection: Connection, *, keep: int, limit: int) -> int:
    """How many vectors of other generations than `keep` were removed, at most `limit`.

    What waits for their indexes is forgotten with them.
    """
    others = connection.execute(
        select(vectors.c.memory, vectors.c.generation)
        .where(vectors.c.generation != keep)
        .limit(limit)
    ).all()
    by_generation: dict[int, list[int]] = {}
    for memory, generation in others:
        by_generation.setdefault(generation, []).append(memory)
    for generation, seqs in by_generation.items():
        here = and_(vectors.c.generation == generation, vectors.c.memory.in_(seqs))
        connection.execute(delete(vectors).where(here))
        outbox.forget(connection, generation=generation)
        note_looked(connection, generation=generation, up_to=0)
    return len(others)
