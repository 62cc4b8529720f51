"""One principal's way into memory: what they may reach, their embedder, their transactions."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection

from stratal_memory.embedding.embedder import Embedder, Vectors
from stratal_memory.index.door import SCAN_LIMIT, Door
from stratal_memory.scopes import Principal
from stratal_memory.text import storable
from stratal_memory.truth import access, vectors
from stratal_memory.truth.access import Reach
from stratal_memory.truth.database import Database
from stratal_memory.truth.journal import Journal

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """Memory as one principal sees it; every tier and every recall is given one.

    Without an embedder everything works on words alone, and what is written then is embedded
    once a model is there.
    """

    database: Database
    reach: Reach
    embedder: Embedder | None
    generation: int  # number of the embedder's generation; 0 without one
    door: Door | None
    clock: Clock

    @classmethod
    def open(
        cls,
        database: Database,
        principal: Principal,
        *,
        embedder: Embedder | None = None,
        clock: Clock = utc_now,
        scan_limit: int = SCAN_LIMIT,
    ) -> "Store":
        """The store of `principal`.

        Raises `AccessDenied` when their project, org or session belongs to somebody else.
        """
        now = clock()
        shared = any(scope.kind in access.SHARED for scope in principal.scopes())
        with database.write() if shared else database.read() as connection:
            reached = access.reach(connection, principal, now=now)
            known = vectors.known_generation(connection, embedder.generation) if embedder else None
        generation = known or 0
        if embedder is not None and not generation:
            with database.write() as connection:
                generation = vectors.generation_number(connection, embedder.generation, now=now)
        door = Door(database, generation=generation, scan_limit=scan_limit) if generation else None
        return cls(
            database=database,
            reach=reached,
            embedder=embedder,
            generation=generation,
            door=door,
            clock=clock,
        )

    @property
    def user(self) -> str:
        """Whose store it is."""
        return self.reach.principal.user

    def for_session(self, session: str) -> "Store":
        """The same store inside one conversation; a new one need not be stored yet.

        Raises `AccessDenied` when it is somebody else's.
        """
        principal = self.reach.principal
        inside = Principal(
            user=principal.user,
            agent=principal.agent,
            project=principal.project,
            org=principal.org,
            session=session,
        )
        with self.database.read() as connection:
            reached = access.inside_session(connection, inside)
        return Store(
            database=self.database,
            reach=reached,
            embedder=self.embedder,
            generation=self.generation,
            door=self.door,
            clock=self.clock,
        )

    def embed(self, texts: Sequence[str]) -> list[Vectors | None]:
        """One `(dimension,)` row a text, or None for each when there is no embedder."""
        if self.embedder is None or not texts:
            return [None] * len(texts)
        return list(self.embedder.embed([storable(text) for text in texts]))

    @contextmanager
    def read(self) -> Generator[Connection]:
        """A snapshot of the truth; `AccessDenied` when the project or org was taken away since."""
        with self.database.read() as connection:
            access.check(connection, self.reach.principal)
            yield connection

    @contextmanager
    def write(self, *, run: str = "") -> Generator[Journal]:
        """A transaction; what is changed through the journal happens whole or not at all."""
        with self.database.write() as connection:
            access.check(connection, self.reach.principal)
            yield Journal(
                connection=connection,
                user=self.user,
                at=self.clock(),
                run=run,
                generation=self.generation,
            )

    def close(self) -> None:
        """Let go of the index; the database is closed by who opened it."""
        if self.door is not None:
            self.door.close()
