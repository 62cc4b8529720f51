"""Rows of memories: versions are added and closed, never overwritten.

What is embedded and searched is `searchable(memory)`, so that the place of a passage counts too.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from stratal_memory.facets import found_by
from stratal_memory.records import (
    Evidence,
    Form,
    Kind,
    Memory,
    Scope,
    ScopeKind,
    Status,
    Trust,
)
from stratal_memory.text import text_hash
from stratal_memory.truth import outbox, sqlite
from stratal_memory.truth.mutable import Mutable
from stratal_memory.truth.schema import chunks, evidence, memories, vectors
from stratal_memory.truth.vectors import LIVE

PAGE = 500  # ids of one IN (...) list
# Statuses of what was true once, or was thought to be.
ENDED = (Status.SUPERSEDED, Status.RETRACTED)
# How an episode that rules told begins, and where its questions do.
SAID = "The user said:"
QUESTIONS = " The user asked: "

# By value: asking the class takes longer than all else of a field.
_KIND = {one.value: one for one in Kind}
_FORM = {one.value: one for one in Form}
_TRUST = {one.value: one for one in Trust}
_STATUS = {one.value: one for one in Status}

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


def worded(form: Form, status: Status) -> bool:
    """Whether full text holds it: what is live, and what was true once, for questions of the past.

    A passage of an older version of a document is not what somebody asks for.
    """
    return status in LIVE or (status in ENDED and form is Form.FACT)


def embeddable(memory: Memory) -> str:
    """What the vector of a memory is made of.

    A passage has its document's title and headings before it; a fact what it is about, and the
    user's own words rather than ours.
    """
    if memory.form is Form.CHUNK:
        return f"{memory.source}\n{memory.text}"
    if memory.form is Form.EPISODE:
        return memory.text.partition(QUESTIONS)[0]  # what was asked finds only itself again
    if memory.form is Form.FACT:
        quote = memory.evidence[0].quote if memory.evidence else ""
        return found_by(memory.facet, memory.text, quote)
    return memory.text


def searchable(memory: Memory) -> str:
    """The words a memory is found by: those of its vector, and its text."""
    if memory.form is Form.FACT:
        return f"{embeddable(memory)}\n{memory.text}"
    return embeddable(memory)


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


def seq_of(connection: Connection, id: str) -> int:
    """The row number of a version."""
    return int(connection.execute(select(memories.c.seq).where(memories.c.id == id)).scalar_one())


def _announce_all(connection: Connection, seq: int, operation: str) -> None:
    found = connection.execute(
        select(vectors.c.generation).where(vectors.c.memory == seq)
    ).scalars()
    for generation in list(found):
        outbox.announce(connection, [seq], generation=generation, operation=operation)


def select_memories(
    connection: Connection,
    where: ColumnElement[bool],
    *,
    limit: int | None = None,
    newest_first: bool = False,
) -> list[Memory]:
    """The versions that `where` allows, in the order they were recorded (or newest first)."""
    order = memories.c.seq.desc() if newest_first else memories.c.seq
    found = connection.execute(select(memories).where(where).order_by(order).limit(limit))
    rows = found.mappings().all()
    return _with_evidence(connection, rows)


def by_seq(
    connection: Connection, seqs: Sequence[int], where: ColumnElement[bool]
) -> dict[int, Memory]:
    """Those of `seqs` that `where` allows, by row number: how every index answer is read back."""
    found: dict[int, Memory] = {}
    for start in range(0, len(seqs), PAGE):
        page = list(seqs[start : start + PAGE])
        answer = connection.execute(select(memories).where(memories.c.seq.in_(page), where))
        rows = answer.mappings().all()
        found.update(
            zip((row["seq"] for row in rows), _with_evidence(connection, rows), strict=True)
        )
    return found


def next_version(connection: Connection, key: str) -> int:
    """The number of the next version of a memory; 1 when there is none."""
    newest = connection.execute(select(func.max(memories.c.version)).where(memories.c.key == key))
    return (newest.scalar() or 0) + 1


def count(connection: Connection, where: ColumnElement[bool]) -> int:
    """How many versions `where` allows."""
    return int(
        connection.execute(select(func.count()).select_from(memories).where(where)).scalar_one()
    )


def _with_evidence(connection: Connection, rows: Sequence[RowMapping]) -> list[Memory]:
    ids = [row["id"] for row in rows]
    seen: dict[str, list[Evidence]] = {id: [] for id in ids}
    for first in range(0, len(ids), PAGE):
        found = connection.execute(
            select(evidence)
            .where(evidence.c.memory.in_(ids[first : first + PAGE]))
            .order_by(evidence.c.memory, evidence.c.position)
        )
        for memory, _, ref, start, end, quote, at, trust, source in found.all():
            seen[memory].append(
                Evidence(
                    ref=ref,
                    start=start,
                    end=end,
                    quote=quote,
                    at=at,
                    trust=_TRUST[trust] if trust else None,
                    source=source,
                )
            )
    return [_memory(row, tuple(seen[row["id"]])) for row in rows]


@lru_cache(maxsize=1_024)
def _scope(kind: str, id: str) -> Scope:
    return Scope(ScopeKind(kind), id)


def _memory(fields: RowMapping, seen: tuple[Evidence, ...]) -> Memory:
    return Memory(
        id=fields["id"],
        key=fields["key"],
        version=fields["version"],
        text=fields["text"],
        kind=_KIND[fields["kind"]],
        form=_FORM[fields["form"]],
        scope=_scope(fields["scope_kind"], fields["scope_id"]),
        agent=fields["agent"],
        session=fields["session"],
        trust=_TRUST[fields["trust"]],
        status=_STATUS[fields["status"]],
        confidence=fields["confidence"],
        support=fields["support"],
        pinned=fields["pinned"],
        source=fields["source"],
        facet=fields["facet"],
        value=fields["value"],
        supersedes=fields["supersedes"],
        recorded_at=fields["recorded_at"],
        retired_at=fields["retired_at"],
        valid_from=fields["valid_from"],
        valid_to=fields["valid_to"],
        evidence=seen,
    )
