import gzip
import socket
import ssl
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

import pytest

from stratal_ingest.errors import FetchFailed, LimitExceeded, UrlRefused
from stratal_ingest.fetched import Fetched
from stratal_ingest.fetching import FetchLimits, fetch

PUBLIC = "93.184.216.34"
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>hello"


class Web:
    """A server on the loopback that plays every host, and counts who was asked for what."""

    def __init__(self, *answers: bytes) -> None:
        self.requests: list[bytes] = []
        self.connections: list[tuple[str, int]] = []
        self.resolutions: list[str] = []
        self.addresses: Callable[[str], list[str]] = lambda host: [PUBLIC]
        self._answers = list(answers)
        self._server = socket.create_server(("127.0.0.1", 0))
        self.hold = threading.Event()  # set: a connection may be closed

    def resolve(self, host: str, port: int) -> list[str]:
        self.resolutions.append(host)
        return self.addresses(host)

    def connect(self, address: str, port: int, seconds: float) -> socket.socket:
        self.connections.append((address, port))
        threading.Thread(target=self._serve, daemon=True).start()
        return socket.create_connection(self._server.getsockname(), timeout=seconds)

    def fetch(self, url: str, limits: FetchLimits | None = None) -> Fetched:
        return fetch(url, limits=limits, resolve=self.resolve, connect=self.connect)

    def _serve(self) -> None:
        connection, _ = self._server.accept()
        with connection:
            self.requests.append(connection.recv(65_536))
            answer = self._answers.pop(0)
            connection.sendall(answer)
            if answer.endswith(b"..."):
                self.hold.wait(30)

    def close(self) -> None:
        self.hold.set()
        self._server.close()


@contextmanager
def web(*answers: bytes) -> Generator[Web]:
    server = Web(*answers)
    try:
        yield server
    finally:
        server.close()


def redirect(to: str) -> bytes:
    return f"HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n".encode()


def test_a_page_is_fetched_from_the_address_that_was_checked() -> None:
    with web(OK) as server:
        found = server.fetch("http://example.org/a/b?q=1#part")

    assert found == Fetched(
        data=b"<p>hello",
        name="b.html",
        url="http://example.org/a/b?q=1",
        media_type="text/html",
    )
    assert server.connections == [(PUBLIC, 80)]
    assert server.requests[0].startswith(b"GET /a/b?q=1 HTTP/1.1\r\nHost: example.org\r\n")


def test_the_name_is_resolved_once() -> None:
    answers = iter([[PUBLIC], ["127.0.0.1"]])
    with web(OK) as server:
        server.addresses = lambda host: next(answers)
        server.fetch("http://example.org/")

    assert (server.resolutions, server.connections) == (["example.org"], [(PUBLIC, 80)])


@pytest.mark.parametrize(  # covers X2
    "url",
    [
        *("http://127.0.0.1/", "http://localhost/", "http://[::1]/", "http://[::]/", "http://0/"),
        *(
            "http://2130706433/",
            "http://0x7f.1/",
            "http://017700000001/",
            "http://169.254.169.254/",
        ),
        *("http://[::ffff:127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/"),
        *("http://１２７.０.０.１/", "http://127。0。0。1/", "http://[fe80::1%25eth0]/"),
        *("http://example.org:8080/", "http://example.org:22/", "http://example.org:99999/"),
        *("ftp://example.org/", "file:///etc/passwd", "gopher://example.org/", "data:text/html,x"),
        *("http://user:secret@example.org/", "http://example.org@127.0.0.1/", "http:///etc/passwd"),
        *("http://example.org\\@127.0.0.1/", "http://exam\nple.org/", "http://[::1", "http://"),
        *("jar:http://example.org!/", "//127.0.0.1/", "http://example.org\t/", "https://intranet/"),
        "http://example.org/" + "a" * 5_000,
    ],
)
def test_a_url_that_is_not_public_opens_no_connection(url: str) -> None:
    with web() as server, pytest.raises(UrlRefused) as caught:
        server.fetch(url)

    assert server.connections == []
    assert "secret" not in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.1", "::1", "fe80::1%lo", "64:ff9b::a00:1", "169.254.169.254"]
)
def test_a_public_name_with_a_closed_address_opens_no_connection(address: str) -> None:
    with web() as server:
        server.addresses = lambda host: [PUBLIC, address]
        with pytest.raises(UrlRefused):
            server.fetch("https://rebinding.example.com/")

    assert server.connections == []


