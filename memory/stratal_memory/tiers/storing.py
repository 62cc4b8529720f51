"""Documents are stored, moved, copied and retired here, each inside a transaction of its caller."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.records import Document, Memory, Passage, Scope, Status, new_id
from stratal_memory.text import storable
from stratal_memory.tiers import drafts
from stratal_memory.tiers.drafts import Draft, Known
from stratal_memory.truth import documents as rows
from stratal_memory.truth import events, memories, vectors
from stratal_memory.truth.journal import Journal

INSIDE = "!/"  # between the path of a document and the name of one that lies in it
Found = Mapping[str, Vectors | None]  # vectors by what is embedded
OnStep = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a draft goes."""

    scope: Scope
    parent: str = ""  # id of the document it lies in


def store(journal: Journal, draft: Draft, found: Found, *, to: Target, on_step: OnStep) -> Document:
    """The stored document; what was live at its path is the version before."""
    connection = journal.connection
    old = rows.last_of_path(connection, to.scope, storable(draft.document.path))
    id = old.id if old else new_id("doc")
    new = draft.row(id, scope=to.scope, parent=to.parent, at=journal.at)
    known = drafts.known(connection, draft, scope=to.scope, before=old.id if old else "")
    before = _write(journal, new, old)
    on_step("storing")
    writer = _Writer(journal=journal, document=new, known=known, found=found)
    writer.keep(draft.memories)
    places = [
        drafts.place_of(passage, writer.id_of(memory, passage))
        for memory, passage in zip(draft.memories, draft.passages, strict=True)
    ]
    journal.add_all(writer.new, reason=f"read from {new.path}")
    on_step("placing")
    rows.place(connection, new.id, places)
    if before:
        _close(journal, before, reason=f"{new.path} changed")
    was_live = old is not None and old.retired is None
    _record(journal, rows.CHANGED if was_live else rows.ADDED, new, before=before)
    return new


def move(journal: Journal, document: Document, *, path: str, root: str) -> Document:
    """The same document, and what lies in it, at another path."""
    connection = journal.connection
    for inner in rows.inside(connection, document):
        name = inner.path.removeprefix(f"{document.path}{INSIDE}")
        move(journal, inner, path=f"{path}{INSIDE}{name}", root=root)
    moved = replace(document, path=path, root=root)
    places = rows.places(connection, document.id)
    before = _write(journal, moved, document)
    rows.place(connection, moved.id, places)
    reason = f"moved from {document.path}"
    _record(journal, rows.CHANGED, moved, before=before, reason=reason)
    return moved


def copy(
    journal: Journal, document: Document, *, path: str, root: str, parent: str = ""
) -> Document:
    """Another document with the passages of this one, and copies of what lies in it."""
    connection = journal.connection
    old = rows.last_of_path(connection, document.scope, path)
    copied = replace(
        document,
        id=old.id if old else new_id("doc"),
        path=path,
        root=root,
        parent=parent,
        added=journal.at,
    )
    before = _write(journal, copied, old)
    rows.place(connection, copied.id, rows.places(connection, document.id))
    reason = f"a copy of {document.path}"
    _record(journal, rows.ADDED, copied, before=before, reason=reason)
    for inner in rows.inside(connection, document):
        name = inner.path.removeprefix(f"{document.path}{INSIDE}")
        copy(journal, inner, path=f"{path}{INSIDE}{name}", root=root, parent=copied.id)
    return copied


def retire(journal: Journal, document: Document, *, reason: str) -> None:
    """End a document and what lies in it; passages that stand nowhere else end with it."""
    for inner in rows.inside(journal.connection, document):
        retire(journal, inner, reason=reason)
    rows.retire(journal.connection, document.id, at=journal.at)
    _close(journal, document.id, reason=reason)
    _record(journal, rows.RETIRED, document, reason=reason)


def retire_others(journal: Journal, family: Mapping[str, Document]) -> None:
    """End what lies in one of these documents and is none of them; `family` is by path."""
    for document in family.values():
        for inner in rows.inside(journal.connection, document):
            if inner.path not in family:
                retire(journal, inner, reason=f"no longer in {document.path}")


def stands_so(connection: Connection, document: Document, draft: Draft) -> bool:
    """Whether the passages of a document are those of the draft, each in its place."""
    places = rows.places(connection, document.id)
    held = drafts.by_id(connection, [place.memory for place in places])
    here = [(drafts.identity(held[one.memory]), replace(one, memory="")) for one in places]
    wanted = [
        (drafts.identity(memory), drafts.place_of(passage, ""))
        for memory, passage in zip(draft.memories, draft.passages, strict=True)
    ]
    return here == wanted


def _write(journal: Journal, document: Document, old: Document | None) -> str:
    """The row; the id of the one that keeps the version before, if there was one."""
    if old is None:
        rows.insert_document(journal.connection, document, by=journal.user)
        return ""
    return rows.replace_document(journal.connection, document, by=journal.user, at=journal.at)


def _close(journal: Journal, version: str, *, reason: str) -> None:
    for memory in rows.left_alone(journal.connection, version):
        journal.close(memory, status=Status.SUPERSEDED, reason=reason, valid_to=journal.at)


def _record(
    journal: Journal, kind: str, document: Document, *, before: str = "", reason: str = ""
) -> None:
    events.record(
        journal.connection,
        at=journal.at,
        kind=kind,
        user=journal.user,
        reason=reason or f"read from {document.path}",
        key=document.id,
        run=journal.run,
        detail=((rows.BEFORE, before),) if before else (),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writer:
    """Gives each passage of one document its memory."""

    journal: Journal
    document: Document
    known: Known
    found: Found
    kept: set[str] = field(default_factory=set[str])  # ids that stay
    new: list[tuple[Memory, Vectors | None]] = field(
        default_factory=list[tuple[Memory, Vectors | None]]
    )
    _taken: set[str] = field(default_factory=set[str])  # keys that have a new version here

    def keep(self, passages: Iterable[Memory]) -> None:
        """Note which passages stay as they are."""
        same = (self.known.same.get(drafts.identity(one)) for one in passages)
        self.kept.update(one.id for one in same if one)

    def id_of(self, memory: Memory, passage: Passage) -> str:
        """The id of the passage that is known, or of the one that is added here."""
        same = self.known.same.get(drafts.identity(memory))
        if same is None:
            same = self._added(memory, passage)
            self.known.same[drafts.identity(memory)] = same
        return same.id

    def _added(self, memory: Memory, passage: Passage) -> Memory:
        made = drafts.stood(memory, self.document.id, passage, at=self.journal.at)
        row = self.found.get(memories.embeddable(made))
        before = self.known.before(made, passage)
        if before is not None:
            row = _vector_of(self.journal, before) if row is None else row
            if before.id not in self.kept and self._over(before):
                self._taken.add(before.key)
                version = memories.next_version(self.journal.connection, before.key)
                made = replace(made, key=before.key, version=version, supersedes=before.id)
        self.new.append((made, row))
        return made

    def _over(self, before: Memory) -> bool:
        """Whether no live document holds it: a key has one live version."""
        if before.key in self._taken:
            return False
        connection = self.journal.connection
        active = rows.active_of_key(connection, before.key)
        return set(active) <= {before.id} and not rows.stands_live(connection, before.id)


def _vector_of(journal: Journal, memory: Memory) -> Vectors | None:
    """The vector a passage already has, so that an unchanged one costs no embedding."""
    seq = memories.seq_of(journal.connection, memory.id)
    found = vectors.of_seqs(journal.connection, [seq], generation=journal.generation)
    return found.vectors[0] if found.seqs else None
