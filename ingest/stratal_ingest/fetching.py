"""A document from the web, fetched so that no URL can reach into the network behind us.

The name is resolved once and every address it has must be public; the connection goes to the
very address that was checked. A redirect is a new URL, checked like the first. Source:
RELIABILITY, threat 13 and X2.
"""

import http.client
import queue
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from stratal_ingest.addresses import checked_addresses
from stratal_ingest.errors import FetchFailed, LimitExceeded
from stratal_ingest.fetched import Fetched, fetched
from stratal_ingest.web_target import Target

Resolve = Callable[[str, int], Sequence[str]]
"""Host and port in, its addresses as text out; `OSError` where it has none."""

Connect = Callable[[str, int, float], socket.socket]
"""Address, port and seconds in, a connected socket out; `OSError` where nobody answers."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAX_ADDRESSES = 3  # of one name that are tried
_CHUNK = 64 * 1024
_AGENT = "stratal-ingest"
_ACCEPTED = "text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,*/*;q=0.5"


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """What one URL may take. Source: RELIABILITY, threat 13."""

    bytes: int = 10 * 1_000_000  # of the body, unpacked
    seconds: float = 20  # on the clock, all redirects together
    redirects: int = 3


def resolved(host: str, port: int) -> list[str]:
    """The addresses the system knows for `host`, in its order."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def connected(address: str, port: int, seconds: float) -> socket.socket:
    """A socket connected to `address`, which is never a name."""
    return socket.create_connection((address, port), timeout=seconds)


def fetch(
    url: str,
    *,
    limits: FetchLimits | None = None,
    resolve: Resolve = resolved,
    connect: Connect = connected,
) -> Fetched:
    """The document at `url`; without a scheme it is asked for by `https`.

    Raises `UrlRefused` before anything is connected to, `FetchFailed` for a server that does not
    answer as it should, `LimitExceeded` for too many bytes, seconds or redirects. No proxy and
    no credential of the environment is used; no message holds the URL's path or query.
    """
    limits = limits or FetchLimits()
    fetching = _Fetching(limits, time.monotonic() + limits.seconds, resolve, connect)
    target = Target.of(url if "://" in url else f"https://{url}")
    for _ in range(limits.redirects + 1):
        found = fetching.one(target)
        if isinstance(found, Fetched):
            return found
        target = found
    raise LimitExceeded(f"it redirects more than {limits.redirects} times")


class _Fetching:
    """One fetch: its hops share the clock."""

    def __init__(
        self, limits: FetchLimits, deadline: float, resolve: Resolve, connect: Connect
    ) -> None:
        self._limits = limits
        self._deadline = deadline
        self._resolve = resolve
        self._connect = connect

    def one(self, target: Target) -> Fetched | Target:
        """The document at `target`, or where it redirects to."""
        opened = self._opened(target, self._addresses(target))
        stream = _secured(opened, target) if target.secure else opened
        with self._ended_in_time(stream):
            try:
                if isinstance(stream, ssl.SSLSocket):
                    stream.do_handshake()
                return self._asked(stream, target)
            except (OSError, http.client.HTTPException, ValueError) as error:
                self._seconds_left()  # the clock is the better reason
                what = type(error).__name__
                raise FetchFailed(f"{target.host} did not answer as it should: {what}") from error

    def _seconds_left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise LimitExceeded(f"fetching it takes more than {self._limits.seconds:g} seconds")
        return left

    def _addresses(self, target: Target) -> list[str]:
        if target.host.replace(".", "").isdigit() or ":" in target.host:
            return checked_addresses([target.host])
        try:
            found = _in_time(lambda: self._resolve(target.host, target.port), self._seconds_left())
        except (OSError, UnicodeError) as error:
            raise FetchFailed(f"{target.host} is not known") from error
        except queue.Empty:
            self._deadline = 0.0
            self._seconds_left()
            raise
        if not found:
            raise FetchFailed(f"{target.host} is not known")
        return checked_addresses(found)[:_MAX_ADDRESSES]

    def _opened(self, target: Target, addresses: Sequence[str]) -> socket.socket:
        reason: OSError | None = None
        for address in addresses:
            try:
                return self._connect(address, target.port, self._seconds_left())
            except OSError as error:
                reason = error
        raise FetchFailed(f"{target.host} can't be reached: {reason}") from reason

    @contextmanager
    def _ended_in_time(self, opened: socket.socket) -> Generator[None]:
        """Close the connection in the end, and earlier when the time is over: reads end then."""
        timer = threading.Timer(self._seconds_left(), _shut, [opened])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            _shut(opened)
            opened.close()

    def _asked(self, stream: socket.socket, target: Target) -> Fetched | Target:
        connection = http.client.HTTPConnection(target.host, target.port)
        connection.sock = stream
        connection.putrequest("GET", target.request, skip_host=True, skip_accept_encoding=True)
        headers = {
            "Host": target.place,
            "User-Agent": _AGENT,
            "Accept": _ACCEPTED,
            "Accept-Encoding": "identity",
            "Connection": "close",
        }
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        location = response.getheader("Location")
        if response.status in _REDIRECTS and location:
            return target.redirected(location)
        if response.status != http.client.OK:
            raise FetchFailed(f"{target.host} answered {response.status}")
        return fetched(self._body(response), response.headers, target.url)

    def _body(self, response: http.client.HTTPResponse) -> bytes:
        parts: list[bytes] = []
        size = 0
        while part := response.read(_CHUNK):
            self._seconds_left()
            parts.append(part)
            size += len(part)
            if size > self._limits.bytes:
                raise self._too_large()
        self._seconds_left()  # a connection we ended looks like one the server ended
        if response.length:
            raise FetchFailed(f"its last {response.length:,} bytes did not come")
        return self._unpacked(b"".join(parts), response.getheader("Content-Encoding", "identity"))

    def _unpacked(self, data: bytes, encoding: str) -> bytes:
        """`data` without an encoding that was not asked for, counted while it grows."""
        if encoding.strip().lower() in {"identity", ""}:
            return data
        plain = b""
        while data:
            packed = zlib.decompressobj(zlib.MAX_WBITS | 32)
            try:
                plain += packed.decompress(data, self._limits.bytes + 1 - len(plain))
            except zlib.error as error:
                raise FetchFailed("its answer is packed in a way that was not asked for") from error
            if len(plain) > self._limits.bytes:
                raise self._too_large()
            if not packed.eof:
                raise FetchFailed("its answer is packed, and the end of it did not come")
            data = packed.unused_data
        return plain

    def _too_large(self) -> LimitExceeded:
        return LimitExceeded(f"it has more than the {self._limits.bytes:,} bytes allowed")


def _secured(opened: socket.socket, target: Target) -> ssl.SSLSocket:
    """The connection as it will be encrypted, for the name that was asked for."""
    return ssl.create_default_context().wrap_socket(
        opened, server_hostname=target.host, do_handshake_on_connect=False
    )


def _shut(opened: socket.socket) -> None:
    try:
        opened.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it was closed already


def _in_time(action: Callable[[], Sequence[str]], seconds: float) -> Sequence[str]:
    """What `action` returns or raises; `queue.Empty` when it takes longer."""
    answers: queue.SimpleQueue[Sequence[str] | OSError | UnicodeError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(action())
        except (OSError, UnicodeError) as error:
            answers.put(error)

    threading.Thread(target=ask, daemon=True).start()
    answer = answers.get(timeout=seconds)
    if isinstance(answer, (OSError, UnicodeError)):
        raise answer
    return answer
