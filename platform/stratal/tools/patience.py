"""Running a tool no longer than it may take, and no longer than anybody waits for it."""

import contextvars
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from stratal.errors import StratalError
from stratal.tools.invocation import Invocation

LOOK = 0.05  # seconds between two looks whether somebody has cancelled


class TimedOut(StratalError):
    """The tool was not done in time."""


class Cancelled(StratalError):
    """Nobody waits for the tool any more."""


@dataclass(slots=True)
class _Run:
    """One run in a thread of its own."""

    done: threading.Event = field(default_factory=threading.Event)
    left: threading.Event = field(default_factory=threading.Event)  # nobody waits any more
    said: str = ""
    error: BaseException | None = None


def waited_for(
    function: Callable[[Invocation], str], invocation: Invocation, *, seconds: float | None
) -> str:
    """What `function` says; it runs here, or with a limit of `seconds` in a thread of its own.

    A thread that is late goes on by itself until the process ends, and nobody hears it; the
    invocation tells it that it is cancelled. Raises `TimedOut`, `Cancelled`, and what the
    function raises.
    """
    if seconds is None:
        return function(invocation)
    run = _Run()
    given = replace(invocation, cancelled=lambda: run.left.is_set() or invocation.cancelled())
    context = contextvars.copy_context()

    def work() -> None:
        try:
            run.said = context.run(function, given)
        except BaseException as error:  # noqa: BLE001 - raised again by who waits
            run.error = error
        finally:
            run.done.set()

    threading.Thread(target=work, name=f"tool {invocation.id}", daemon=True).start()
    try:
        _wait(run, invocation, seconds)
    finally:
        run.left.set()
    if run.error is not None:
        raise run.error
    return run.said


def _wait(run: _Run, invocation: Invocation, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not run.done.wait(min(LOOK, max(0.0, end - time.monotonic()))):
        if invocation.cancelled():
            raise Cancelled("cancelled while it ran")
        if time.monotonic() >= end:
            raise TimedOut(f"it was not done after {seconds:g} seconds and was left behind")
