"""The parser child: reads documents from its standard input, one fork a file.

Started by `sandbox.py` as `python -I -m stratal_ingest.parser_server LIMITS` with an empty
environment. The libraries of the readers are loaded once, here; every file is parsed in a fork
that dies with it, so that no document can touch the next. Without `os.fork` (Windows) files are
parsed in this very process, which the parent restarts when it breaks.
"""

import contextlib
import importlib
import json
import os
import select
import signal
import sys
import time
from typing import BinaryIO

from stratal_ingest.confinement import confine, limit_processor_time
from stratal_ingest.errors import DocumentError
from stratal_ingest.limits import Limits
from stratal_ingest.readers.formats import expected_format
from stratal_ingest.readers.registry import BY_FORMAT, read
from stratal_ingest.wire import Answer, Refusal, encode, receive, send

READY = b"ready"
_CHUNK = 1 << 20
_NEARLY = 0.8  # share of the memory limit from which a crash is blamed on memory


def main() -> None:
    """Serve until the parent closes the pipe."""
    limits = Limits(**json.loads(sys.argv[1]))
    requests, answers = _private_streams()
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

    A library that is missing is named when a file needs it.
    """
    reader = BY_FORMAT.get(format)
    for library in reader.libraries if reader else ():
        with contextlib.suppress(ImportError):
            importlib.import_module(library)


def respond(data: bytes, name: str, limits: Limits) -> bytes:
    """The encoded answer for one file; every way of failing is an answer too."""
    try:
        payload = encode(Answer(document=read(data, name)))
    except DocumentError as error:
        return _refusal(type(error).__name__, str(error), error.hint)
    except MemoryError:
        return _refusal("LimitExceeded", f"it needs more than {limits.memory_bytes:,} bytes")
    except RecursionError:
        return _refusal("CorruptDocument", "it is nested too deep")
    except Exception as error:  # noqa: BLE001 - the parser child; any reader may fail in any way
        return _refusal("CorruptDocument", f"reading it failed: {type(error).__name__}: {error}")
    if len(payload) > limits.answer_bytes:
        return _refusal("LimitExceeded", f"its text takes more than {limits.answer_bytes:,} bytes")
    return payload


def _refusal(type: str, message: str, hint: str = "") -> bytes:
    return encode(Answer(refusal=Refusal(type=type, message=message[:500], hint=hint)))


if sys.platform == "win32":

    def _answer(data: bytes, name: str, limits: Limits) -> bytes:
        return respond(data, name, limits)

else:

    def _answer(data: bytes, name: str, limits: Limits) -> bytes:
        """What a fork of this process says about the file, or why it could say nothing."""
        out, into = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(out)
            _parse_and_exit(into, data, name, limits)
        os.close(into)
        payload, too_slow = _collect(out, limits)
        os.close(out)
        if too_slow:
            os.kill(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
        if payload and not too_slow and os.WIFEXITED(status):
            return payload
        return _refused_end(status, too_slow=too_slow, memory=usage.ru_maxrss * 1024, limits=limits)

    def _parse_and_exit(into: int, data: bytes, name: str, limits: Limits) -> None:
        try:
            # The pipes to the parent belong to the server; no document may speak in its name.
            os.closerange(3, into)
            os.closerange(into + 1, limits.open_files)
            limit_processor_time(limits.seconds)
            with os.fdopen(into, "wb") as stream:
                stream.write(respond(data, name, limits))
        finally:
            os._exit(0)

    def _collect(out: int, limits: Limits) -> tuple[bytes, bool]:
        """What comes out of the pipe, and whether it came too late or too long."""
        deadline = time.monotonic() + limits.seconds
        parts: list[bytes] = []
        size = 0
        while size <= limits.answer_bytes:
            ready, _, _ = select.select([out], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                return b"", True
            part = os.read(out, _CHUNK)
            if not part:
                return b"".join(parts), False
            parts.append(part)
            size += len(part)
        return b"", True

    def _refused_end(status: int, *, too_slow: bool, memory: int, limits: Limits) -> bytes:
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        if too_slow or number == signal.SIGXCPU:
            return _refusal("LimitExceeded", f"reading it takes more than {limits.seconds} seconds")
        if number == signal.SIGKILL or memory > _NEARLY * limits.memory_bytes:
            return _refusal("LimitExceeded", f"it needs more than {limits.memory_bytes:,} bytes")
        how = signal.Signals(number).name if number else "no answer"
        return _refusal("CorruptDocument", f"the parser crashed on it ({how})")


if __name__ == "__main__":
    main()
