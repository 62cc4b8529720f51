"""Where documents are parsed: a child process with limits, an empty environment and no network."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from pydantic import TypeAdapter, ValidationError

import stratal_memory
from stratal_ingest.document import ReadDocument, Refusal
from stratal_ingest.errors import REFUSALS, CorruptDocument, LimitExceeded, SandboxError
from stratal_ingest.limits import Limits
from stratal_ingest.parser_server import READY
from stratal_ingest.wire import Answer, receive, send

_GRACE = 5  # seconds the child has beyond a file's limit to say that it was too slow
_START = 60  # seconds the child may take to come up
_ANSWER = TypeAdapter(Answer)
# `-I` keeps the environment's paths out of the child; where this very code lies is told to it.
_ROOTS = tuple(str(Path(file).parents[1]) for file in (__file__, stratal_memory.__file__))
_PROGRAM = (
    "import sys; sys.path[:0] = sys.argv[1:-1]; "
    "from stratal_ingest.parser_server import main; main()"
)


class Sandbox:
    """Reads documents in a child process; one child serves many files.

    The child is started on first use and again after it broke. On platforms without `resource`
    and `fork` (Windows) only the limit on the clock holds. Use it as a context manager.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._child: _Child | None = None

    def read(self, data: bytes, name: str) -> ReadDocument:
        """The document in `data`; `name` is only a hint at its format.

        Raises a `DocumentError` for this document, `SandboxError` when no child can be started.
        """
        if len(data) > self._limits.file_bytes:
            raise LimitExceeded(
                f"it has {len(data):,} bytes, {self._limits.file_bytes:,} are allowed"
            )
        answer = self._asked(self._running(), data, name)
        if answer.document is None:
            raise _error(answer.refusal)
        return answer.document

    def _running(self) -> "_Child":
        if self._child is not None and not self._child.alive:
            self.close()
        if self._child is None:
            self._child = _Child(self._limits)
        return self._child

    def _asked(self, child: "_Child", data: bytes, name: str) -> Answer:
        try:
            return _ANSWER.validate_json(child.ask(data, name))
        except (EOFError, OSError, ValueError, ValidationError) as error:
            self.close()
            if child.too_slow:
                seconds = self._limits.seconds
                raise LimitExceeded(f"reading it takes more than {seconds} seconds") from error
            raise CorruptDocument("the parser ended without a usable answer") from error
        except BaseException:
            self.close()  # an answer still in the pipe must never be taken for the next file's
            raise

    @property
    def pid(self) -> int | None:
        """The process id of the running child; None while there is none."""
        return self._child.pid if self._child else None

    def close(self) -> None:
        """End the child, and everything it started."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _error(refusal: Refusal | None) -> Exception:
    if refusal is None or refusal.type not in REFUSALS:
        return CorruptDocument("the parser gave no reason")
    return REFUSALS[refusal.type](refusal.message, hint=refusal.hint)


class _Child:
    """One running parser process and the pipes to it."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.too_slow = False
        with tempfile.TemporaryFile() as complaints:
            self._process = _start(limits, complaints)
            try:
                ready = self._within(_START, self._receive)
            except (EOFError, OSError, ValueError):
                ready = b""
            if ready != READY:
                self.kill()
                complaints.seek(0)
                raise SandboxError(
                    "the process that parses documents did not start: "
                    + (complaints.read()[-400:].decode("utf-8", "replace").strip() or "no message"),
                    hint="Install Stratal into the Python that runs it.",
                )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, data: bytes, name: str) -> bytes:
        """The answer as it came; `too_slow` is set when the child was ended for its time."""
        return self._within(self._limits.seconds + _GRACE, lambda: self._exchange(data, name))

    def kill(self) -> None:
        """End the process group and take its exit status."""
        _kill_group(self._process)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                _close(stream)
        self._process.wait()

    def _within(self, seconds: float, action: Callable[[], bytes]) -> bytes:
        """What `action` returns; the child is killed after `seconds`, which ends any read."""
        timer = threading.Timer(seconds, self._expire)
        timer.daemon = True
        timer.start()
        try:
            return action()
        finally:
            timer.cancel()

    def _expire(self) -> None:
        self.too_slow = True
        _kill_group(self._process)

    def _exchange(self, data: bytes, name: str) -> bytes:
        assert self._process.stdin is not None
        send(self._process.stdin, name.encode("utf-8", "replace"))
        send(self._process.stdin, data)
        return self._receive()

    def _receive(self) -> bytes:
        assert self._process.stdout is not None
        return receive(self._process.stdout, limit=self._limits.answer_bytes)


def _start(limits: Limits, complaints: IO[bytes]) -> subprocess.Popen[bytes]:
    arguments = ["-I", "-B", "-X", "utf8", "-c", _PROGRAM, *_ROOTS]
    # Windows can't start a process without SystemRoot; no other variable is handed on.
    kept = {name: os.environ[name] for name in ("SYSTEMROOT",) if sys.platform == "win32"}
    return subprocess.Popen(
        [sys.executable, *arguments, json.dumps(asdict(limits))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=complaints,
        env=kept,
        start_new_session=True,
    )


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)


def _close(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except BrokenPipeError:
        return  # what was still to be written was for the process that is gone
