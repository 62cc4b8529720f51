"""A document on its way into memory: its passages as memories, and which of them are known."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlalchemy import Connection, and_

from stratal_memory.embedding.embedder import Vectors
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
    Status,
    Trust,
    new_id,
)
from stratal_memory.text import storable, text_hash
from stratal_memory.truth import documents, memories
from stratal_memory.truth.documents import Place
from stratal_memory.truth.schema import memories as table

Identity = tuple[str, str]  # what is embedded: the place as words, and the text
Content = tuple[tuple[str, ...], str]  # headings and text: what an edit elsewhere leaves alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A document with its passages, ready to be stored."""

    document: NewDocument
    passages: tuple[Passage, ...]
    memories: tuple[Memory, ...]  # one a passage
    missing: tuple[str, ...] = ()  # the texts that must be embedded
    over: datetime | None = None  # when the live document was stored that this one replaces

    @property
    def marks(self) -> list[str]:
        """What memory finds it by: its path, and the hashes of its bytes and passages."""
        hashes = [text_hash(memory.text) for memory in self.memories]
        return [storable(self.document.path), self.document.content_hash, *hashes]

    def row(self, id: str, *, scope: Scope, parent: str, at: datetime) -> Document:
        """The document as it is stored."""
        return Document(
            id=id,
            scope=scope,
            path=storable(self.document.path),
            title=shown(self.document.title),
            format=self.document.format,
            content_hash=self.document.content_hash,
            characters=self.document.characters,
            pages=self.document.pages,
            chunks=len(self.passages),
            trust=self.document.trust,
            added=at,
            root=storable(self.document.root),
            parent=parent,
            refused=self.document.refused,
        )


def drafted(document: NewDocument, passages: Sequence[Passage], *, scope: Scope) -> Draft:
    """The draft of a document; what of it is known is not looked at yet."""
    headings = {path: tuple(map(shown, path)) for path in {one.heading for one in passages}}
    named = tuple(replace(one, heading=headings[one.heading]) for one in passages)
    title = shown(document.title)
    made = (_memory(one, title=title, scope=scope, trust=document.trust) for one in named)
    return Draft(document=document, passages=named, memories=tuple(made))


def shown(text: str) -> str:
    """`text` as it may be kept: storable, without secrets."""
    return redact(storable(text)).text


def _memory(passage: Passage, *, title: str, scope: Scope, trust: Trust) -> Memory:
    return Memory(
        id=new_id("mem"),
        key=new_id("key"),
        text=shown(passage.text),
        kind=Kind.SEMANTIC,
        form=Form.CHUNK,
        scope=scope,
        trust=trust,
        status=Status.ACTIVE,
        confidence=CONFIDENCE[trust],
        source=_place(title, passage),
        recorded_at=_UNKNOWN,
        valid_from=_UNKNOWN,
    )


_UNKNOWN = datetime.min  # the time of storing takes its place


def _place(title: str, passage: Passage) -> str:
    """Title, headings and page: "Handbook › Leave › Sick leave, p. 3"."""
    headings = [part for part in passage.heading if part != title]
    place = " › ".join([title, *headings])
    return f"{place}, p. {passage.page}" if passage.page else place


def identity(memory: Memory) -> Identity:
    """What makes two passages one."""
    return memory.source, memory.text


@dataclass(slots=True, kw_only=True)
class Known:
    """What memory holds already of the passages of a draft."""

    same: dict[Identity, Memory] = field(default_factory=dict[Identity, Memory])
    # Of the version before: the same words under the same headings, on another page, in a
    # document of another title. Their vectors serve.
    moved: dict[Content, Memory] = field(default_factory=dict[Content, Memory])

    def needs(self, draft: Draft) -> tuple[str, ...]:
        """The texts of `draft` that nobody has a vector of; each once."""
        texts = (
            memories.embeddable(memory)
            for memory, passage in zip(draft.memories, draft.passages, strict=True)
            if identity(memory) not in self.same and self.before(memory, passage) is None
        )
        return tuple(dict.fromkeys(texts))

    def before(self, memory: Memory, passage: Passage) -> Memory | None:
        """The passage of the version before that says the same."""
        return self.moved.get((passage.heading, memory.text))


def known(
    connection: Connection, draft: Draft, *, scope: Scope, before: str, fresh: bool = False
) -> Known:
    """What is known of a draft in its scope; `before` is the document or version it replaces.

    With `fresh` only passages that are the very same count.
    """
    found = Known()
    hashes = sorted({text_hash(memory.text) for memory in draft.memories})
    for start in range(0, len(hashes), memories.PAGE):
        where = and_(
            table.c.scope_kind == scope.kind,
            table.c.scope_id == scope.id,
            table.c.text_hash.in_(hashes[start : start + memories.PAGE]),
            table.c.form == Form.CHUNK,
            table.c.status == Status.ACTIVE,
            table.c.trust == draft.document.trust,
        )
        found.same.update({identity(m): m for m in memories.select_memories(connection, where)})
    if before and not fresh:
        found.moved = _contents(connection, before, trust=draft.document.trust)
    return found


def _contents(connection: Connection, before: str, *, trust: Trust) -> dict[Content, Memory]:
    places = documents.places(connection, before)
    held = by_id(connection, [place.memory for place in places])
    return {
        (place.heading, held[place.memory].text): held[place.memory]
        for place in places
        if held[place.memory].trust is trust
    }


def by_id(connection: Connection, ids: Sequence[str]) -> dict[str, Memory]:
    """These versions by id, whatever their status."""
    found: dict[str, Memory] = {}
    every = list(dict.fromkeys(ids))
    for start in range(0, len(every), memories.PAGE):
        where = table.c.id.in_(every[start : start + memories.PAGE])
        found.update({one.id: one for one in memories.select_memories(connection, where)})
    return found


def stood(memory: Memory, document: str, passage: Passage, *, at: datetime) -> Memory:
    """`memory` as it is stored: since when, and where it was read."""
    seen = Evidence(ref=document, start=passage.start, end=passage.end)
    return replace(memory, recorded_at=at, valid_from=at, evidence=(seen,))


def place_of(passage: Passage, memory: str) -> Place:
    """Where a passage stands, with the id of its memory."""
    return Place(
        ordinal=passage.ordinal,
        memory=memory,
        start=passage.start,
        end=passage.end,
        page=passage.page,
        heading=passage.heading,
    )


def by_text(texts: Iterable[str], rows: Iterable[Vectors | None]) -> Mapping[str, Vectors | None]:
    """The vectors of texts."""
    return dict(zip(texts, rows, strict=True))
