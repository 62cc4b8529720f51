"""Rows of memories are written: versions are added and closed, never overwritten.

Each in the caller's transaction, with its evidence, its full text and what the index is told.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from stratal_memory.records import Evidence, Memory, Status
from stratal_memory.text import text_hash
from stratal_memory.truth import outbox, sqlite
from stratal_memory.truth.memories import PAGE, searchable, select_memories, seq_of, worded
from stratal_memory.truth.mutable import Mutable
from stratal_memory.truth.schema import chunks, evidence, memories, vectors
from stratal_memory.truth.vectors import LIVE

# Built once: see `messages`.
_INSERT = insert(memories).values(
    {column.name: bindparam(column.name) for column in memories.c if column.name != "seq"}
)
_EVIDENCE = insert(evidence).values({column.name: bindparam(column.name) for column in evidence.c})


def add(connection: Connection, memory: Memory) -> int:
    """The row number of a new version: row, evidence and full text in the caller's transaction."""
    made = connection.execute(_INSERT, _row(memory))
    seq = int(made.lastrowid)
    _add_evidence(connection, memory.id, memory.evidence, first=0)
    if worded(memory.form, memory.status):
        sqlite.index_text(connection, seq=seq, scope=memory.scope, body=searchable(memory))
    return seq


def add_all(connection: Connection, new: Sequence[Memory]) -> list[int]:
    """The row numbers of new versions, in their order; as `add`, with few statements for many."""
    if not new:
        return []
    connection.execute(_INSERT, [_row(memory) for memory in new])
    seqs = _seqs(connection, [memory.id for memory in new])
    _insert_evidence(connection, new)
    bodies = [
        (seq, memory.scope, searchable(memory))
        for seq, memory in zip(seqs, new, strict=True)
        if worded(memory.form, memory.status)
    ]
    sqlite.index_texts(connection, bodies)
    return seqs


def _seqs(connection: Connection, ids: Sequence[str]) -> list[int]:
    found: dict[str, int] = {}
    columns = select(memories.c.id, memories.c.seq)
    for start in range(0, len(ids), PAGE):
        here = memories.c.id.in_(ids[start : start + PAGE])
        found.update((row.id, row.seq) for row in connection.execute(columns.where(here)))
    return [found[id] for id in ids]


def _row(memory: Memory) -> dict[str, object]:
    return {
        "id": memory.id,
        "key": memory.key,
        "version": memory.version,
        "text": memory.text,
        "text_hash": text_hash(memory.text),
        "kind": memory.kind,
        "form": memory.form,
        "scope_kind": memory.scope.kind,
        "scope_id": memory.scope.id,
        "agent": memory.agent,
        "session": memory.session,
        "trust": memory.trust,
        "status": memory.status,
        "confidence": memory.confidence,
        "support": memory.support,
        "pinned": memory.pinned,
        "source": memory.source,
        "facet": memory.facet,
        "value": memory.value,
        "supersedes": memory.supersedes,
        "recorded_at": memory.recorded_at,
        "retired_at": memory.retired_at,
        "valid_from": memory.valid_from,
        "valid_to": memory.valid_to,
    }


def _add_evidence(
    connection: Connection, memory: str, items: Iterable[Evidence], *, first: int
) -> None:
    rows = [_proof(memory, item, position) for position, item in enumerate(items, first)]
    if rows:
        connection.execute(_EVIDENCE, rows)


def _insert_evidence(connection: Connection, new: Sequence[Memory]) -> None:
    rows = [
        _proof(memory.id, item, position)
        for memory in new
        for position, item in enumerate(memory.evidence)
    ]
    if rows:
        connection.execute(_EVIDENCE, rows)


def _proof(memory: str, item: Evidence, position: int) -> dict[str, object]:
    return {
        "memory": memory,
        "position": position,
        "ref": item.ref,
        "start": item.start,
        "end": item.end,
        "quote": item.quote,
        "at": item.at,
        "trust": item.trust or "",
        "source": item.source,
    }


def close(
    connection: Connection,
    memory: Memory,
    *,
    status: Status,
    at: datetime,
    valid_to: datetime | None = None,
) -> None:
    """End a version: it keeps its row and loses its place in the index.

    A fact is still found by its words, for questions of the past: it may have been true once.
    """
    connection.execute(
        update(memories)
        .where(memories.c.id == memory.id)
        .values(status=status, retired_at=at, valid_to=valid_to or memory.valid_to)
    )
    seq = seq_of(connection, memory.id)
    if not worded(memory.form, status):
        sqlite.remove_text(connection, [seq])
    _announce_all(connection, seq, outbox.DELETE)


def restore(connection: Connection, id: str, mutable: Mutable) -> None:
    """Put the fields of a version that can change back to what they were."""
    connection.execute(
        delete(evidence).where(evidence.c.memory == id, evidence.c.position >= mutable.evidence)
    )
    amend(connection, id, mutable)


def amend(
    connection: Connection, id: str, mutable: Mutable, *, seen: Sequence[Evidence] = ()
) -> None:
    """Give the fields of a version that can change these values; `seen` joins its evidence.

    Its place in full text and index follows its status.
    """
    connection.execute(
        update(memories)
        .where(memories.c.id == id)
        .values(
            status=mutable.status,
            retired_at=mutable.retired_at,
            valid_to=mutable.valid_to,
            confidence=mutable.confidence,
            support=mutable.support,
            pinned=mutable.pinned,
        )
    )
    _add_evidence(connection, id, seen, first=mutable.evidence)
    seq = seq_of(connection, id)
    memory = select_memories(connection, memories.c.id == id)[0]
    sqlite.remove_text(connection, [seq])
    if worded(memory.form, memory.status):
        sqlite.index_text(connection, seq=seq, scope=memory.scope, body=searchable(memory))
    live = memory.status in LIVE
    _announce_all(connection, seq, outbox.UPSERT if live else outbox.DELETE)


def remove(connection: Connection, id: str) -> None:
    """Take a version out as if it had never been: only undo does this, with its event kept."""
    seq = seq_of(connection, id)
    _announce_all(connection, seq, outbox.DELETE)
    sqlite.remove_text(connection, [seq])
    connection.execute(delete(vectors).where(vectors.c.memory == seq))
    connection.execute(delete(chunks).where(chunks.c.memory == id))
    connection.execute(delete(evidence).where(evidence.c.memory == id))
    connection.execute(delete(memories).where(memories.c.id == id))


def reinforce(
    connection: Connection, memory: Memory, *, confidence: float, seen: Sequence[Evidence]
) -> None:
    """More independent statements for a memory: its count, confidence and evidence grow.

    What was provisional is active from the second independent statement on.
    """
    status = Status.ACTIVE if memory.status is Status.PROVISIONAL else memory.status
    connection.execute(
        update(memories)
        .where(memories.c.id == memory.id)
        .values(confidence=confidence, support=memory.support + len(seen), status=status)
    )
    _add_evidence(connection, memory.id, seen, first=len(memory.evidence))


def _announce_all(connection: Connection, seq: int, operation: str) -> None:
    found = connection.execute(
        select(vectors.c.generation).where(vectors.c.memory == seq)
    ).scalars()
    for generation in list(found):
        outbox.announce(connection, [seq], generation=generation, operation=operation)
