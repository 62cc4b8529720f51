"""Talking to a server of tools by the Model Context Protocol; the one home of `mcp` on this side.

What a server asks of us (to sample a model, to question the person, to list folders) is refused in
the protocol's own words. Progress and log messages are not listened to.
"""

import asyncio
import json
import logging
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from stratal.errors import ToolFailed, ToolServerError
from stratal.tools.last_words import KEPT, LastWords
from stratal.tools.mcp_answers import text_of
from stratal.tools.mcp_schema import cleaned
from stratal.tools.mcp_tools import Hints, McpServer, RemoteTool
from stratal.tools.mcp_wire import over_http, over_stdio
from stratal_memory.learning.redaction import redact
from stratal_memory.text import storable

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import Tool

US = "stratal"
MOST_PAGES = 20  # of one list of tools
MOST_LISTED = 500  # tools
MOST_SCHEMA = 200_000  # characters of a schema that is looked at
MOST_LAST = 400  # characters of what a dead process is quoted with
MOST_TOLD = 2_000  # characters of an error message of a server
SHORTEST_SECRET = 6  # characters; a shorter value would blank out half the message
SESSION_LOST = "Session terminated"  # what the library says where an HTTP server forgot us
UNKNOWN_OUTCOME = "stopped in the middle of the call; whether it did its work is unknown"
_UNSET = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")


class Session:
    """A connected server; to be used in the event loop that connected it."""

    def __init__(
        self, client: "Client", server: McpServer, words: LastWords, ended: asyncio.Event
    ) -> None:
        self._client = client
        self._server = server
        self._words = words
        self.ended = ended  # set once the server says nothing any more; set it to leave

    def last_words(self) -> str:
        """The end of what the process wrote to its standard error, on one line; waits a little."""
        return _last(self._words, self._server)

    async def tools(self) -> tuple[RemoteTool, ...]:
        """What the server offers, each name once; `ToolServerError` when its list is none."""
        from mcp_types import PaginatedRequestParams

        found: dict[str, RemoteTool] = {}
        params = PaginatedRequestParams()
        try:
            for _ in range(MOST_PAGES):
                page = await self._client.session.list_tools(params=params)
                for tool in page.tools[: MOST_LISTED - len(found)]:
                    found.setdefault(tool.name, _remote(tool))
                if page.next_cursor is None or len(found) == MOST_LISTED:
                    break
                params = PaginatedRequestParams(cursor=page.next_cursor)
        except _failures() as error:
            raise _unusable(error, self._server, self._words) from None
        return tuple(found.values())

    async def call(self, tool: str, arguments: Mapping[str, object]) -> str:
        """What the server answers, as text.

        Raises `ToolFailed` with its words when it says that the tool failed, `ToolServerError`
        when it stopped on the way.
        """
        from mcp import MCPError
        from mcp_types import (
            CONNECTION_CLOSED,
            CallToolRequest,
            CallToolRequestParams,
            CallToolResult,
            InputRequiredResult,
        )
        from pydantic import TypeAdapter, ValidationError

        answer: TypeAdapter[CallToolResult | InputRequiredResult] = TypeAdapter(
            CallToolResult | InputRequiredResult
        )
        request = CallToolRequest(
            params=CallToolRequestParams(name=tool, arguments=dict(arguments))
        )
        try:
            # Not `call_tool`: that checks the answer against the server's own schema, whose
            # patterns may take forever.
            result = await self._client.session.send_request(request, answer)
        except MCPError as error:
            if error.code != CONNECTION_CLOSED and error.message != SESSION_LOST:
                raise ToolFailed(cleaned(error.message, most=MOST_TOLD)) from error
            self.ended.set()
            raise ToolServerError(f"{self._server.name} {UNKNOWN_OUTCOME}") from error
        except ValidationError as error:
            raise ToolFailed(f"the answer is none: {error.error_count()} things in it") from error
        if isinstance(result, InputRequiredResult):
            raise ToolFailed("the server asks for more input, and nobody is there to give it")
        if result.is_error:
            raise ToolFailed(text_of(result))
        return text_of(result)


