"""A real HTTP server on the loopback that plays a model API: it checks, then follows a script."""

import json
import os
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Generic, Self, TypeVar, cast

from pydantic import BaseModel

BodyT = TypeVar("BodyT", bound=BaseModel)


class Ending(Enum):
    """How a reply ends."""

    WHOLE = "whole"
    ABRUPT = "abrupt"  # the connection closes inside the body
    RESET = "reset"  # the connection is reset before a byte of the answer
    STALLED = "stalled"  # nothing more comes, until the client hangs up


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One HTTP answer; `parts` are sent as chunks, one by one."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    parts: tuple[bytes, ...] = ()
    ending: Ending = Ending.WHOLE

    def cut_after(self, parts: int, *, ending: Ending = Ending.ABRUPT) -> "Reply":
        """The same reply, over after its first `parts` parts."""
        return replace(self, parts=self.parts[:parts], ending=ending)


def json_reply(status: int, body: object, *, headers: Mapping[str, str] | None = None) -> Reply:
    """An answer that is one JSON document."""
    named = {"content-type": "application/json", **(headers or {})}
    return Reply(status=status, headers=tuple(named.items()), parts=(json.dumps(body).encode(),))


def html_reply(status: int, text: str) -> Reply:
    """What a proxy in between answers."""
    return Reply(status=status, headers=(("content-type", "text/html"),), parts=(text.encode(),))


def sse_reply(events: Iterable[tuple[str, Mapping[str, object]]]) -> Reply:
    """A stream of server-sent events, one part an event."""
    parts = tuple(f"event: {name}\ndata: {json.dumps(data)}\n\n".encode() for name, data in events)
    return Reply(headers=(("content-type", "text/event-stream"),), parts=parts)


@dataclass(frozen=True, slots=True)
class Seen(Generic[BodyT]):
    """One request as it arrived; header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: BodyT
    raw: str


class WireServer(Generic[BodyT]):
    """A context manager: inside it, `url` answers each request that `check` accepts from `script`.

    A request that `check` refuses uses no step; one more than the script holds is answered with
    status 418, which nobody retries.
    """

    def __init__(
        self,
        body: type[BodyT],
        *,
        check: Callable[[Seen[BodyT]], Reply | None],
        script: Iterable[Reply],
    ) -> None:
        self._body = body
        self._check = check
        self._script = iter(tuple(script))
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.answer = self._answer
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self.seen: list[Seen[BodyT]] = []
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _answer(self, path: str, headers: Mapping[str, str], raw: bytes) -> Reply:
        seen = Seen(path, headers, self._body.model_validate_json(raw), raw.decode())
        self.seen.append(seen)
        refused = self._check(seen)
        if refused is not None:
            return refused
        return next(self._script, json_reply(418, {"error": {"message": "the script is over"}}))


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    answer: Callable[[str, Mapping[str, str], bytes], Reply]

    def handle_error(self, request: object, client_address: object) -> None:
        """Says nothing of a client that hung up; anything else is a mistake in a test."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = cast(_Http, self.server).answer(self.path, headers, raw)
        if reply.ending == Ending.RESET:
            self._reset()
            return
        self._send(reply)

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.send_header("connection", "close")  # said aloud, or the client uses it once more
        self.end_headers()
        for part in reply.parts:
            self.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        if reply.ending == Ending.WHOLE:
            self.wfile.write(b"0\r\n\r\n")
        elif reply.ending == Ending.STALLED:
            self.wfile.flush()
            self.rfile.read(1)  # empty once the client has hung up
        # One connection a request: an idle one would keep the server's thread waiting.
        self.close_connection = True

    def _reset(self) -> None:
        """Closes so that the client gets RST: lingering is on, with no time for it."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.connection.detach())
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: a test's output is its own."""
