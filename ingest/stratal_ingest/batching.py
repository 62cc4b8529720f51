"""Passages of many documents are embedded together, sorted by length, while others are read."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Event
from typing import Generic, TypeVar

from stratal_memory.embedding.batches import length_sorted
from stratal_memory.embedding.embedder import Vectors

LEAST = 64  # texts worth beginning with while more are coming
MOST = 1_024  # texts that wait before the reading does: sorted over so many, little is padded
SLICE = 64  # texts between two looks at whether to stop
TOGETHER = 32  # items given back at once, to be stored at once: about 0.1 s of work
TOGETHER_TEXTS = 256  # of all of them, but for the last
_LOOK = 0.2  # seconds between two ticks while waiting

Embed = Callable[[Sequence[str]], Sequence[Vectors | None]]
T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class _Waiting(Generic[T]):
    item: T
    left: set[str]  # texts that have no vector yet
    found: dict[str, Vectors | None] = field(default_factory=dict[str, Vectors | None])


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded(Generic[T]):
    """An item with the vectors of its texts."""

    item: T
    found: dict[str, Vectors | None]


class Batching(Generic[T]):
    """Gives items back once their texts are embedded, some at a time, in the order they came."""

    def __init__(self, embed: Embed, *, tick: Callable[[], None]) -> None:
        """`tick` is called now and then while there is nothing to do but wait."""
        self._embed = embed
        self._tick = tick
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embedding")
        self._stop = Event()
        self._waiting: deque[_Waiting[T]] = deque()
        self._gathered: dict[str, None] = {}
        self._running: Future[dict[str, Vectors | None]] | None = None
        self.done = 0  # texts embedded so far

    def add(self, item: T, texts: Sequence[str]) -> Iterator[list[Embedded[T]]]:
        """Take an item; those that are complete by now, waiting where too many are gathered."""
        self._waiting.append(_Waiting(item=item, left=set(texts)))
        self._gathered.update(dict.fromkeys(texts))
        if len(self._gathered) >= MOST:
            self._settle()
        yield from self._complete(least=LEAST)

    def rest(self) -> Iterator[list[Embedded[T]]]:
        """All items that are left.

        Half of the texts at a time, so that little is left to be done with the last of them once
        nothing is embedded any more.
        """
        while self._waiting:
            half = max(LEAST, len(self._gathered) // 2)
            yield from self._complete(least=1, most=half)
            self._settle()

    def _complete(self, *, least: int, most: int | None = None) -> Iterator[list[Embedded[T]]]:
        if self._running is not None and self._running.done():
            self._settle()
        if self._running is None and len(self._gathered) >= least:
            texts = list(self._gathered)[:most]
            for text in texts:
                del self._gathered[text]
            self._running = self._thread.submit(self._all, texts)
        while some := self._some():
            yield some

    def _some(self) -> list[Embedded[T]]:
        """The next items that are complete, as many as are stored at once."""
        some: list[Embedded[T]] = []
        texts = 0
        while self._waiting and not self._waiting[0].left:
            if len(some) == TOGETHER or texts >= TOGETHER_TEXTS:
                break
            first = self._waiting.popleft()
            texts += len(first.found)
            some.append(Embedded(item=first.item, found=first.found))
        return some

    def _settle(self) -> None:
        """Wait for what is being embedded, and hand its vectors out."""
        if self._running is None:
            return
        while not wait([self._running], timeout=_LOOK).done:
            self._tick()
        found, self._running = self._running.result(), None
        for one in self._waiting:
            for text in [text for text in one.left if text in found]:
                one.found[text] = found[text]
                one.left.discard(text)

    def _all(self, texts: list[str]) -> dict[str, Vectors | None]:
        found: dict[str, Vectors | None] = {}
        for positions in length_sorted([len(text) for text in texts], size=SLICE):
            if self._stop.is_set():
                break
            some = [texts[position] for position in positions]
            found.update(zip(some, self._embed(some), strict=True))
            self.done += len(some)
        return found

    def close(self) -> None:
        """End the thread after the texts it has in hand."""
        self._stop.set()
        self._thread.shutdown(wait=True, cancel_futures=True)
