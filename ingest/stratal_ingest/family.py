"""A file as it was read, and the files inside it: each a document of its own."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from stratal_ingest.document import Enclosed, ReadDocument, Refusal, clean
from stratal_ingest.errors import reason
from stratal_ingest.parsing import titled
from stratal_ingest.withholding import without_secrets
from stratal_memory.incoming import NewDocument
from stratal_memory.records import Passage, Trust, Unread

INSIDE = "!/"  # between the path of a file and the name of one inside it

Chunker = Callable[[ReadDocument], Sequence[Passage]]
"""A document in, its passages in order out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """What all documents of one file have in common."""

    root: str
    trust: Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One document of a file: the file itself, or one inside it."""

    new: NewDocument
    passages: Sequence[Passage]
    shown: str  # the path for people


@dataclass(frozen=True, slots=True, kw_only=True)
class Outermost:
    """The file itself: where it lies, and what its bytes were."""

    key: str
    shown: str
    content_hash: str


def members(
    document: ReadDocument, outermost: Outermost, origins: Origins, chunker: Chunker
) -> Iterator[Member]:
    """The documents of one file, outermost first, cut into passages."""
    yield from _members(document, outermost, origins, chunker, within="")


def _members(
    document: ReadDocument,
    place: Outermost,
    origins: Origins,
    chunker: Chunker,
    within: str,
) -> Iterator[Member]:
    document = without_secrets(document)
    named = list(_named(document.enclosed))
    yield Member(
        new=NewDocument(
            path=place.key,
            title=document.title,
            format=document.format,
            content_hash=place.content_hash,
            characters=len(document.text),
            pages=document.pages,
            trust=origins.trust,
            root=origins.root,
            within=within,
            refused=tuple(_unread(name, one.refusal) for name, one in named if one.refusal),
        ),
        passages=chunker(document),
        shown=place.shown,
    )
    for name, one in named:
        if one.document is not None:
            inner = titled(one.document, name)
            there = replace(
                place,
                key=f"{place.key}{INSIDE}{name}",
                shown=f"{place.shown}{INSIDE}{name}",
                content_hash=_text_hash(inner),
            )
            yield from _members(inner, there, origins, chunker, within=place.key)


def _named(files: Sequence[Enclosed]) -> Iterator[tuple[str, Enclosed]]:
    """Each file inside with a name of its own: two attachments may be called alike."""
    taken: set[str] = set()
    for file in files:
        name = plain = clean(file.name) or "unnamed"
        number = 1
        while name in taken:
            number += 1
            name = f"{plain} ({number})"
        taken.add(name)
        yield name, file


def _unread(name: str, refusal: Refusal) -> Unread:
    message = reason(refusal.message, refusal.hint)
    return Unread(name=name, type=refusal.type, message=message)


def _text_hash(document: ReadDocument) -> str:
    """Stands for the bytes of a file inside another, which never leave the parser child."""
    whole = f"{document.format}\n{document.title}\n{document.text}"
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
