"""Rows of documents: one stays live under one id, its earlier versions are kept beside it.

A version that is replaced is copied to a row of its own (`version_of` names the live one) and its
passages' places go with it, so that undo only has to turn that round.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from pydantic import TypeAdapter
from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    and_,
    bindparam,
    false,
    insert,
    or_,
    select,
    update,
)

from stratal_memory.records import (
    Document,
    Form,
    Memory,
    Scope,
    ScopeKind,
    Status,
    Trust,
    Unread,
    new_id,
)
from stratal_memory.truth import memories
from stratal_memory.truth.schema import chunks, documents
from stratal_memory.truth.schema import memories as memory_table

ADDED, CHANGED, RETIRED = "document.added", "document.changed", "document.retired"
BEFORE = "version"  # the detail of an event that names the row of the version before
_UNREAD = TypeAdapter(tuple[Unread, ...])
LIVE = and_(documents.c.retired.is_(None), documents.c.version_of == "")
# Built once: see `messages`.
_INSERT = insert(documents).values({column.name: bindparam(column.name) for column in documents.c})
_PLACE = insert(chunks).values({column.name: bindparam(column.name) for column in chunks.c})
_IN_SCOPE = and_(
    documents.c.scope_kind == bindparam("scope_kind"),
    documents.c.scope_id == bindparam("scope_id"),
)
_LAST_OF_PATH = (
    select(documents)
    .where(_IN_SCOPE, documents.c.path == bindparam("path"), documents.c.version_of == "")
    .order_by(documents.c.retired.desc().nulls_first())
    .limit(1)
)
_INSIDE = (
    select(documents)
    .where(LIVE, _IN_SCOPE, documents.c.parent == bindparam("parent"))
    .order_by(documents.c.path, documents.c.id)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a passage stands in a document, in characters of its text."""

    ordinal: int
    memory: str  # id of the passage
    start: int
    end: int
    page: int  # 1-based; 0 where the format has none
    heading: tuple[str, ...]


def of_scopes(scopes: Sequence[Scope]) -> ColumnElement[bool]:
    """Documents of these scopes; of nobody when there are none."""
    return or_(
        false(),  # no scope is nobody's view, not everybody's
        *(
            and_(documents.c.scope_kind == scope.kind, documents.c.scope_id == scope.id)
            for scope in scopes
        ),
    )


def find(connection: Connection, *where: ColumnElement[bool]) -> list[Document]:
    """The live documents that `where` allows, by path."""
    query = select(documents).where(LIVE, *where).order_by(documents.c.path, documents.c.id)
    return [_document(row) for row in connection.execute(query).mappings()]


def are_there(connection: Connection, scopes: Sequence[Scope]) -> bool:
    """Whether there is a live document in these scopes."""
    live = and_(of_scopes(scopes), documents.c.retired.is_(None), documents.c.version_of == "")
    return connection.execute(select(documents.c.id).where(live).limit(1)).first() is not None


def last_of_path(connection: Connection, scope: Scope, path: str) -> Document | None:
    """The document of a path: the live one, else the one that was retired last."""
    here = {"scope_kind": scope.kind, "scope_id": scope.id, "path": path}
    row = connection.execute(_LAST_OF_PATH, here).mappings().first()
    return None if row is None else _document(row)


def inside(connection: Connection, document: Document) -> list[Document]:
    """The live documents of its scope that lie directly in this one, by path."""
    scope = document.scope
    here = {"scope_kind": scope.kind, "scope_id": scope.id, "parent": document.id}
    return [_document(row) for row in connection.execute(_INSIDE, here).mappings()]


def marks(connection: Connection, scope: Scope) -> Iterator[str]:
    """The paths and content hashes of all documents of a scope and the hashes of its passages."""
    here = of_scopes((scope,))
    for path, content_hash in connection.execute(
        select(documents.c.path, documents.c.content_hash).where(here)
    ):
        yield path
        yield content_hash
    m = memory_table.c
    passages = and_(m.scope_kind == scope.kind, m.scope_id == scope.id, m.form == Form.CHUNK)
    yield from connection.execute(select(m.text_hash).where(passages)).scalars()


def insert_document(connection: Connection, document: Document, *, by: str) -> None:
    """A new live document."""
    connection.execute(_INSERT, {**_values(document), "added_by": by, "version_of": ""})


