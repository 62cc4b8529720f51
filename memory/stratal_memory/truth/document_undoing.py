"""Changes of documents taken back."""

from collections.abc import Sequence

from sqlalchemy import Connection, and_, delete, func, or_, select, update

from stratal_memory.errors import UndoRefused
from stratal_memory.records import Document, Event, Memory, Status
from stratal_memory.truth import documents, events, memories, writing
from stratal_memory.truth.journal import CLOSED, Journal
from stratal_memory.truth.mutable import Mutable
from stratal_memory.truth.schema import chunks
from stratal_memory.truth.schema import documents as table
from stratal_memory.truth.schema import events as log
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
        if found and _lost(connection, found[0]):
            raise UndoRefused(
                f"passages of {found[0].path} were retired with another document since, or erased",
                keys=(id,),
                hint="Undo what retired them first, or ingest the file again.",
            )


def _taken(connection: Connection, document: Document) -> bool:
    here = and_(
        documents.of_scopes((document.scope,)), table.c.path == document.path, documents.LIVE
    )
    query = select(func.count()).select_from(table).where(here)
    return connection.execute(query).scalar_one() > 1


def _lost(connection: Connection, document: Document) -> bool:
    """Whether a passage of it was closed, or is not there any more: erased with another."""
    whole = (
        select(func.count())
        .select_from(chunks)
        .join(memory_table, memory_table.c.id == chunks.c.memory)
        .where(chunks.c.document == document.id, memory_table.c.status != Status.SUPERSEDED)
    )
    return connection.execute(whole).scalar_one() < document.chunks


def held(connection: Connection, ids: Sequence[str]) -> list[str]:
    """The ids of the passages that these documents hold, or held in an earlier version."""
    found: dict[str, None] = {}
    for start in range(0, len(ids), events.PAGE):
        page = ids[start : start + events.PAGE]
        query = (
            select(chunks.c.memory)
            .join(table, table.c.id == chunks.c.document)
            .where(or_(table.c.id.in_(page), table.c.version_of.in_(page)))
        )
        found.update(dict.fromkeys(connection.execute(query).scalars()))
    return list(found)


def end_alone(journal: Journal, passages: Sequence[str]) -> None:
    """End those of `passages` that stand in no live document now.

    One that stands in a document that was retired or edited later, while another still held it,
    ends as part of that change, and comes back when it is taken back. One that stands nowhere
    goes, as what was added and taken back goes.
    """
    for start in range(0, len(passages), events.PAGE):
        page = memory_table.c.id.in_(passages[start : start + events.PAGE])
        active = and_(page, memory_table.c.status == Status.ACTIVE)
        for memory in memories.select_memories(journal.connection, active):
            if documents.stands_live(journal.connection, memory.id):
                continue
            if documents.stands(journal.connection, memory.id):
                _end(journal, memory)
            else:
                told = and_(log.c.memory == memory.id, log.c.undone.is_(None))
                journal.connection.execute(update(log).where(told).values(undone=journal.at))
                writing.remove(journal.connection, memory.id)


def _end(journal: Journal, memory: Memory) -> None:
    connection = journal.connection
    ending = _ending(connection, memory.id, user=journal.user)
    writing.close(connection, memory, status=Status.SUPERSEDED, at=journal.at, valid_to=journal.at)
    detail = (("before", Mutable.of(memory).to_json()), (events.BELATED, "1"))
    events.record(
        connection,
        at=journal.at,
        kind=CLOSED,
        user=journal.user,
        reason=ending.reason if ending else "no document holds it",
        memory=memory.id,
        key=memory.key,
        run=ending.run if ending else journal.run,
        detail=detail if ending else detail[:1],
    )


def _ending(connection: Connection, passage: str, *, user: str) -> Event | None:
    """The user's last change that took the passage out of a document and still stands."""
    holding = (
        select(table.c.id, table.c.version_of)
        .join(chunks, chunks.c.document == table.c.id)
        .where(chunks.c.memory == passage)
    )
    found: list[Event] = []
    for id, version_of in connection.execute(holding):
        for event in events.of_memory(connection, version_of or id):
            replaced = dict(event.detail).get(documents.BEFORE, "") == id
            ended = event.kind == documents.RETIRED and not version_of
            if event.user == user and event.undone is None and (replaced or ended):
                found.append(event)
    return max(found, key=lambda event: event.at, default=None)


def later_change(
    connection: Connection, keys: Sequence[str], done: Sequence[Event]
) -> UndoRefused | None:
    """The refusal to take `done` back where documents changed since; None for other memories."""
    ids = [key for key in keys if key.startswith("doc_")]
    if not ids:
        return None
    last = [
        event
        for event in events.of_memory(connection, ids[0])
        if event.undone is None and event.kind.startswith("document.")
    ][-1]
    return UndoRefused(
        f"{done[0].run} can't be undone: {len(ids)} of its documents changed since",
        keys=keys,
        hint=f"Undo the later run first: stratal memory undo {last.run}",
    )
