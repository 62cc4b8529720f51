"""Documents and their passages: the shared knowledge of the semantic tier."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, RowMapping, and_, false, insert, or_, select, update

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.errors import NotFound
from stratal_memory.incoming import NewDocument
from stratal_memory.learning.redaction import redact
from stratal_memory.learning.trust import CONFIDENCE
from stratal_memory.records import (
    Document,
    Evidence,
    Form,
    Kind,
    Memory,
    Passage,
    Scope,
    ScopeKind,
    Status,
    Trust,
    new_id,
)
from stratal_memory.store import Store
from stratal_memory.text import storable
from stratal_memory.truth import memories, vectors
from stratal_memory.truth.access import visible
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import chunks, documents
from stratal_memory.truth.schema import memories as memory_table


@dataclass(frozen=True, slots=True)
class Documents:
    """The documents one principal can read, and those of one scope they can write."""

    store: Store
    scope_kind: ScopeKind = ScopeKind.USER

    @property
    def scope(self) -> Scope:
        """Where new documents go; `ScopeError` when the principal stands in no such scope."""
        return self.store.reach.principal.scope(self.scope_kind)

    def find(self, path: str) -> Document | None:
        """The live document of this scope that came from `path`."""
        with self.store.read() as connection:
            return self._find(connection, path)

    def _find(self, connection: Connection, path: str) -> Document | None:
        found = _documents(
            connection,
            scopes=(self.scope,),
            path=storable(path),
        )
        return found[0] if found else None

    def live(self) -> list[Document]:
        """The live documents within reach, by path."""
        with self.store.read() as connection:
            return _documents(connection, scopes=self.store.reach.scopes)

    def get(self, id: str) -> Document:
        """One live document within reach; `NotFound` otherwise."""
        for document in self.live():
            if document.id == id:
                return document
        raise _no_document(id)

    def passages(self, document: Document) -> list[Memory]:
        """The chunks of a document in its order."""
        with self.store.read() as connection:
            return self._passages(connection, document)

    def _passages(self, connection: Connection, document: Document) -> list[Memory]:
        of_document = select(chunks.c.memory).where(chunks.c.document == document.id)
        within = visible(self.store.reach, forms=(Form.CHUNK,))
        return memories.select_memories(
            connection, and_(within, memory_table.c.id.in_(of_document))
        )

    def put(self, document: NewDocument, passages: Sequence[Passage]) -> Document:
        """The stored document; replaces the live one of the same path, whole or not at all.

        Passages whose text and place are unchanged are the next version of what they were and
        keep its vector.
        """
        with self.store.read() as connection:
            previous = self._find(connection, document.path)
            kept = {
                _identity(memory): memory
                for memory in (self._passages(connection, previous) if previous else ())
            }
        made = self._new(document, count=len(passages))
        fresh = [_next(self._memory(made, passage), kept) for passage in passages]
        unknown = [memory for memory in fresh if _identity(memory) not in kept]
        rows = self.store.embed([memories.embeddable(memory) for memory in unknown])
        row_of = dict(zip((memory.id for memory in unknown), rows, strict=True))
        with self.store.write() as journal:
            current = self._find(journal.connection, document.path)  # others may have been faster
            if current:
                self._retire(journal, current, reason=f"{document.path} changed")
            _insert_document(journal.connection, made, by=self.store.user)
            for memory, passage in zip(fresh, passages, strict=True):
                old = kept.get(_identity(memory))
                row = _vector_of(journal, old) if old else row_of[memory.id]
                journal.add(memory, reason=f"read from {made.path}", vector=row)
                _insert_chunk(journal.connection, memory, made, passage)
        return made

    def retire(self, document: Document, *, reason: str) -> None:
        """Take a document out of recall; its rows stay.

        Raises `NotFound` when no live document within reach is that one.
        """
        with self.store.write() as journal:
            live = _documents(journal.connection, scopes=self.store.reach.scopes)
            if all(one.id != document.id for one in live):
                raise _no_document(document.id)
            self._retire(journal, document, reason=reason)

    def _retire(self, journal: Journal, document: Document, *, reason: str) -> None:
        for memory in self._passages(journal.connection, document):
            journal.close(memory, status=Status.SUPERSEDED, reason=reason, valid_to=journal.at)
        journal.connection.execute(
            update(documents).where(documents.c.id == document.id).values(retired=journal.at)
        )

    def _new(self, document: NewDocument, *, count: int) -> Document:
        return Document(
            id=new_id("doc"),
            scope=self.scope,
            path=storable(document.path),
            title=redact(storable(document.title)).text,
            format=document.format,
            content_hash=document.content_hash,
            characters=document.characters,
            pages=document.pages,
            chunks=count,
            trust=document.trust,
            added=self.store.clock(),
        )

    def _memory(self, document: Document, passage: Passage) -> Memory:
        now = self.store.clock()
        return Memory(
            id=new_id("mem"),
            key=new_id("key"),
            text=redact(storable(passage.text)).text,
            kind=Kind.SEMANTIC,
            form=Form.CHUNK,
            scope=document.scope,
            trust=document.trust,
            status=Status.ACTIVE,
            confidence=CONFIDENCE[document.trust],
            source=_place(document, passage),
            recorded_at=now,
            valid_from=now,
            evidence=(Evidence(ref=document.id, start=passage.start, end=passage.end),),
        )


def _no_document(id: str) -> NotFound:
    return NotFound(
        f"no document {id!r} here", hint="`stratal documents list` shows what there is."
    )


def _place(document: Document, passage: Passage) -> str:
    """Title, headings and page: "Handbook › Leave › Sick leave, p. 3"."""
    headings = [redact(storable(part)).text for part in passage.heading if part != document.title]
    place = " › ".join([document.title, *headings])
    return f"{place}, p. {passage.page}" if passage.page else place


def _identity(memory: Memory) -> tuple[str, str]:
    return memory.source, memory.text


def _next(memory: Memory, kept: dict[tuple[str, str], Memory]) -> Memory:
    """`memory` as the next version of the unchanged passage it was, if it was one."""
    old = kept.get(_identity(memory))
    if old is None:
        return memory
    return replace(memory, key=old.key, version=old.version + 1, supersedes=old.id)


def _vector_of(journal: Journal, memory: Memory) -> Vectors | None:
    """The vector a passage already has, so that an unchanged one costs no embedding."""
    seq = journal.connection.execute(
        select(memory_table.c.seq).where(memory_table.c.id == memory.id)
    ).scalar_one()
    found = vectors.of_seqs(journal.connection, [seq], generation=journal.generation)
    return found.vectors[0] if found.seqs else None


def _insert_document(connection: Connection, document: Document, *, by: str) -> None:
    connection.execute(
        insert(documents).values(
            id=document.id,
            scope_kind=document.scope.kind,
            scope_id=document.scope.id,
            added_by=by,
            path=document.path,
            title=document.title,
            format=document.format,
            content_hash=document.content_hash,
            characters=document.characters,
            pages=document.pages,
            chunks=document.chunks,
            trust=document.trust,
            added=document.added,
        )
    )


def _insert_chunk(
    connection: Connection, memory: Memory, document: Document, passage: Passage
) -> None:
    connection.execute(
        insert(chunks).values(
            memory=memory.id,
            document=document.id,
            ordinal=passage.ordinal,
            start=passage.start,
            end=passage.end,
            page=passage.page,
            heading=json.dumps([redact(storable(part)).text for part in passage.heading]),
        )
    )


def _documents(
    connection: Connection, *, scopes: Sequence[Scope], path: str | None = None
) -> list[Document]:
    here = or_(
        false(),  # no scope is nobody's view, not everybody's
        *(
            and_(documents.c.scope_kind == scope.kind, documents.c.scope_id == scope.id)
            for scope in scopes
        ),
    )
    query = select(documents).where(here, documents.c.retired.is_(None))
    if path is not None:
        query = query.where(documents.c.path == path)
    found = connection.execute(query.order_by(documents.c.path, documents.c.id))
    return [_document(row) for row in found.mappings()]


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
    )
