"""The two ways to a server of tools: a child process's standard streams, and HTTP.

A part of `mcp.py`, for the same library.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Self

from stratal.tools.last_words import LastWords
from stratal.tools.mcp_tools import McpServer

if TYPE_CHECKING:
    import httpx2
    from mcp.client._transport import ReadStream, TransportStreams
    from mcp.shared.message import SessionMessage

MOST_BYTES = 32 * 1024 * 1024  # of one answer over HTTP
CONNECTING = 30.0  # seconds of one HTTP connection


@asynccontextmanager
async def over_stdio(
    server: McpServer, words: LastWords, ended: asyncio.Event
) -> "AsyncGenerator[TransportStreams]":
    """A process in a session of its own, so that Ctrl-C is ours alone.

    Of our environment it gets what a program needs to find its way (PATH, HOME, USER, LOGNAME,
    SHELL, TERM; `mcp` names them), and what the settings name.
    """
    from mcp import StdioServerParameters, stdio_client

    program, *arguments = server.command
    how = StdioServerParameters(
        command=program,
        args=arguments,
        env=dict(server.env),
        cwd=server.cwd,
        encoding_error_handler="replace",
    )
    async with stdio_client(how, errlog=words.stream) as (reading, writing):
        words.started()
        yield Heard(reading, ended), writing


@asynccontextmanager
async def over_http(server: McpServer, ended: asyncio.Event) -> "AsyncGenerator[TransportStreams]":
    """Streamable HTTP; the library follows no redirect to another origin."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async def cap(response: httpx2.Response) -> None:
        if response.headers.get("content-type", "").startswith("application/json"):
            response.stream = _capped_stream(response.stream)

    patience = httpx2.Timeout(CONNECTING, read=server.timeout + CONNECTING)
    async with (
        httpx2.AsyncClient(
            headers=dict(server.headers), timeout=patience, event_hooks={"response": [cap]}
        ) as client,
        streamable_http_client(server.url, http_client=client, max_sse_event_size=MOST_BYTES) as (
            reading,
            writing,
        ),
    ):
        yield Heard(reading, ended), writing


class Heard:
    """The messages of a server, with an event for their end: a dead one is not asked again."""

    def __init__(
        self, stream: "ReadStream[SessionMessage | Exception]", ended: asyncio.Event
    ) -> None:
        self._stream = stream
        self._ended = ended

    @property
    def last_context(self) -> object:
        """What the library looks for on streams that carry the sender's context."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> "SessionMessage | Exception":
        """The next message."""
        return await self._stream.receive()

    async def aclose(self) -> None:
        """Hear no more."""
        self._ended.set()
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> "SessionMessage | Exception":
        try:
            return await self._stream.__anext__()
        except StopAsyncIteration:
            self._ended.set()
            raise

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        self._ended.set()
        return await self._stream.__aexit__(exc_type, exc_val, exc_tb)


def _capped_stream(stream: object) -> "httpx2.AsyncByteStream":
    """`stream` that breaks off when a server sends without end."""
    import httpx2

    class Capped(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            got = 0
            assert isinstance(stream, httpx2.AsyncByteStream), "an async client reads async"
            async for piece in stream:
                got += len(piece)
                if got > MOST_BYTES:
                    raise httpx2.StreamError(f"more than {MOST_BYTES:,} bytes")
                yield piece

        async def aclose(self) -> None:
            if isinstance(stream, httpx2.AsyncByteStream):
                await stream.aclose()

    return Capped()
