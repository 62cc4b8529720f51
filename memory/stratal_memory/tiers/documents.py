"""Documents and their passages: the shared knowledge of the semantic tier.

A passage is what is embedded: its place as words and its text. It is stored once a scope, however
many documents it stands in, and keeps its id while any of them holds it.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from sqlalchemy import ColumnElement, Connection, and_, or_, select

from stratal_memory.embedding.counting import counter_of
from stratal_memory.embedding.embedder import Vectors
from stratal_memory.errors import NotFound
from stratal_memory.incoming import NewDocument
from stratal_memory.records import (
    Document,
    Evidence,
    Form,
    Memory,
    Passage,
    Scope,
    ScopeKind,
    new_id,
)
from stratal_memory.store import Store
from stratal_memory.text import storable
from stratal_memory.tiers import drafts, storing
from stratal_memory.tiers.drafts import Draft
from stratal_memory.tiers.seen import Seen
from stratal_memory.tiers.storing import Found, OnStep, Target
from stratal_memory.truth import documents as rows
from stratal_memory.truth import memories, runs
from stratal_memory.truth.access import visible
from stratal_memory.truth.documents import Place
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import chunks, documents
from stratal_memory.truth.schema import memories as memory_table

KIND = "ingest"  # of the runs that documents come in by


def _silent(step: str) -> None:
    """What nobody listens to."""


@dataclass(frozen=True, slots=True)
class Documents:
    """The documents one principal can read, and those of one scope they can write.

    What is changed belongs to `run`, so that it can be taken back together. `on_step` is told
    "storing", "placing" and "stored" around each change, the first two inside its transaction.
    """

    store: Store
    scope_kind: ScopeKind = ScopeKind.USER
    run: str = ""
    on_step: OnStep = field(default=_silent)
    _seen: Seen = field(default_factory=Seen, repr=False, compare=False)
    _journal: Journal | None = field(default=None, repr=False, compare=False)

    @property
    def scope(self) -> Scope:
        """Where new documents go; `ScopeError` when the principal stands in no such scope."""
        return self.store.reach.principal.scope(self.scope_kind)

    def in_run(self) -> "Documents":
        """The same documents, for one run of ingestion that undo can take back."""
        return replace(self, run=new_id("run"), _seen=Seen())

    def in_act(self) -> "Documents":
        """The same documents, for what one person does at once."""
        return replace(self, run=new_id("act"), _seen=Seen())

    @contextmanager
    def together(self) -> Generator["Documents"]:
        """The same documents, whose changes inside the block happen all or not at all."""
        stored: list[str] = []

        def tell(step: str) -> None:
            if step == "stored":
                stored.append(step)
            else:
                self.on_step(step)

        with self._change() as journal:
            yield replace(self, on_step=tell, _journal=journal)
        for step in stored:
            self.on_step(step)

    def close_run(self, report: str) -> bool:
        """Keep what the run reported, as JSON; False when it changed nothing and left no run."""
        with self.store.read() as connection:
            if not runs.find(connection, user=self.store.user, id=self.run):
                return False
        with self.store.write() as journal:
            runs.finish(journal.connection, self.run, report=report, at=journal.at)
        return True

    def find(self, path: str) -> Document | None:
        """The live document of this scope that came from `path`."""
        if self._lacks([storable(path)]):
            return None
        found = self._own(documents.c.path == storable(path))
        return found[0] if found else None

    def same_bytes(self, content_hash: str) -> list[Document]:
        """The live documents of this scope with that hash that lie in no other, by path."""
        if self._lacks([content_hash]):
            return []
        return self._own(documents.c.content_hash == content_hash, documents.c.parent == "")

    def found_by(self, root: str, *, folder: bool) -> list[Document]:
        """The live documents of this scope that came from `root`; all below it if a `folder`."""
        where = documents.c.root == storable(root)
        if folder:
            below = storable(root).rstrip("/\\")
            where = or_(
                where,
                documents.c.path.startswith(f"{below}/", autoescape=True),
                documents.c.path.startswith(f"{below}\\", autoescape=True),
            )
        return self._own(where, documents.c.parent == "")

    def outermost(self) -> list[Document]:
        """The live documents of this scope that lie in no other, by path."""
        return self._own(documents.c.parent == "")

    def stands(self, document: Document) -> bool:
        """Whether it still has passages, if it ever had any: an erase may have taken them all."""
        held = select(chunks.c.document).where(chunks.c.document == documents.c.id)
        whole = or_(documents.c.chunks == 0, held.exists())
        with self.store.read() as connection:
            here = rows.of_scopes(self.store.reach.scopes)
            return bool(rows.find(connection, here, documents.c.id == document.id, whole))

    def inside(self, document: Document) -> list[Document]:
        """The live documents that lie directly in this one, by path."""
        with self.store.read() as connection:
            here = rows.of_scopes(self.store.reach.scopes)
            return rows.find(connection, here, documents.c.parent == document.id)

    def _lacks(self, wanted: Sequence[str]) -> bool:
        return self._seen.lacks(self.store, self.scope, wanted)

    def _own(self, *where: ColumnElement[bool]) -> list[Document]:
        with self.store.read() as connection:
            return rows.find(connection, rows.of_scopes((self.scope,)), *where)

    def live(self) -> list[Document]:
        """The live documents within reach, by path."""
        with self.store.read() as connection:
            return rows.find(connection, rows.of_scopes(self.store.reach.scopes))

    def are_there(self) -> bool:
        """Whether a live document is within reach."""
        with self.store.read() as connection:
            return rows.are_there(connection, self.store.reach.scopes)

    def get(self, id: str) -> Document:
        """One live document within reach; `NotFound` otherwise."""
        with self.store.read() as connection:
            return self._get(connection, id)

    def _get(self, connection: Connection, id: str) -> Document:
        here = rows.of_scopes(self.store.reach.scopes)
        found = rows.find(connection, here, documents.c.id == storable(id))
        if not found:
            raise _unknown(id)
        return found[0]

    def _mine(self, connection: Connection, document: Document) -> Document:
        live = self._get(connection, document.id)
        if live.scope != self.scope:
            raise _unknown(document.id)
        return live

    def copies(self, document: Document) -> list[Document]:
        """The other live documents within reach that hold a passage of this one, by path."""
        mine = select(chunks.c.memory).where(chunks.c.document == document.id)
        sharing = select(chunks.c.document).where(chunks.c.memory.in_(mine))
        with self.store.read() as connection:
            here = rows.of_scopes(self.store.reach.scopes)
            found = rows.find(connection, here, documents.c.id.in_(sharing))
        return [one for one in found if one.id != document.id]

    def passages(self, document: Document) -> list[Memory]:
        """The passages of a live document in its order; their evidence is their place in it."""
        return [memory for _, memory in self.placed(document)]

    def placed(self, document: Document) -> list[tuple[Place, Memory]]:
        """The passages of a live document in its order, each with its place."""
        of_document = select(chunks.c.memory).where(chunks.c.document == document.id)
        within = visible(self.store.reach, forms=(Form.CHUNK,))
        with self.store.read() as connection:
            found = memories.select_memories(
                connection, and_(within, memory_table.c.id.in_(of_document))
            )
            held = {memory.id: memory for memory in found}
            places = rows.places(connection, document.id)
        return [
            (place, _seen_in(document, place, held[place.memory]))
            for place in places
            if place.memory in held
        ]

    def put(self, document: NewDocument, passages: Sequence[Passage]) -> Document:
        """The stored document; replaces the live one of the same path, whole or not at all."""
        draft = self.draft(document, passages)
        found = drafts.by_text(draft.missing, self.embed(draft.missing))
        stored = self.store_all([draft], found)
        return (stored or self._own(documents.c.path == storable(document.path)))[0]

    @property
    def window(self) -> int | None:
        """The tokens of a text that are embedded; None where the embedder does not tell."""
        counter = counter_of(self.store.embedder)
        return None if counter is None else counter.window

    def count(self, text: str) -> int:
        """Tokens of `text` for the embedder; a quarter of its characters where that can't tell."""
        counter = counter_of(self.store.embedder)
        return -(-len(text) // 4) if counter is None else counter.count(text)

    def embed(self, texts: Sequence[str]) -> list[Vectors | None]:
        """One row a text, or None for each without an embedder."""
        return self.store.embed(texts)

    def draft(
        self, document: NewDocument, passages: Sequence[Passage], *, fresh: bool = False
    ) -> Draft:
        """What `store_all` takes; `missing` names the texts that have no vector yet.

        With `fresh` a passage that only moved is embedded again too.
        """
        made = drafts.drafted(document, passages, scope=self.scope)
        if self._lacks(made.marks):
            return replace(made, missing=drafts.Known().needs(made))
        with self.store.read() as connection:
            before = rows.last_of_path(connection, self.scope, storable(document.path))
            known = drafts.known(
                connection, made, scope=self.scope, before=before.id if before else "", fresh=fresh
            )
        over = before.added if before and before.retired is None else None
        return replace(made, missing=known.needs(made), over=over)

    def holds(self, draft: Draft) -> bool:
        """Whether the live document of a draft's path is already all that the draft is."""
        with self.store.read() as connection:
            live = rows.last_of_path(connection, self.scope, storable(draft.document.path))
            if live is None or live.retired is not None:
                return False
            same = draft.row(live.id, scope=live.scope, parent=live.parent, at=live.added) == live
            return same and storing.stands_so(connection, live, draft)

    def store_all(
        self, family: Sequence[Draft], found: Found, *, keep: Sequence[str] = ()
    ) -> list[Document]:
        """A document and those that lie in it, outermost first, stored in one transaction.

        Passages that are known keep id and vector; `found` has the vectors of the others by what
        is embedded. What lay in the document and is neither in `family` nor at a path of `keep`
        is retired. Empty, and nothing is changed, where another run stored the same bytes since
        the drafts were made.
        """
        with self._change() as journal:
            if family and self._stored_since(journal.connection, family[0]):
                self._seen.forget()
                return []
            stay = self._at(journal.connection, [storable(path) for path in keep])
            made: dict[str, Document] = {}
            for draft in family:
                self._seen.add(draft.marks)
                outer = {**stay, **made}.get(storable(draft.document.within))
                to = Target(scope=self.scope, parent=outer.id if outer else "")
                stored = storing.store(journal, draft, found, to=to, on_step=self.on_step)
                made[stored.path] = stored
            storing.retire_others(journal, {**stay, **made})
        self.on_step("stored")
        return list(made.values())

    def _stored_since(self, connection: Connection, draft: Draft) -> bool:
        path, new = storable(draft.document.path), draft.document
        here = rows.of_scopes((self.scope,))
        return any(
            one.content_hash == new.content_hash
            and one.trust is new.trust
            and one.added != draft.over
            for one in rows.find(connection, here, documents.c.path == path)
        )

    def _at(self, connection: Connection, paths: Sequence[str]) -> dict[str, Document]:
        here = rows.of_scopes((self.scope,))
        found = (rows.find(connection, here, documents.c.path == path) for path in paths)
        return {one.path: one for some in found for one in some}

    def move(self, document: Document, *, path: str, root: str) -> Document:
        """The same document, and what lies in it, at another path; nothing is embedded.

        Raises `NotFound` when this scope has no such live document.
        """
        with self._change() as journal:
            live = self._mine(journal.connection, document)
            if live.path == storable(path):
                return live  # another run was faster
            moved = storing.move(journal, live, path=storable(path), root=storable(root))
            self._seen.forget()
            self.on_step("placing")
        self.on_step("stored")
        return moved

    def copy(self, document: Document, *, path: str, root: str) -> Document:
        """A document at another path with the passages of this one; nothing is embedded.

        Raises `NotFound` when this scope has no such live document.
        """
        with self._change() as journal:
            live = self._mine(journal.connection, document)
            there = self._at(journal.connection, [storable(path)]).get(storable(path))
            if there and (there.content_hash, there.trust) == (live.content_hash, live.trust):
                return there  # another run was faster
            copied = storing.copy(journal, live, path=storable(path), root=storable(root))
            self._seen.forget()
            self.on_step("placing")
        self.on_step("stored")
        return copied

    def retire(self, document: Document, *, reason: str) -> None:
        """Take a document and what lies in it out of recall; their rows stay.

        Raises `NotFound` when no live document within reach is that one.
        """
        with self._change() as journal:
            live = self._get(journal.connection, document.id)
            storing.retire(journal, live, reason=reason)
            self.on_step("placing")
        self.on_step("stored")

    @contextmanager
    def _change(self) -> Generator[Journal]:
        if self._journal is not None:
            yield self._journal
            return
        with self.store.write(run=self.run) as journal:
            if self.run.startswith("run_"):
                runs.begin(
                    journal.connection, self.run, kind=KIND, user=self.store.user, at=journal.at
                )
            yield journal


def _seen_in(document: Document, place: Place, memory: Memory) -> Memory:
    return replace(memory, evidence=(Evidence(ref=document.id, start=place.start, end=place.end),))


def _unknown(id: str) -> NotFound:
    return NotFound(
        f"no document {id!r} here", hint="`stratal documents list` shows what there is."
    )
