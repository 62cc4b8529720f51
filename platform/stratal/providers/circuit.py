"""A provider that is out is left alone for a while, and then tried by one call (RELIABILITY 6.8).

Around the retries: what counts is a call that failed after all its attempts. One `Circuit` stands
for one endpoint, and everything in the process that asks there shares it.
"""

import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from stratal.context.request import Request
from stratal.errors import CircuitOpen, ProviderError, ProviderUnavailable
from stratal.providers.provider import Completion, Provider, StreamItem
from stratal.providers.retry import Clock
from stratal.providers.wrapping import Wrapping

log = logging.getLogger(__name__)

# Worth a retry and yet no outage: a conflict, too early, and the limit of one key or one model,
# which says nothing of the others that are asked there.
_NO_OUTAGE = frozenset({409, 425, 429})


@dataclass(frozen=True, slots=True, kw_only=True)
class CircuitPolicy:
    """When a provider counts as out, and how long it is left alone; seconds. Our own choice."""

    failures: int = 5  # failed calls in a row; 0: it never counts as out
    first_wait: float = 30.0  # it doubles each time the call that tries it fails
    longest_wait: float = 300.0  # also how long a call that tries it may keep the others waiting


def is_outage(error: ProviderError) -> bool:
    """Whether the provider is at fault, and not the request, the key or what we sent too much of.

    >>> is_outage(ProviderUnavailable("overloaded", status=529))
    True
    >>> is_outage(ProviderUnavailable("slow down", status=429, retry_after=7.0))
    False
    """
    return isinstance(error, ProviderUnavailable) and error.status not in _NO_OUTAGE


class Circuit:
    """Whether one endpoint may be asked; for any number of threads."""

    def __init__(
        self, provider: str, policy: CircuitPolicy, *, clock: Clock = time.monotonic
    ) -> None:
        """`provider` is the name its errors and log lines say."""
        self._provider = provider
        self._policy = policy
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0  # in a row
        self._last = ""  # what the last of them said
        self._wait = self._first_wait
        self._until: float | None = None  # nobody asks before; None: closed, everybody may
        self._trying = False  # whether a call that tries the provider is on its way
        self._era = 0  # of calls: what one of an earlier era comes to counts no more

    def __repr__(self) -> str:
        return f"Circuit({self._provider!r}, {'closed' if self._until is None else 'open'})"

    def check(self) -> None:
        """Raises `CircuitOpen` while nobody may ask."""
        with self._lock:
            self._check()

    @contextmanager
    def call(self) -> Generator[Callable[[StreamItem], None]]:
        """A call inside it; it is told each item of the answer.

        Raises `CircuitOpen` in place of the call. A `ProviderError` on the way is counted where
        it is an outage; a call that is given up, or that we refuse ourselves, counts for nothing.
        """
        era = self._enter()
        try:
            yield lambda item: self._heard(era, whole=isinstance(item, Completion))
        except ProviderError as error:
            if is_outage(error):
                self._failed(era, error)
            else:
                self._heard(era, whole=not error.retryable)  # a refusal is an answer
            raise
        finally:
            self._left(era)

    @property
    def _first_wait(self) -> float:
        return min(self._policy.first_wait, self._policy.longest_wait)

    def _check(self) -> None:
        left = 0.0 if self._until is None else self._until - self._clock()
        if left > 0:
            raise CircuitOpen(
                provider=self._provider,
                failures=self._failures,
                last=self._last,
                retry_after=None if self._trying else left,
            )

    def _enter(self) -> int:
        """The era the call belongs to; once the wait is over it is the one call that tries."""
        with self._lock:
            self._check()
            if self._until is not None:
                self._era += 1
                self._trying = True
                # A call that was given up may hang in its thread: the others don't wait forever.
                self._until = self._clock() + self._policy.longest_wait
            return self._era

    def _heard(self, era: int, *, whole: bool) -> None:
        """Something came: what tries the provider has found it; a whole answer ends the row."""
        with self._lock:
            if era != self._era:
                return
            if self._until is not None:
                log.info("%s answers again, after %d failed calls", self._provider, self._failures)
                self._until, self._trying = None, False
                self._failures, self._wait = 0, self._first_wait
            if whole:
                self._failures = 0

    def _failed(self, era: int, error: ProviderError) -> None:
        with self._lock:
            if era != self._era:
                return
            self._failures += 1
            self._last = str(error)
            if self._trying:
                self._wait = min(self._wait * 2, self._policy.longest_wait)
            elif not 0 < self._policy.failures <= self._failures:
                return
            self._open(error)

    def _open(self, error: ProviderError) -> None:
        asked = error.retry_after if isinstance(error, ProviderUnavailable) else None
        wait = min(max(self._wait, asked or 0.0), self._policy.longest_wait)
        if not self._trying:
            log.warning(
                "%s: %d calls in a row failed, it is left alone for %.0f seconds; the last: %s",
                self._provider, self._failures, wait, self._last,
            )  # fmt: skip
        self._until, self._trying = self._clock() + wait, False
        self._era += 1

    def _left(self, era: int) -> None:
        """A call is over; where it was to try the provider and found out nothing, the next does."""
        with self._lock:
            if self._trying and era == self._era:
                self._until, self._trying = self._clock(), False


class Circuits:
    """The circuits of a process, one for each endpoint. Who opens providers owns one of these."""

    def __init__(
        self, policy: CircuitPolicy | None = None, *, clock: Clock = time.monotonic
    ) -> None:
        self._policy = policy or CircuitPolicy()
        self._clock = clock
        self._known: dict[tuple[str, str], Circuit] = {}
        self._lock = threading.Lock()

    def of(self, provider: str, *, endpoint: str | None) -> Circuit:
        """The circuit of `endpoint`, the same each time; None is the maker's own address."""
        place = (provider, (endpoint or "").strip().rstrip("/"))
        with self._lock:
            if place not in self._known:
                self._known[place] = Circuit(provider, self._policy, clock=self._clock)
            return self._known[place]


class Guarded(Wrapping):
    """A `Provider` that asks another as long as its circuit lets it."""

    def __init__(self, inner: Provider, circuit: Circuit) -> None:
        super().__init__(inner)
        self._circuit = circuit

    def stream(self, request: Request) -> Iterator[StreamItem]:
        """The inner provider's stream; raises `CircuitOpen` at once while it is out."""
        with self._circuit.call() as heard:
            for item in self._inner.stream(request):
                heard(item)
                yield item

    def checked(self, count: Callable[[Request], int]) -> Callable[[Request], int]:
        """`count`, but for `CircuitOpen` while the provider is out.

        What a count comes to says nothing of the models: it neither opens nor closes anything.
        """

        def counted(request: Request) -> int:
            self._circuit.check()
            return count(request)

        return counted
