"""Work that may be done while nobody waits: one piece at a time for each conversation."""

from collections.abc import Callable
from threading import Lock, Thread
from time import monotonic


class Background:
    """Threads that do not keep the process alive; each piece of work has a name."""

    def __init__(self) -> None:
        self._going: dict[str, Thread] = {}
        self._lock = Lock()
        self._closed = False
        self._abandoned = False

    @property
    def abandoned(self) -> bool:
        """Whether nobody waits any more: what ends now keeps its result to itself."""
        return self._abandoned

    def start(self, name: str, work: Callable[[], None]) -> bool:
        """Whether `work` was begun: not while the last one of that name goes on, nor once closed.

        `work` deals with its own failures.
        """
        with self._lock:
            going = self._going.get(name)
            if self._closed or (going is not None and going.is_alive()):
                return False
            self._going[name] = thread = Thread(target=work, name=f"stratal-{name}", daemon=True)
            thread.start()
            return True

    def wait(self, *, seconds: float | None = None) -> bool:
        """Whether everything that was begun has ended, after `seconds` at most (None: any time)."""
        with self._lock:
            going = list(self._going.values())
        until = None if seconds is None else monotonic() + seconds
        for thread in going:
            thread.join(None if until is None else max(0.0, until - monotonic()))
        return not any(thread.is_alive() for thread in going)

    def close(self, *, seconds: float | None = None) -> bool:
        """The same, and nothing begins any more; what goes on longer is left to end by itself."""
        with self._lock:
            self._closed = True
        ended = self.wait(seconds=seconds)
        self._abandoned = not ended
        return ended
