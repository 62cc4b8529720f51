"""A server on the loopback that answers each path with what it was given for it."""

import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self, cast


class ModelsServer:
    """A context manager: inside it, `url` answers a path with its status and body, else 404.

    A status from 300 to 399 sends the body as the `location`. Requests stand in `seen`, each as
    method, path, headers (names in lower case) and body.
    """

    def __init__(self, answers: Mapping[str, tuple[int, str]]) -> None:
        self.answers = answers
        self.seen: list[tuple[str, str, dict[str, str], str]] = []
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
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


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    owner: ModelsServer


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def _answer(self, method: str) -> None:
        server = cast(_Http, self.server).owner
        body = self.rfile.read(int(self.headers.get("content-length", "0"))).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        server.seen.append((method, self.path, headers, body))
        status, text = server.answers.get(self.path, (404, "{}"))
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("location", text)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: a test's output is its own."""
