"""What one would use instead of Stratal's recall, where it is installed; for `bench_recall.py`."""

import importlib
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from recall_world import DIMENSION, Person, WordEmbedder

LIBRARIES = Path(__file__).parents[1] / ".venv-bench"  # behind everything that .venv has
BATCH = 5_000  # rows written at once; Chroma refuses more than 5,461
HEAVY = "mem0 and txtai are left out: they bring torch or a model of their own"
Vector = NDArray[np.float32]
Row = tuple[Person, int, str]  # a user, the number of one of their texts, and the text


class Rival(Protocol):
    """A store of many users' texts and vectors that is asked for one user's nearest."""

    name: str
    most: int  # questions it is asked; some take long

    def ask(self, person: Person, text: str, vector: Vector, limit: int) -> object:
        """The nearest of one user."""
        ...

    def close(self) -> None:
        """Let go of its files."""
        ...


def rivals(
    folder: Path,
    people: Sequence[Person],
    embedder: WordEmbedder,
    tell: Callable[[str], object],
) -> list[Rival]:
    """Those that are installed, filled with what `people` remember; who is left out is told."""
    if str(LIBRARIES) not in sys.path:
        sys.path.append(str(LIBRARIES))
        tell(HEAVY)
    folder.mkdir(parents=True)
    found: list[Rival] = []
    for make in (FilteredChroma, LangGraph):
        try:
            one = make(folder)
        except (ImportError, AttributeError, sqlite3.Error) as error:
            tell(f"{make.name} is left out: {error}")
            continue
        started, rows = time.perf_counter(), 0
        for page in _pages(people):
            one.add(page, embedder.embed([text for _, _, text in page]))
            rows += len(page)
            tell(f"  {one.name}: {rows:,} rows, {time.perf_counter() - started:.0f} s")
        found.append(one)
    return found


def _pages(people: Sequence[Person]) -> Iterator[list[Row]]:
    rows = ((person, i, text) for person in people for i, text in enumerate(person.texts()))
    while page := list(islice(rows, BATCH)):
        yield page


class FilteredChroma:
    """Chroma with all users in one collection and a filter by user."""

    name = "Chroma, `where` user"
    most = 25

    def __init__(self, folder: Path) -> None:
        import chromadb
        from chromadb.config import Settings

        self._client = chromadb.PersistentClient(
            str(folder / "chroma"), Settings(anonymized_telemetry=False)
        )
        self._rows = self._client.create_collection(
            "memories", embedding_function=None, metadata={"hnsw:space": "cosine"}
        )

    def add(self, page: Sequence[Row], rows: Vector) -> None:
        """Texts of several users with their vectors."""
        self._rows.add(
            ids=[f"{person.number}-{i}" for person, i, _ in page],
            embeddings=rows,
            documents=[text for _, _, text in page],
            metadatas=[{"user": person.name} for person, _, _ in page],
        )

    def ask(self, person: Person, text: str, vector: Vector, limit: int) -> object:
        """The nearest of one user."""
        return self._rows.query(
            query_embeddings=vector.reshape(1, -1),
            n_results=limit,
            where={"user": person.name},
        )

    def close(self) -> None:
        """Nothing is held."""


class LangGraph:
    """LangGraph's SqliteStore with its vector index, a namespace a user, as it is documented.

    Up to 3.1.0 it looked through everybody's rows (`LIKE`); since then it finds a user's by an
    index and compares with each of them.
    """

    name = "LangGraph SqliteStore"
    most = 70

    def __init__(self, folder: Path) -> None:
        from langgraph.store.base import PutOp
        from langgraph.store.sqlite import SqliteStore

        self._put = PutOp
        self._known: dict[str, Vector] = {}
        self._connection = _connected(folder / "langgraph.db")
        self._store = SqliteStore(
            self._connection,
            index={"dims": DIMENSION, "embed": self._embed, "text_fields": ["text"]},
        )
        self._store.setup()

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._known[text].tolist() for text in texts]

    def add(self, page: Sequence[Row], rows: Vector) -> None:
        """Texts of several users with their vectors."""
        self._known = {text: row for (_, _, text), row in zip(page, rows, strict=True)}
        self._store.batch(
            [
                self._put(namespace=("memories", person.name), key=str(i), value={"text": text})
                for person, i, text in page
            ]
        )

    def ask(self, person: Person, text: str, vector: Vector, limit: int) -> object:
        """The nearest of one user."""
        self._known = {text: vector}
        return self._store.search(("memories", person.name), query=text, limit=limit)

    def close(self) -> None:
        """Close the database."""
        self._connection.close()


def _connected(path: Path) -> sqlite3.Connection:
    """A connection that can load extensions, by pysqlite3 where Python's own can't."""
    connect = sqlite3.connect
    if not hasattr(sqlite3.Connection, "enable_load_extension"):
        connect = importlib.import_module("pysqlite3").connect
    return connect(str(path), check_same_thread=False, isolation_level=None)
