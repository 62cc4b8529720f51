"""The retry layer, with stamina's test mode (no waiting) and a clock that a test turns."""

from collections.abc import Generator, Iterator

import pytest
import stamina

from stratal.context.request import Request
from stratal.errors import ContextOverflow, ProviderError, ProviderRejected, ProviderUnavailable
from stratal.providers.provider import Completion, StreamItem, TextDelta, complete
from stratal.providers.retry import Retrying, RetryPolicy, full_jitter, wait_before_next
from stratal.providers.scripted import Interrupted, ScriptedProvider, Step
from stratal_memory.records import Message, Role

HELLO = Request(model="m", system=(), messages=(Message(role=Role.USER, text="Hello"),))
BUSY = ProviderUnavailable("busy")


@pytest.fixture(autouse=True)
def no_waiting() -> Generator[None]:
    with stamina.set_testing(True, attempts=100, cap=True):
        yield


def tried(*script: Step, policy: RetryPolicy | None = None) -> tuple[ScriptedProvider, Retrying]:
    inner = ScriptedProvider(script)
    return inner, Retrying(inner, policy=policy)


def test_an_unavailable_beginning_is_tried_again() -> None:
    inner, provider = tried(BUSY, Completion(text="Hi"))

    assert complete(provider, HELLO).text == "Hi"
    assert len(inner.requests) == 2


def test_after_three_attempts_the_last_error_is_raised() -> None:
    inner, provider = tried(BUSY, BUSY, ProviderUnavailable("still busy"), Completion(text="Hi"))

    with pytest.raises(ProviderUnavailable, match="still busy"):
        complete(provider, HELLO)
    assert len(inner.requests) == 3


@pytest.mark.parametrize("error", [ProviderRejected("no"), ContextOverflow("too long")])
def test_what_a_retry_cannot_mend_is_raised_at_once(error: ProviderError) -> None:
    inner, provider = tried(error, Completion(text="Hi"))

    with pytest.raises(type(error)):
        complete(provider, HELLO)
    assert len(inner.requests) == 1


def test_nothing_is_tried_again_after_text_was_yielded() -> None:
    inner, provider = tried(Interrupted(text="Half", error=BUSY), Completion(text="Hi"))
    items: list[StreamItem] = []

    with pytest.raises(ProviderUnavailable):
        items.extend(provider.stream(HELLO))
    assert items == [TextDelta(text="Half")]
    assert len(inner.requests) == 1


def test_the_stream_is_passed_on_unchanged() -> None:
    inner = ScriptedProvider([BUSY, Completion(text="abcd")], name="openai", size=2)
    provider = Retrying(inner)

    assert list(provider.stream(HELLO)) == [
        TextDelta(text="ab"),
        TextDelta(text="cd"),
        Completion(text="abcd"),
    ]
    assert provider.name == "openai"


def test_no_attempt_begins_after_the_deadline() -> None:
    """The clock moves 40 seconds with each look at it: begun at 0, failed at 40 and at 80."""
    times: Iterator[float] = iter([0.0, 40.0, 80.0])
    inner = ScriptedProvider([BUSY, BUSY, BUSY])
    policy = RetryPolicy(attempts=9, deadline=60.0)
    provider = Retrying(inner, policy=policy, clock=lambda: next(times), jitter=lambda _: 1.0)

    with pytest.raises(ProviderUnavailable):
        complete(provider, HELLO)
    assert len(inner.requests) == 2


def test_waits_double_up_to_the_longest() -> None:
    policy = RetryPolicy(first_wait=1.0, longest_wait=5.0)

    waits = [
        wait_before_next(BUSY, failures=n, elapsed=0.0, policy=policy, jitter=lambda most: most)
        for n in (1, 2, 3, 4)
    ]

    assert waits == [1.0, 2.0, 4.0, 5.0]


def test_the_providers_own_wait_comes_first() -> None:
    asked = ProviderUnavailable("busy", retry_after=7.0)

    wait = wait_before_next(asked, failures=1, elapsed=0.0, policy=RetryPolicy())

    assert wait == 7.0


@pytest.mark.parametrize(("elapsed", "wait"), [(53.0, 7.0), (53.5, None)])
def test_a_wait_beyond_the_deadline_is_no_wait(elapsed: float, wait: float | None) -> None:
    asked = ProviderUnavailable("busy", retry_after=7.0)
    policy = RetryPolicy(deadline=60.0)

    assert wait_before_next(asked, failures=1, elapsed=elapsed, policy=policy) == wait


def test_jitter_stays_between_nothing_and_the_longest() -> None:
    drawn = [full_jitter(2.0) for _ in range(100)]

    assert all(0.0 <= seconds <= 2.0 for seconds in drawn)
    assert len(set(drawn)) > 1
