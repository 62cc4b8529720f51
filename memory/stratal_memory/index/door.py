"""The one door to nearest neighbours: exact scan while few rows are eligible, Chroma when many."""

import shutil
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, insert, select, update

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.errors import IndexDamaged
from stratal_memory.index.chroma import BATCH, ChromaIndex, Ownership
from stratal_memory.index.kept import Kept
from stratal_memory.index.scan import Near, scan
from stratal_memory.truth import memories, outbox, sqlite, vectors
from stratal_memory.truth.database import Database
from stratal_memory.truth.schema import memories as memory_table
from stratal_memory.truth.schema import state
from stratal_memory.truth.schema import vectors as vector_table

# Rows eligible by scope from which Chroma is asked. Measured (MEASUREMENTS, "Search"): the scan
# takes about 1 ms per 10,000 rows in memory and 5.9 ms from SQLite; Chroma 3 ms at any size.
SCAN_LIMIT = 30_000
OVERSAMPLE = 4  # Chroma proposes this many times the rows wanted, scope decides afterwards
CANARIES = 32
FOLDER = "chroma"
PROBING = ".probing"  # a file beside the folder while it is probed
_CURRENT = "index.folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How the derived index stands beside the truth."""

    owned: bool  # whether this process may touch it
    sound: bool
    rows: int
    expected: int
    waiting: int  # outbox entries not taken in yet
    detail: str


