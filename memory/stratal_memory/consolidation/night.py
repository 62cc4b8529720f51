"""How one run reads and commits: item by item under a lease, or as a preview."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlalchemy import Connection

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.errors import StratalError
from stratal_memory.learning.model_answer import Complete, ModelAnswerError
from stratal_memory.learning.model_reading import OUTAGE
from stratal_memory.records import Cost, Memory
from stratal_memory.store import Store
from stratal_memory.truth import runs
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.sqlite import Stamp

Guard = Callable[[Connection], None]


class Paused(StratalError):
    """The model can't be asked now; the step waits for a later call of the same run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model that betters the steps: a prompt in, text out, and what that cost so far."""

    complete: Complete
    name: str = "model"
    spent: Callable[[], Cost] = Cost


@dataclass(slots=True, kw_only=True)
class Asking:
    """The model of one call of a run; once it is out it is not asked again."""

    model: Model | None
    out: str = ""  # why
    _before: Cost = field(init=False, default=Cost())  # what the model had cost already

    def __post_init__(self) -> None:
        """A model may have been asked for something else, or by an earlier call."""
        if self.model is not None:
            self._before = self.model.spent()

    def spent(self) -> Cost:
        """What was spent in this call."""
        if self.model is None:
            return Cost()
        return self.model.spent() - self._before

    def ask(self, prompt: str) -> str:
        """The model's text. Raises `Paused` for an outage or a spent cap: no item's fault."""
        assert self.model is not None, "a step asks only where there is a model"
        if self.out:
            raise Paused(self.out)
        try:
            return self.model.complete(prompt)
        except ModelAnswerError:
            raise
        except OUTAGE as error:
            self.out = f"{type(error).__name__}: {error}"
            raise Paused(self.out) from error


@dataclass(slots=True)
class Seen:
    """The facts that were read last, and where the truth stood then."""

    stamp: Stamp | None = None
    facts: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Night(ABC):
    """What a step is given: what it may see, and the moment that counts as now.

    `at` stays what it was when the run began, however often the run is taken up again: a step
    looks at nothing that was recorded later.
    """

    store: Store
    run: str
    at: datetime
    idle_before: datetime  # sessions in which nothing was said since are over
    asking: Asking
    seen: Seen = field(default_factory=Seen)

    @abstractmethod
    def read(self) -> AbstractContextManager[Connection]:
        """A look at the truth."""

    @abstractmethod
    def commit(self) -> AbstractContextManager[Journal]:
        """The transaction of one item."""

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> list[Vectors | None]:
        """A row a text, or None for each where there is no embedder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Live(Night):
    """A run that changes things."""

    fence: int
    guard: Guard | None = None

    @contextmanager
    def read(self) -> Generator[Connection]:
        """A snapshot of the truth."""
        with self.store.read() as connection:
            yield connection

    @contextmanager
    def commit(self) -> Generator[Journal]:
        """One item, under the fence; `LeaseLost` where another process has the run."""
        with self.store.write(run=self.run) as journal:
            runs.hold_fast(journal.connection, self.run, fence=self.fence, now=journal.at)
            if self.guard is not None:
                self.guard(journal.connection)
            yield replace(journal, at=self.at)

    def embed(self, texts: Sequence[str]) -> list[Vectors | None]:
        """As the store embeds."""
        return self.store.embed(texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview(Night):
    """A run inside one transaction that is rolled back: rules only, nothing is embedded."""

    journal: Journal

    @contextmanager
    def read(self) -> Generator[Connection]:
        """What the steps before it would have left."""
        yield self.journal.connection

    @contextmanager
    def commit(self) -> Generator[Journal]:
        """The one transaction."""
        yield self.journal

    def embed(self, texts: Sequence[str]) -> list[Vectors | None]:
        """Nothing: what is rolled back needs no vectors."""
        return [None] * len(texts)
