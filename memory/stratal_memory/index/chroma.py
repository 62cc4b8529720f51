"""Chroma as a derived index: one owner, our own vectors, ids in and ids out.

Never the store: measured on 1.5.9, two processes on one folder lost a third of acknowledged
vectors, and its files are not fsynced (ARCHITECTURE, section 3).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from filelock import FileLock, Timeout

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.errors import IndexDamaged

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

BATCH = 1_000  # rows an upsert; over 5,461 chromadb refuses
SELF_DISTANCE = 0.001  # a canary's cosine distance to itself is 0 but for rounding


class ChromaIndex:
    """The collection of one embedding generation in one folder, held by this process.

    Every method raises `IndexDamaged` when Chroma fails or answers what can't be.
    """

    def __init__(self, folder: Path, *, generation: int) -> None:
        self.folder = folder
        self._name = f"generation-{generation}"
        self._collection = self._open()

    def _open(self) -> "Collection":
        import chromadb
        from chromadb.api.collection_configuration import (
            CreateCollectionConfiguration,
            CreateHNSWConfiguration,
        )
        from chromadb.config import Settings
        from chromadb.errors import ChromaError

        self._failures = (ChromaError, OSError, ValueError, RuntimeError, KeyError)
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            client: ClientAPI = chromadb.PersistentClient(
                path=str(self.folder), settings=Settings(anonymized_telemetry=False)
            )
            collection = client.get_or_create_collection(
                self._name,
                configuration=CreateCollectionConfiguration(
                    hnsw=CreateHNSWConfiguration(space="cosine")
                ),
                embedding_function=None,
            )
            # As it was first made. `collection.configuration` would warn of a legacy embedding
            # function, which is how chromadb writes down that there is none.
            space = collection.configuration_json["hnsw"]["space"]
        except (*self._failures, AttributeError) as error:
            # AttributeError: chromadb trips over the client it failed to start the first time.
            raise IndexDamaged(f"the index in {self.folder} can't be opened: {error}") from error
        if space != "cosine":
            raise IndexDamaged(f"the index in {self.folder} measures {space}, not cosine")
        return collection

    def upsert(self, seqs: Sequence[int], vectors: Vectors) -> None:
        """Add or replace rows."""
        for start in range(0, len(seqs), BATCH):
            page = slice(start, start + BATCH)
            try:
                self._collection.upsert(
                    ids=[str(seq) for seq in seqs[page]], embeddings=np.asarray(vectors[page])
                )
            except self._failures as error:
                raise IndexDamaged(f"the index took no rows: {error}") from error

    def delete(self, seqs: Sequence[int]) -> None:
        """Take rows out; unknown ones are ignored."""
        for start in range(0, len(seqs), BATCH):
            ids = [str(seq) for seq in seqs[start : start + BATCH]]
            try:
                self._collection.delete(ids=ids)
            except self._failures as error:
                raise IndexDamaged(f"the index let no rows go: {error}") from error

    def count(self) -> int:
        """How many rows it holds."""
        try:
            return int(self._collection.count())
        except self._failures as error:
            raise IndexDamaged(f"the index can't count: {error}") from error

    def propose(self, query: Vectors, *, limit: int) -> list[int]:
        """Row numbers near `query`, nearest first; to be read back from the truth and re-scored."""
        held = self.count()
        if held == 0:
            return []
        return [seq for seq, _ in self._query(query, limit=min(limit, held))]

    def finds_itself(self, seqs: Sequence[int], vectors: Vectors) -> bool:
        """Whether every canary row is found at distance zero from its own vector."""
        held = self.count()
        if seqs and not held:
            return False
        for seq, vector in zip(seqs, vectors, strict=True):
            near = self._query(vector, limit=min(10, held))
            same = {found for found, distance in near if distance <= SELF_DISTANCE}
            if not same or (len(same) < 10 and seq not in same):
                return False
        return True

    def _query(self, query: Vectors, *, limit: int) -> list[tuple[int, float]]:
        try:
            found = self._collection.query(
                query_embeddings=np.asarray(query, dtype=np.float32).reshape(1, -1),
                n_results=limit,
                include=["distances"],
            )
            distances = found["distances"] or [[]]
            return [
                (int(id), float(distance))
                for id, distance in zip(found["ids"][0], distances[0], strict=True)
            ]
        except self._failures as error:
            raise IndexDamaged(f"the index does not answer: {error}") from error


class Ownership:
    """The operating-system lock on Chroma's folder; the process that holds it owns the index."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Any thread may ask and release: a lock of one thread would hide it from the others.
        self._lock = FileLock(folder / "owner.lock", thread_local=False)

    def take(self) -> bool:
        """Whether this process owns the folder, now or already; never waits."""
        if self._lock.is_locked:
            return True
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            return False
        return True

    def release(self) -> None:
        """Let another process own it."""
        self._lock.release()
