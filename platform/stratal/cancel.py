"""Ending a turn from outside, and waiting for what another thread does without missing that."""

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import TypeVar

from stratal.errors import TurnCancelled

Result = TypeVar("Result")
Item = TypeVar("Item")


class Cancel:
    """Give one to a turn; `set` ends it from any thread, at once and for good."""

    def __init__(self) -> None:
        self._event = Event()
        self._wakers: list[Event] = []
        self._lock = Lock()

    @property
    def is_set(self) -> bool:
        """Whether the turn is to end."""
        return self._event.is_set()

    def set(self) -> None:
        """End the turn; once more changes nothing."""
        self._event.set()
        with self._lock:
            for waker in self._wakers:
                waker.set()

    def check(self) -> None:
        """Raises `TurnCancelled` once it is set."""
        if self.is_set:
            raise TurnCancelled(
                "the turn was cancelled", hint="With the same request id it goes on."
            )

    @contextmanager
    def waking(self, waker: Event) -> Generator[None]:
        """Inside it `waker` is set, too, when this is."""
        with self._lock:
            self._wakers.append(waker)
        try:
            if self.is_set:
                waker.set()
            yield
        finally:
            with self._lock:
                self._wakers.remove(waker)


def begun(work: Callable[[], Result]) -> "Future[Result]":
    """What `work` gives, by a thread of its own that never keeps the process alive."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001  # raised again in the thread that waits
            future.set_exception(error)

    Thread(target=run, name="stratal-turn", daemon=True).start()
    return future


def wait_for(future: "Future[Result]", cancel: Cancel | None) -> Result:
    """The result, or what was raised in its place; `TurnCancelled` as soon as `cancel` is set.

    What was begun goes on then, and nobody asks for it.
    """
    if cancel is not None:
        done = Event()
        future.add_done_callback(lambda _: done.set())
        with cancel.waking(done):
            done.wait()
        cancel.check()
    return future.result()


def heeding(items: Iterator[Item], cancel: Cancel | None) -> Iterator[Item]:
    """`items` as they come; a `cancel` need not wait for the next one.

    Without a `cancel` nothing is read by another thread.
    """
    if cancel is None:
        yield from items
        return
    while True:
        coming = begun(lambda: next(items, None))
        item = wait_for(coming, cancel)
        if item is None:
            return
        yield item