class Door:
    """Nearest neighbours inside a WHERE clause, for one embedding generation of one database."""

    def __init__(
        self, database: Database, *, generation: int, scan_limit: int = SCAN_LIMIT
    ) -> None:
        self._database = database
        self._generation = generation
        self._scan_limit = scan_limit
        self._root = database.folder / FOLDER
        self._ownership: Ownership | None = None
        self._chroma: ChromaIndex | None = None
        self._unsound = False
        self._checked = False
        self._kept = Kept()

    def nearest(
        self,
        connection: Connection,
        query: Vectors,
        where: ColumnElement[bool],
        *,
        limit: int,
        view: Hashable = None,
    ) -> list[Near]:
        """The nearest memories that `where` allows, exactly scored, nearest first.

        A stale, damaged or missing index costs a little recall or time, never an answer: what it
        proposes is read back from the truth inside `where`. `view` names what `where` says; the
        vectors of a named view are kept until something changes.
        """
        now = sqlite.stamp(connection)
        kept = self._kept.at(view, now) if view is not None else None
        if kept is not None:
            return scan(kept, query, limit=limit)
        eligible = memories.count(connection, where)
        if eligible > self._scan_limit:
            proposed = self._proposals(query, limit=limit * OVERSAMPLE)
            allowed = memories.by_seq(connection, proposed, where)
            if len(allowed) >= limit:
                matrix = vectors.of_seqs(connection, sorted(allowed), generation=self._generation)
                return scan(matrix, query, limit=limit)

        def read() -> vectors.Matrix:
            return vectors.matrix(connection, where, generation=self._generation)

        matrix = read() if view is None else self._kept.matrix(view, now, read)
        return scan(matrix, query, limit=limit)

    def _proposals(self, query: Vectors, *, limit: int) -> list[int]:
        if self._unsound or not self._own():
            return []
        if not self._checked:
            self._checked = True
            self.check()  # what a crash or another hand left is noticed before it is believed
            if self._unsound:
                return []
        try:
            self.feed()
            return self._opened().propose(query, limit=limit)
        except IndexDamaged:
            self._unsound = True  # exact search goes on; `doctor` says so and rebuilds
            return []

    def feed(self, on_progress: Callable[[int], None] | None = None) -> int:
        """Take in what waits in the outbox; how many entries. 0 when another process owns it.

        Raises `IndexDamaged`; the entries stay.
        """
        taken = 0
        while self._own():
            with self._database.read() as connection:
                entries = outbox.pending(connection, generation=self._generation, limit=BATCH)
            if not entries:
                break
            self._apply(entries)
            with self._database.write() as connection:
                outbox.settle(connection, generation=self._generation, up_to=entries[-1].seq)
            taken += len(entries)
            if on_progress:
                on_progress(taken)
        return taken

    def _apply(self, entries: list[outbox.Entry]) -> None:
        last = {entry.memory: entry.operation for entry in entries}
        index = self._opened()
        wanted = [seq for seq, operation in last.items() if operation == outbox.UPSERT]
        with self._database.read() as connection:
            matrix = vectors.matrix(
                connection,
                memory_table.c.seq.in_(wanted) & memory_table.c.status.in_(vectors.LIVE),
                generation=self._generation,
            )
        index.upsert(matrix.seqs, matrix.vectors)
        gone = sorted(set(last) - set(matrix.seqs))
        if gone:
            index.delete(gone)

    def check(self) -> Health:
        """The state of the index after feeding it: counts, and canaries that find themselves.

        Some damage makes Chroma's native code kill the process (seen: zeroed link lists). A file
        says that a probe is going on: who finds it left behind does not try again, `rebuild` heals.
        """
        if not self._own():
            return self._health(sound=True, rows=0, detail="another process owns the index")
        probing = self._root / f"{self._folder().name}{PROBING}"
        if probing.exists():
            self._unsound = True
            return self._health(sound=False, rows=0, detail="whoever probed it last died of it")
        probing.touch()
        try:
            return self._probed()
        finally:
            probing.unlink(missing_ok=True)

    def _probed(self) -> Health:
        try:
            self.feed()
            index = self._opened()
            rows = index.count()
            matrix = self._canaries()
            found = index.finds_itself(matrix.seqs, matrix.vectors)
        except IndexDamaged as error:
            self._unsound = True
            return self._health(sound=False, rows=0, detail=str(error))
        health = self._health(sound=found, rows=rows, detail="")
        if health.rows != health.expected:
            health = self._health(
                sound=False, rows=rows, detail=f"{rows} rows, {health.expected} expected"
            )
        elif not found:
            health = self._health(sound=False, rows=rows, detail="a row does not find itself")
        self._unsound = not health.sound
        return health

    def _health(self, *, sound: bool, rows: int, detail: str) -> Health:
        with self._database.read() as connection:
            expected = vectors.count(connection, generation=self._generation)
            waiting = outbox.backlog(connection, generation=self._generation)
        return Health(
            owned=self._own(),
            sound=sound,
            rows=rows,
            expected=expected,
            waiting=waiting,
            detail=detail,
        )

    def _canaries(self) -> vectors.Matrix:
        with self._database.read() as connection:
            live = memory_table.c.status.in_(vectors.LIVE)
            seqs = list(
                connection.execute(
                    select(memory_table.c.seq)
                    .join(vector_table, vector_table.c.memory == memory_table.c.seq)
                    .where(live, vector_table.c.generation == self._generation)
                ).scalars()
            )
            step = max(1, len(seqs) // CANARIES)
            return vectors.of_seqs(connection, seqs[::step], generation=self._generation)

    def rebuild(self, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Fill a new folder from the truth and use it from now on; how many rows.

        Returns 0 without touching anything when another process owns the index.
        """
        if not self._own():
            return 0
        number = int(self._folder().name) + 1
        with self._database.write() as connection:
            _set_state(connection, _CURRENT, str(number))
            outbox.forget(connection, generation=self._generation)
            live = memory_table.c.status.in_(vectors.LIVE)
            matrix = vectors.matrix(connection, live, generation=self._generation)
        self._chroma = None
        self._unsound = False
        index = self._opened()
        for start in range(0, len(matrix.seqs), BATCH):
            page = slice(start, start + BATCH)
            index.upsert(matrix.seqs[page], matrix.vectors[page])
            if on_progress:
                on_progress(min(start + BATCH, len(matrix.seqs)), len(matrix.seqs))
        self._sweep()
        return len(matrix.seqs)

    def _sweep(self) -> None:
        """Remove what earlier rebuilds and probes left; only the folder in use stays."""
        current = self._folder()
        for path in self._root.iterdir():
            if path.is_dir() and path != current:
                shutil.rmtree(path, ignore_errors=True)
            elif path.suffix == PROBING:
                path.unlink(missing_ok=True)

    def _own(self) -> bool:
        if self._ownership is None:
            self._ownership = Ownership(self._root)
        return self._ownership.take()

    def _opened(self) -> ChromaIndex:
        if self._chroma is None:
            self._chroma = ChromaIndex(self._folder(), generation=self._generation)
        return self._chroma

    def _folder(self) -> Path:
        with self._database.read() as connection:
            number = connection.execute(
                select(state.c.value).where(state.c.name == _CURRENT)
            ).scalar()
        return self._root / (number or "1")

    def close(self) -> None:
        """Let another process own the index."""
        self._chroma = None
        if self._ownership is not None:
            self._ownership.release()
            self._ownership = None


def _set_state(connection: Connection, name: str, value: str) -> None:
    changed = connection.execute(update(state).where(state.c.name == name).values(value=value))
    if changed.rowcount == 0:
        connection.execute(insert(state).values(name=name, value=value))
