"""The one retry layer: a provider whose failed beginnings are tried again (RELIABILITY 6.8)."""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import stamina

from stratal.context.request import Request
from stratal.errors import ProviderUnavailable
from stratal.providers.provider import Provider, StreamItem
from stratal.providers.wrapping import Wrapping

Clock = Callable[[], float]  # seconds, only ever compared
Jitter = Callable[[float], float]  # a number of seconds from 0 to the one given


def full_jitter(longest: float) -> float:
    """Seconds drawn evenly from 0 to `longest`, so that many clients don't return together."""
    return random.uniform(0.0, longest)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How long and how often; times in seconds. Our own choice."""

    attempts: int = 3
    deadline: float = 60.0  # no attempt begins later than this after the first
    first_wait: float = 1.0  # the longest first wait; it doubles each time
    longest_wait: float = 20.0


def wait_before_next(
    error: ProviderUnavailable,
    *,
    failures: int,
    elapsed: float,
    policy: RetryPolicy,
    jitter: Jitter = full_jitter,
) -> float | None:
    """Seconds to wait before the next attempt, or None when there is no point in one.

    The provider's own `retry_after` comes first; one beyond the deadline ends the attempts at
    once, because a person waits. `failures` counts the failed attempts, from 1.

    >>> late = ProviderUnavailable("busy", retry_after=90.0)
    >>> wait_before_next(late, failures=1, elapsed=0.0, policy=RetryPolicy()) is None
    True
    """
    if error.retry_after is not None:
        wait = error.retry_after
    else:
        wait = jitter(min(policy.longest_wait, policy.first_wait * 2.0 ** (failures - 1)))
    return wait if elapsed + wait <= policy.deadline else None


class Retrying(Wrapping):
    """A `Provider` that begins another's stream again while it is unavailable.

    Once a piece of text has been yielded nothing is tried again: the caller has shown it.
    """

    def __init__(
        self,
        inner: Provider,
        *,
        policy: RetryPolicy | None = None,
        clock: Clock = time.monotonic,
        jitter: Jitter = full_jitter,
    ) -> None:
        super().__init__(inner)
        self._policy = policy or RetryPolicy()
        self._clock = clock
        self._jitter = jitter

    def stream(self, request: Request) -> Iterator[StreamItem]:
        """The inner provider's stream, its beginning tried up to `attempts` times."""
        first, rest = self._begun(request)
        yield first
        yield from rest

    def _begun(self, request: Request) -> tuple[StreamItem, Iterator[StreamItem]]:
        for attempt in stamina.retry_context(
            on=self._backoff(), attempts=self._policy.attempts, timeout=None
        ):
            with attempt:
                items = self._inner.stream(request)
                for first in items:
                    return first, items
        raise AssertionError(f"provider {self.name} ended its stream without a completion")

    def _backoff(self) -> Callable[[Exception], bool | float]:
        """A stamina hook for one request: seconds to wait, or False to give up."""
        begun = self._clock()
        failures = 0

        def hook(error: Exception) -> bool | float:
            nonlocal failures
            failures += 1
            if not isinstance(error, ProviderUnavailable):
                return False
            wait = wait_before_next(
                error,
                failures=failures,
                elapsed=self._clock() - begun,
                policy=self._policy,
                jitter=self._jitter,
            )
            return False if wait is None else wait

        return hook
