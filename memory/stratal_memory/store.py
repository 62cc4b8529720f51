"""One principal's way into memory: what they may reach, their embedder, their transactions."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from sqlalchemy import Connection

from stratal_memory.embedding.embedder import Embedder, Vectors
from stratal_memory.embedding.turnover import Find, Model, engaged
from stratal_memory.index.door import SCAN_LIMIT, Door
from stratal_memory.learning.injections import Recollected
from stratal_memory.learning.privacy import hidden, without
from stratal_memory.learning.settings import GateSettings
from stratal_memory.records import new_id
from stratal_memory.scopes import Principal
from stratal_memory.text import storable
from stratal_memory.truth import access, generations
from stratal_memory.truth.access import Reach
from stratal_memory.truth.database import Database
from stratal_memory.truth.journal import PLAIN, Journal

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coming:
    """The model that will serve once everything is embedded with it, and its index."""

    model: Model
    door: Door

    @classmethod
    def of(cls, database: Database, model: Model, *, scan_limit: int) -> "Coming":
        """The same with a door of its own."""
        door = Door(database, generation=model.generation, scan_limit=scan_limit)
        return cls(model=model, door=door)


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """Memory as one principal sees it; every tier and every recall is given one.

    Without an embedder everything works on words alone, and what is written then is embedded
    once a model is there. While a new model is `coming`, `embedder` is the one before it.
    """

    database: Database
    reach: Reach
    embedder: Embedder | None
    generation: int  # number of the embedder's generation; 0 without one
    door: Door | None
    clock: Clock
    coming: Coming | None = None
    lost: str = ""  # the generation whose model can't be had: see `Engaged`
    gate: GateSettings = field(default_factory=GateSettings)  # rules all that is written
    recollected: Recollected = field(default_factory=Recollected)

    @classmethod
    def open(
        cls,
        database: Database,
        principal: Principal,
        *,
        embedder: Embedder | None = None,
        clock: Clock = utc_now,
        scan_limit: int = SCAN_LIMIT,
        gate: GateSettings | None = None,
        former: Find | None = None,
    ) -> "Store":
        """The store of `principal`.

        `former` finds the model that was used before `embedder`, by its setting: it serves until
        everything is embedded anew.
        Raises `AccessDenied` when their project, org or session belongs to somebody else.
        """
        now = clock()
        shared = any(scope.kind in access.SHARED for scope in principal.scopes())
        with database.write() if shared else database.read() as connection:
            reached = access.reach(connection, principal, now=now)
        models = engaged(database, embedder, former=former, now=now) if embedder else None
        number = models.serving.generation if models else 0
        coming = models.coming if models else None
        return cls(
            database=database,
            reach=reached,
            embedder=models.serving.embedder if models else None,
            generation=number,
            door=Door(database, generation=number, scan_limit=scan_limit) if number else None,
            clock=clock,
            coming=Coming.of(database, coming, scan_limit=scan_limit) if coming else None,
            lost=models.lost if models else "",
            gate=gate or GateSettings(),
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
        return replace(self.current(), reach=reached)

    def current(self) -> "Store":
        """The same store, by the new model as soon as that serves.

        Whoever keeps a store for long asks again and again; without a change it costs nothing.
        """
        if self.coming is None and not self.lost:
            return self
        with self.database.read() as connection:
            served = generations.serving(connection)
        wanted = self.filling
        if served is None or wanted is None or served.number != wanted.generation:
            return self
        if self.coming is None:
            return replace(self, lost="")
        if self.door is not None:
            self.door.close()  # one door of a process owns the index
        return replace(
            self,
            embedder=self.coming.model.embedder,
            generation=self.coming.model.generation,
            door=self.coming.door,
            coming=None,
        )

    @property
    def filling(self) -> Model | None:
        """The model that what lacks a vector is embedded with; None without one."""
        if self.coming is not None:
            return self.coming.model
        if self.embedder is None:
            return None
        return Model(embedder=self.embedder, generation=self.generation)

    def private(self, text: str) -> str:
        """`text` as memory may hold it: what the privacy policy hides is a label in its place."""
        return without(text, hidden(text, self.gate.privacy))

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
                run=run or new_id(PLAIN),
                generation=self.generation,
            )

    def close(self) -> None:
        """Let go of the index; the database is closed by who opened it."""
        if self.door is not None:
            self.door.close()
        if self.coming is not None:
            self.coming.door.close()
