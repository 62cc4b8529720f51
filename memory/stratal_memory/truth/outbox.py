"""What the derived index has still to be told, in the order it happened."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, func, insert, select

from stratal_memory.truth.schema import outbox

UPSERT, DELETE = "upsert", "delete"
# Built once: see `messages`.
_ANNOUNCE = insert(outbox).values(
    {name: bindparam(name) for name in ("memory", "generation", "operation")}
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One change of a vector that the index must follow."""

    seq: int
    memory: int
    generation: int
    operation: str


def announce(
    connection: Connection, memories: Iterable[int], *, generation: int, operation: str
) -> None:
    """Entries for `memories`, in the transaction that changed them."""
    rows = [{"memory": seq, "generation": generation, "operation": operation} for seq in memories]
    if rows:
        connection.execute(_ANNOUNCE, rows)


def pending(connection: Connection, *, generation: int, limit: int) -> list[Entry]:
    """The oldest entries of a generation, oldest first."""
    found = connection.execute(
        select(outbox).where(outbox.c.generation == generation).order_by(outbox.c.seq).limit(limit)
    )
    return [Entry(row.seq, row.memory, row.generation, row.operation) for row in found]


def settle(connection: Connection, *, generation: int, up_to: int) -> None:
    """Forget what the index of a generation has taken in; other generations' entries stay."""
    connection.execute(
        delete(outbox).where(outbox.c.generation == generation, outbox.c.seq <= up_to)
    )


def backlog(connection: Connection, *, generation: int | None = None) -> int:
    """How many entries wait, of one generation or of all."""
    query = select(func.count()).select_from(outbox)
    if generation is not None:
        query = query.where(outbox.c.generation == generation)
    return int(connection.execute(query).scalar_one())


def forget(connection: Connection, *, generation: int) -> None:
    """Drop every entry of a generation: its index is being rebuilt from the truth."""
    connection.execute(delete(outbox).where(outbox.c.generation == generation))