def test_a_redirect_is_followed_and_checked_again() -> None:
    with web(redirect("/next"), redirect("http://other.org/a b.html"), OK) as server:
        found = server.fetch("http://example.org/")

    assert found.url == "http://other.org/a%20b.html"
    assert server.resolutions == ["example.org", "example.org", "other.org"]


@pytest.mark.parametrize(
    "to", ["http://127.0.0.1/", "//localhost/", "file:///etc/passwd", "http://example.org:22/"]
)
def test_a_redirect_into_the_own_network_opens_no_second_connection(to: str) -> None:
    with web(redirect(to)) as server, pytest.raises(UrlRefused):
        server.fetch("http://example.org/")

    assert len(server.connections) == 1


def test_redirects_end_after_three() -> None:
    with web(*[redirect("/again")] * 4) as server, pytest.raises(LimitExceeded, match="3 times"):
        server.fetch("http://example.org/")

    assert len(server.connections) == 4


def test_without_a_scheme_https_is_used_and_tls_asks_for_the_name() -> None:
    with web(b"no TLS") as server, pytest.raises(FetchFailed, match=r"example\.org"):
        server.fetch("example.org/page")

    assert server.connections == [(PUBLIC, 443)]
    assert b"example.org" in server.requests[0]  # the SNI of the client's hello
    assert ssl.HAS_SNI


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 404 Not Found\r\n\r\n",
        b"nonsense",
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\nbrotli",
        b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 1_000 + b"\r\n",
    ],
)
def test_a_server_that_answers_badly_is_an_error_of_its_own(answer: bytes) -> None:
    with web(answer) as server, pytest.raises(FetchFailed, match=r"example\.org|packed|bytes"):
        server.fetch("http://example.org/")


def test_a_name_nobody_knows_and_a_server_nobody_reaches_are_told() -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise socket.gaierror("no such name")

    def unreachable(address: str, port: int, seconds: float) -> socket.socket:
        raise ConnectionRefusedError("refused")

    with pytest.raises(FetchFailed, match="not known"):
        fetch("http://example.org/", resolve=unknown, connect=unreachable)
    with pytest.raises(FetchFailed, match="can't be reached"):
        fetch("http://example.org/", resolve=lambda host, port: [PUBLIC], connect=unreachable)


def test_a_body_over_the_limit_is_refused_packed_or_not() -> None:
    small = FetchLimits(bytes=1_000)
    packed = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"a" * 2_000)
    with web(OK + b"a" * 2_000, packed) as server:
        for _ in range(2):
            with pytest.raises(LimitExceeded, match="1,000 bytes"):
                server.fetch("http://example.org/", small)


def test_a_packed_body_is_unpacked() -> None:
    with web(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"hi")) as server:
        assert server.fetch("http://example.org/").data == b"hi"


def test_a_packed_body_is_all_of_its_parts() -> None:
    parts = gzip.compress(b"one, ") + gzip.compress(b"two")
    with web(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + parts) as server:
        assert server.fetch("http://example.org/").data == b"one, two"


def test_a_packed_body_that_is_cut_off_is_refused() -> None:
    cut = gzip.compress(b"a long text, of which the end is missing")[:-12]
    answer = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + cut
    with web(answer) as server, pytest.raises(FetchFailed, match="did not come"):
        server.fetch("http://example.org/")


@pytest.mark.parametrize("answer", [b"HTTP/1.1 200 OK\r\nA: ...", OK + b"..."])
def test_a_server_that_never_ends_is_left_when_the_time_is_over(answer: bytes) -> None:
    with web(answer) as server, pytest.raises(LimitExceeded, match=r"0\.2 seconds"):
        server.fetch("http://example.org/", FetchLimits(seconds=0.2))


def test_a_resolver_that_never_answers_is_left_when_the_time_is_over() -> None:
    never = threading.Event()

    def stuck(host: str, port: int) -> list[str]:
        never.wait(30)
        return [PUBLIC]

    with pytest.raises(LimitExceeded):
        fetch("http://example.org/", limits=FetchLimits(seconds=0.1), resolve=stuck)
    never.set()


def test_proxies_of_the_environment_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")

    with web(OK) as server:
        assert server.fetch("http://example.org/").data == b"<p>hello"


def test_an_address_in_the_url_is_not_looked_up() -> None:
    with web(OK) as server:
        server.fetch(f"http://{PUBLIC}/")

    assert (server.resolutions, server.connections) == ([], [(PUBLIC, 80)])
