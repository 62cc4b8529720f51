"""What the pipeline asks of a store of documents; `stratal_memory.tiers.documents` is one."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.incoming import NewDocument
from stratal_memory.records import Document, Passage
from stratal_memory.tiers.drafts import Draft


class DocumentStore(Protocol):
    """Where understood documents go; opened for one principal and one scope."""

    @property
    def run(self) -> str:
        """What the changes belong to; empty when they belong together in no way."""
        ...

    def in_run(self) -> "DocumentStore":
        """The same store, for one run whose changes can be taken back together."""
        ...

    def close_run(self, report: str) -> bool:
        """Keep what the run reported, as JSON; False when it changed nothing."""
        ...

    @property
    def window(self) -> int | None:
        """The tokens of a text that are embedded; None where that is not known."""
        ...

    def count(self, text: str) -> int:
        """Tokens of `text` for whoever embeds it."""
        ...

    def find(self, path: str) -> Document | None:
        """The live document that came from this path."""
        ...

    def same_bytes(self, content_hash: str) -> Sequence[Document]:
        """The live documents with that hash that lie in no other."""
        ...

    def found_by(self, root: str, *, folder: bool) -> Sequence[Document]:
        """The live documents that came from `root`; all below it if a `folder`."""
        ...

    def stands(self, document: Document) -> bool:
        """Whether it still has passages, if it ever had any: an erase may have taken them."""
        ...

    def inside(self, document: Document) -> Sequence[Document]:
        """The live documents that lie directly in this one."""
        ...

    def together(self) -> AbstractContextManager["DocumentStore"]:
        """The same store; what is stored through it in the block is stored all or not at all."""
        ...

    def draft(
        self, document: NewDocument, passages: Sequence[Passage], *, fresh: bool = False
    ) -> Draft:
        """What `store_all` takes; its `missing` texts must be embedded before."""
        ...

    def holds(self, draft: Draft) -> bool:
        """Whether the live document of that path is already all that the draft is."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Vectors | None]:
        """One row a text, or None for each where nothing embeds; called in another thread."""
        ...

    def store_all(
        self,
        family: Sequence[Draft],
        found: Mapping[str, Vectors | None],
        *,
        keep: Sequence[str] = (),
    ) -> Sequence[Document]:
        """A document and those that lie in it, all or nothing; `keep` names unchanged ones.

        Empty where another run stored the same meanwhile: then nothing was changed.
        """
        ...

    def move(self, document: Document, *, path: str, root: str) -> Document:
        """The same document at another path."""
        ...

    def copy(self, document: Document, *, path: str, root: str) -> Document:
        """Another document that shares the passages of this one."""
        ...

    def retire(self, document: Document, *, reason: str) -> None:
        """Take a document out of recall."""
        ...
