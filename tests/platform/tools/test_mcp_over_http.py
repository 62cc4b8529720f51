"""A real server of tools on the loopback, spoken to over streamable HTTP."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
import uvicorn
from mcp.server.mcpserver import MCPServer
from starlette.types import ASGIApp, Receive, Scope, Send

from stratal.errors import ToolFailed, ToolServerError
from stratal.tools import mcp_wire
from stratal.tools.mcp_servers import McpServers
from stratal.tools.mcp_tools import McpServer
from tests.platform.tools.mcp_server import TEXT, server
from tests.platform.tools.mcp_worlds import PATIENCE, Remembered, by_name

KEY = "Bearer a-very-secret-token"
Serve = Callable[[ASGIApp], str]


class Guard:
    """Lets in who shows the key, as a server with an account does."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and dict(scope["headers"]).get(b"authorization") != KEY.encode():
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": KEY.encode()})
            return
        await self.app(scope, receive, send)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers on ports of the loopback and ends them."""
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start(app: ASGIApp) -> str:
        listening = socket.create_server(("127.0.0.1", 0))  # connections wait until it is ready
        made = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1))
        thread = threading.Thread(target=made.run, kwargs={"sockets": [listening]})
        thread.start()
        running.append((made, thread))
        return f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"

    yield start
    for made, thread in running:
        made.should_exit = True
        thread.join(PATIENCE)


def test_a_server_over_http_is_used_like_any_tool(serve: Serve) -> None:
    url = serve(Guard(server().streamable_http_app()))
    named = McpServer(name="web", url=url, headers={"authorization": KEY}, timeout=PATIENCE)
    with McpServers([named], Remembered()) as servers:
        tools = by_name(servers)

        assert tools["web__count_words"].run('{"text": "one two"}') == "2"
        assert tools["web__greet"].run('{"name": "Ada"}') == f"{TEXT} Ada"
        with pytest.raises(ToolFailed, match="break_down"):
            tools["web__break_down"].run("{}")


def test_a_server_that_lets_nobody_in_says_why_without_the_key(serve: Serve) -> None:
    # covers X5
    url = serve(Guard(server().streamable_http_app()))
    named = McpServer(name="web", url=url, headers={"authorization": KEY + "x"}, timeout=PATIENCE)
    with McpServers([named], Remembered()) as servers:
        offer = servers.offer("web")

    assert "can't be used" in offer.problem
    assert "secret" not in offer.problem + offer.hint + repr(named)


def test_an_address_where_nobody_listens_is_a_problem_of_that_server_alone() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    with McpServers([McpServer(name="web", url=f"http://127.0.0.1:{port}/")], Remembered()) as none:
        assert none.tools() == ()
        assert "can't be used" in none.offer("web").problem


def test_a_large_answer_comes_over_http(serve: Serve) -> None:
    made = MCPServer("large")

    @made.tool()
    def much() -> str:
        """A lot."""
        return "x" * 3_000_000

    with McpServers(
        [McpServer(name="web", url=serve(made.streamable_http_app()))], Remembered()
    ) as servers:
        assert len(by_name(servers)["web__much"].run("{}")) == 3_000_000


def test_an_answer_without_end_is_cut_off(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_wire, "MOST_BYTES", 100_000)
    made = MCPServer("endless")

    @made.tool()
    def much() -> str:
        """A lot."""
        return "x" * 200_000

    app = made.streamable_http_app(json_response=True)
    with McpServers([McpServer(name="web", url=serve(app))], Remembered()) as servers:
        tool = by_name(servers)["web__much"]
        with pytest.raises(ToolFailed, match="more than 100,000 bytes"):
            tool.run("{}")


def test_a_server_that_is_gone_in_the_middle_leaves_the_outcome_unknown(serve: Serve) -> None:
    made = MCPServer("leaving")

    @made.tool()
    def leave() -> str:
        """Close every connection."""
        return "never"

    app = made.streamable_http_app()

    async def cut(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and dict(scope["headers"]).get(b"mcp-method") == b"tools/call":
            await send(
                {
                    "type": "http.response.start",
                    "status": 200,
                    "headers": [(b"content-type", b"text/event-stream")],
                }
            )
            await send({"type": "http.response.body", "body": b": wait\n\n", "more_body": True})
            raise ConnectionError("gone")
        await app(scope, receive, send)

    with McpServers([McpServer(name="web", url=serve(cut))], Remembered()) as servers:
        tool = by_name(servers)["web__leave"]
        with pytest.raises(ToolServerError, match="whether it did its work is unknown"):
            tool.run("{}")