@asynccontextmanager
async def connected(server: McpServer) -> AsyncGenerator[Session]:
    """The server, started or reached; gone again afterwards, its process with it.

    Raises `ToolServerError`, with the last words of a process that died.
    """
    try:
        from mcp import Client
        from mcp_types import Implementation
    except ImportError as error:
        raise ToolServerError(
            f"tools of the MCP server {server.name} need the extra `mcp`",
            hint="pip install 'stratal[mcp]'",
        ) from error
    # It writes what servers send into the log, which holds no text; what matters is raised.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    _check_variables(server)
    words, ended = LastWords(), asyncio.Event()
    transport = over_stdio(server, words, ended) if server.command else over_http(server, ended)
    try:
        async with Client(transport, client_info=Implementation(name=US, version=US)) as client:
            yield Session(client, server, words, ended)
    except _failures() as error:
        raise _unusable(error, server, words) from None
    finally:
        ended.set()
        words.started()


def _failures() -> tuple[type[Exception], ...]:
    """What the library raises when a server fails; a malformed message is a `ValueError`."""
    from anyio import BrokenResourceError, ClosedResourceError
    from httpx2 import HTTPError, InvalidURL
    from mcp import MCPError

    ours = (OSError, ValueError, RuntimeError, ExceptionGroup)
    return (*ours, MCPError, HTTPError, InvalidURL, BrokenResourceError, ClosedResourceError)


def _unusable(error: Exception, server: McpServer, words: LastWords) -> ToolServerError:
    """The error without its cause, in which a header or a variable may stand."""
    said = f"the MCP server {server.name} {_told(error, server)}"
    return ToolServerError(said, hint=_last(words, server))


def _check_variables(server: McpServer) -> None:
    """A `$NAME` that is still there had no value in the environment."""
    for name, value in (*server.env.items(), *server.headers.items()):
        if left := _UNSET.search(value):
            raise ToolServerError(
                f"{name} of the MCP server {server.name} is ${left[1]}, which is not set",
                hint=f"Set {left[1]} in the environment.",
            )


def _told(error: Exception, server: McpServer) -> str:
    """What went wrong, in one line that shows nobody's secrets."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, FileNotFoundError):
        return f"can't be started: there is no program {server.command[0]}"
    said = cleaned(_hidden(str(error), server), most=MOST_TOLD)
    return f"can't be used: {type(error).__name__}: {said}"


def _last(words: LastWords, server: McpServer) -> str:
    said = cleaned(_hidden(words.said(), server), most=KEPT)[-MOST_LAST:]
    return f"It said last: {said}" if said else ""


def _hidden(text: str, server: McpServer) -> str:
    """`text` without the values that only this server is to know."""
    for value in (*server.env.values(), *server.headers.values()):
        if len(value) >= SHORTEST_SECRET:
            text = text.replace(value, "[hidden]")
    return redact(storable(text)).text


def _remote(tool: "Tool") -> RemoteTool:
    hints = tool.annotations
    schema = json.dumps(tool.input_schema, sort_keys=True, separators=(",", ":"))
    return RemoteTool(
        name=storable(tool.name),
        description=storable(tool.description or ""),
        schema=schema,
        hints=Hints(
            read_only=hints.read_only_hint,
            idempotent=hints.idempotent_hint,
            destructive=hints.destructive_hint,
        )
        if hints
        else Hints(),
        flaw=_flaw(tool.input_schema, len(schema)),
    )


def _flaw(schema: Mapping[str, object], length: int) -> str:
    """Why `schema` is no JSON Schema; empty when it is one."""
    # It has no types of its own; what is used of it is narrowed here.
    from jsonschema import (  # type: ignore[import-untyped]
        Draft202012Validator,
        SchemaError,
    )

    if length > MOST_SCHEMA:
        return f"its schema has {length:,} characters"
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"its schema is none: {cleaned(str(error.message), most=200)}"
    except RecursionError:
        return "its schema is nested too deep"
    return ""