def replace_document(connection: Connection, document: Document, *, by: str, at: datetime) -> str:
    """Make `document` what its id stands for; the id of the row that keeps the version before.

    The places of its passages go to that row: the new version has none yet.
    """
    kept = new_id("doc")
    here = documents.c.id == document.id
    row = dict(connection.execute(select(documents).where(here)).mappings().one())
    row.update(id=kept, version_of=document.id, retired=row["retired"] or at)
    connection.execute(insert(documents).values(row))
    hand_over(connection, of=document.id, to=kept)
    connection.execute(update(documents).where(here).values({**_values(document), "added_by": by}))
    return kept


def hand_over(connection: Connection, *, of: str, to: str) -> None:
    """The places of one row's passages become another's."""
    connection.execute(update(chunks).where(chunks.c.document == of).values(document=to))


def retire(connection: Connection, id: str, *, at: datetime) -> None:
    """End a document; its rows stay."""
    connection.execute(update(documents).where(documents.c.id == id).values(retired=at))


def place(connection: Connection, document: str, places: Sequence[Place]) -> None:
    """Passages for a document that has none yet."""
    rows = [
        {**asdict(one), "document": document, "heading": json.dumps(one.heading)} for one in places
    ]
    if rows:
        connection.execute(_PLACE, rows)


def places(connection: Connection, document: str) -> list[Place]:
    """The passages of a document or of an earlier version, in its order."""
    query = select(chunks).where(chunks.c.document == document).order_by(chunks.c.ordinal)
    return [
        Place(
            ordinal=row.ordinal,
            memory=row.memory,
            start=row.start,
            end=row.end,
            page=row.page,
            heading=tuple(json.loads(row.heading)),
        )
        for row in connection.execute(query)
    ]


def left_alone(connection: Connection, version: str) -> list[Memory]:
    """The active passages of a document or version that stand in no live document."""
    other = (
        select(chunks.c.memory)
        .join(documents, documents.c.id == chunks.c.document)
        .where(LIVE, chunks.c.memory == memory_table.c.id)
    )
    of_version = select(chunks.c.memory).where(chunks.c.document == version)
    where = and_(
        memory_table.c.id.in_(of_version),
        memory_table.c.status == Status.ACTIVE,
        ~other.exists(),
    )
    return memories.select_memories(connection, where)


def stands(connection: Connection, memory: str) -> bool:
    """Whether a passage stands in any document, live or not."""
    query = select(chunks.c.memory).where(chunks.c.memory == memory).limit(1)
    return connection.execute(query).first() is not None


def stands_live(connection: Connection, memory: str) -> bool:
    """Whether a passage stands in a live document."""
    query = (
        select(chunks.c.memory)
        .join(documents, documents.c.id == chunks.c.document)
        .where(LIVE, chunks.c.memory == memory)
    )
    return connection.execute(query.limit(1)).first() is not None


def active_of_key(connection: Connection, key: str) -> list[str]:
    """The ids of the active versions of a passage."""
    m = memory_table.c
    query = select(m.id).where(m.key == key, m.status == Status.ACTIVE)
    return list(connection.execute(query).scalars())


def _values(document: Document) -> dict[str, object]:
    return {
        "id": document.id,
        "scope_kind": document.scope.kind,
        "scope_id": document.scope.id,
        "path": document.path,
        "title": document.title,
        "format": document.format,
        "content_hash": document.content_hash,
        "characters": document.characters,
        "pages": document.pages,
        "chunks": document.chunks,
        "trust": document.trust,
        "added": document.added,
        "retired": document.retired,
        "root": document.root,
        "parent": document.parent,
        "refused": _UNREAD.dump_json(document.refused).decode(),
    }


def _document(fields: RowMapping) -> Document:
    return Document(
        id=fields["id"],
        scope=Scope(ScopeKind(fields["scope_kind"]), fields["scope_id"]),
        path=fields["path"],
        title=fields["title"],
        format=fields["format"],
        content_hash=fields["content_hash"],
        characters=fields["characters"],
        pages=fields["pages"],
        chunks=fields["chunks"],
        trust=Trust(fields["trust"]),
        added=fields["added"],
        retired=fields["retired"],
        root=fields["root"],
        parent=fields["parent"],
        refused=_UNREAD.validate_json(fields["refused"]),
    )
