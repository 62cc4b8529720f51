"""The parser child: reads documents from its standard input, one fork a file.

Started by `sandbox.py` with `python -I`, an empty environment and the limits as last argument.
The libraries of the readers are loaded once, here; every file is parsed in a fork that dies with
it, so that no document can touch the next. Without `os.fork` (Windows) files are parsed in this
very process, which the parent restarts when it breaks.
"""

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, Self

from stratal_ingest.confinement import confine, end_with_parent, limit_processor_time
from stratal_ingest.limits import Limits
from stratal_ingest.outcome import outcome, refused
from stratal_ingest.readers.added import added
from stratal_ingest.readers.enclosing import Apart, InThisProcess, Work
from stratal_ingest.readers.formats import expected_format
from stratal_ingest.readers.registry import BY_FORMAT, READERS, read
from stratal_ingest.wire import LENGTH, Answer, decode, encode, receive, send

READY = b"ready"
_CHUNK = 1 << 20
_CONTAINERS = frozenset({"eml", "msg", "mbox", "zip", "tar"})
_loaded: set[str] = set()  # names of libraries; of this process, as they are
_NEARLY = 0.8  # share of the memory limit from which a crash is blamed on memory


def main() -> None:
    """Serve until the parent closes the pipe."""
    limits = Limits(**json.loads(sys.argv[-1]))
    requests, answers = _private_streams()
    added()  # looked up here, so that no fork has to
    confine(limits)
    send(answers, READY)
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            name = receive(requests, limit=limits.file_bytes).decode("utf-8", "replace")
            data = receive(requests, limit=limits.file_bytes)
            _load(expected_format(name))
            send(answers, _answer(data, name, limits))


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the parent, where no library can print into them by accident."""
    requests, answers = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb")


def _load(format: str) -> None:
    """Import what the reader of `format` will need, so that its forks find it in memory.

    In a mail or an archive may be anything, so for them all are loaded. A library that is missing
    is named when a file needs it.
    """
    readers = (
        READERS if format in _CONTAINERS else [BY_FORMAT[format]] if format in BY_FORMAT else []
    )
    missing = {name for reader in readers for name in reader.libraries} - _loaded
    for library in missing:
        with contextlib.suppress(ImportError):
            importlib.import_module(library)
    if missing:
        _loaded.update(missing)
        gc.freeze()  # a collection in a fork would write to, and so copy, every page


def respond(data: bytes, name: str, limits: Limits) -> bytes:
    """The encoded answer for one file; every way of failing is an answer too."""
    answer = outcome(lambda: read(data, name, limits=limits, apart=_apart(limits)), limits)
    return _encoded(answer, limits)


def _encoded(answer: Answer, limits: Limits) -> bytes:
    payload = encode(answer)
    if len(payload) <= limits.answer_bytes:
        return payload
    message = f"its text takes more than {limits.answer_bytes:,} bytes"
    return encode(refused("LimitExceeded", message))


if sys.platform == "win32":

    def _answer(data: bytes, name: str, limits: Limits) -> bytes:
        return respond(data, name, limits)

    def _apart(limits: Limits) -> Apart:
        return InThisProcess(limits)

else:

    def _answer(data: bytes, name: str, limits: Limits) -> bytes:
        """What a fork of this process says about the file, or why it could say nothing."""
        with _Fork(lambda: iter([respond(data, name, limits)]), limits) as fork:
            return fork.answer(limits.seconds)

    def _apart(limits: Limits) -> Apart:
        return _Forks(limits)

    @dataclass(frozen=True, slots=True)
    class _Forks:
        """Runs works in a fork of this one; after a work that ends it, in another."""

        limits: Limits
        elsewhere = True

        def run(self, works: Sequence[Work], seconds: Callable[[], float]) -> Iterator[Answer]:
            """One answer for each work, in order."""
            done = 0
            while done < len(works):
                with _Fork(partial(_answers, works[done:], self.limits), self.limits) as fork:
                    while done < len(works) and not fork.over:
                        yield decode(fork.answer(seconds()))
                        done += 1

    def _answers(works: Sequence[Work], limits: Limits) -> Iterator[bytes]:
        for work in works:
            yield _encoded(outcome(work, limits), limits)

    class _Fork:
        """A fork of this process that says one answer after the other."""

        def __init__(self, work: Callable[[], Iterator[bytes]], limits: Limits) -> None:
            self._limits = limits
            self.over = False  # it has ended, or will say nothing more that counts
            out, into = os.pipe()
            self._pid = os.fork()
            if self._pid == 0:
                os.close(out)
                _work_and_exit(into, work, limits)
            os.close(into)
            self._out = out

        def answer(self, seconds: float) -> bytes:
            """What it says next, or why it could say nothing within `seconds`."""
            deadline = time.monotonic() + seconds
            try:
                head = self._read(LENGTH.size, deadline)
                (length,) = LENGTH.unpack(head)
                if length <= self._limits.answer_bytes:
                    return self._read(length, deadline)
                return encode(self._end(too_slow=True))
            except EOFError:
                return encode(self._end(too_slow=False))
            except TimeoutError:
                return encode(self._end(too_slow=True))

        def _read(self, length: int, deadline: float) -> bytes:
            parts: list[bytes] = []
            while length > 0:
                left = max(0.0, deadline - time.monotonic())
                ready, _, _ = select.select([self._out], [], [], left)
                if not ready:
                    raise TimeoutError
                part = os.read(self._out, min(length, _CHUNK))
                if not part:
                    raise EOFError
                parts.append(part)
                length -= len(part)
            return b"".join(parts)

        def _end(self, *, too_slow: bool) -> Answer:
            """End it; the reason why it gave no answer."""
            self.over = True
            if too_slow:
                os.kill(self._pid, signal.SIGKILL)
            _, status, usage = os.wait4(self._pid, 0)
            memory = usage.ru_maxrss * 1024
            return _unsaid(status, too_slow=too_slow, memory=memory, limits=self._limits)

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            os.close(self._out)
            if not self.over:
                os.waitpid(self._pid, 0)

    def _work_and_exit(into: int, work: Callable[[], Iterator[bytes]], limits: Limits) -> None:
        try:
            end_with_parent()
            # The pipes to the parent belong to the server; no document may speak in its name.
            os.closerange(3, into)
            os.closerange(into + 1, limits.open_files)
            limit_processor_time(limits.seconds)
            with os.fdopen(into, "wb") as stream:
                for answer in work():
                    send(stream, answer)
        finally:
            os._exit(0)

    def _unsaid(status: int, *, too_slow: bool, memory: int, limits: Limits) -> Answer:
        """The reason why a fork ended without an answer."""
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        if too_slow or number == signal.SIGXCPU:
            return refused("LimitExceeded", f"reading it takes more than {limits.seconds} seconds")
        if number == signal.SIGKILL or memory > _NEARLY * limits.memory_bytes:
            return refused("LimitExceeded", f"it needs more than {limits.memory_bytes:,} bytes")
        how = signal.Signals(number).name if number else "no answer"
        return refused("CorruptDocument", f"the parser crashed on it ({how})")


if __name__ == "__main__":
    main()
