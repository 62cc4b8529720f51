"""Changes of documents taken back."""

from collections.abc import Sequence

from sqlalchemy import Connection, and_, delete, func, select, update

from stratal_memory.errors import UndoRefused
from stratal_memory.records import Document, Event, Status
from stratal_memory.truth import documents
from stratal_memory.truth.schema import chunks
from stratal_memory.truth.schema import documents as table
from stratal_memory.truth.schema import memories as memory_table


def put_back(connection: Connection, event: Event) -> None:
    """Take one change of a document back; `check` must follow once all are taken back."""
    before = dict(event.detail).get(documents.BEFORE, "")
    if event.kind == documents.RETIRED:
        connection.execute(update(table).where(table.c.id == event.key).values(retired=None))
        return
    connection.execute(delete(chunks).where(chunks.c.document == event.key))
    if not before:
        connection.execute(delete(table).where(table.c.id == event.key))
        return
    row = connection.execute(select(table).where(table.c.id == before)).mappings().first()
    if row is None:  # erased since
        return
    ended = row["retired"] if event.kind == documents.ADDED else None
    values = {**row, "id": event.key, "version_of": "", "retired": ended}
    documents.hand_over(connection, of=before, to=event.key)
    connection.execute(update(table).where(table.c.id == event.key).values(values))
    connection.execute(delete(table).where(table.c.id == before))


def check(connection: Connection, ids: Sequence[str]) -> None:
    """Raise `UndoRefused` where documents can't be live again: their place or passages are gone."""
    for id in ids:
        found = documents.find(connection, table.c.id == id)
        if found and _taken(connection, found[0]):
            raise UndoRefused(
                f"another document came from {found[0].path} since",
                keys=(id,),
                hint="Remove that one first: stratal documents remove ID",
            )
        if found and _lost(connection, id):
            raise UndoRefused(
                f"passages of {found[0].path} were retired with another document since",
                keys=(id,),
                hint="Undo that first, or ingest the file again.",
            )


def _taken(connection: Connection, document: Document) -> bool:
    here = and_(
        documents.of_scopes((document.scope,)), table.c.path == document.path, documents.LIVE
    )
    query = select(func.count()).select_from(table).where(here)
    return connection.execute(query).scalar_one() > 1


def _lost(connection: Connection, id: str) -> bool:
    closed = (
        select(chunks.c.ordinal)
        .join(memory_table, memory_table.c.id == chunks.c.memory)
        .where(chunks.c.document == id, memory_table.c.status == Status.SUPERSEDED)
    )
    return connection.execute(closed.limit(1)).first() is not None
