"""Files are read a few ahead, in the parser child, while this process embeds and writes."""

import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Generic, TypeVar

from stratal_ingest.document import ReadDocument
from stratal_ingest.errors import DocumentError
from stratal_ingest.sandbox import Sandbox

AHEAD = 4  # files
AHEAD_BYTES = 32 * 1024 * 1024  # of all files that wait, but for the last

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed(Generic[T]):
    """What came of reading one file: a document or the reason why there is none."""

    task: T
    result: ReadDocument | DocumentError
    seconds: float


class Parsing(Generic[T]):
    """Reads files one after the other, in the order they are given."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="parsing")
        self._asked: deque[tuple[int, Future[Parsed[T]]]] = deque()
        self._bytes = 0

    def ask(self, task: T, data: bytes, name: str) -> Iterator[Parsed[T]]:
        """Have `data` read; what is ready meanwhile, waiting where too much is under way."""
        self._asked.append((len(data), self._thread.submit(self._read, task, data, name)))
        self._bytes += len(data)
        while self._asked and (self._crowded() or self._asked[0][1].done()):
            yield self._oldest()

    def _crowded(self) -> bool:
        return len(self._asked) > AHEAD or (len(self._asked) > 1 and self._bytes > AHEAD_BYTES)

    def rest(self) -> Iterator[Parsed[T]]:
        """All that is still being read."""
        while self._asked:
            yield self._oldest()

    def _oldest(self) -> Parsed[T]:
        size, future = self._asked.popleft()
        self._bytes -= size
        return future.result()

    def _read(self, task: T, data: bytes, name: str) -> Parsed[T]:
        began = time.perf_counter()
        result: ReadDocument | DocumentError
        try:
            result = titled(self._sandbox.read(data, name), name)
        except DocumentError as error:
            result = error
        return Parsed(task=task, result=result, seconds=time.perf_counter() - began)

    def close(self) -> None:
        """End the thread and the child; what is being read is given up."""
        for _, future in self._asked:
            future.cancel()
        self._sandbox.close()
        self._thread.shutdown(wait=True)


def titled(document: ReadDocument, name: str) -> ReadDocument:
    """`document` with a title: its own, else the file's name without its ending."""
    return document if document.title else replace(document, title=PurePath(name).stem or name)
