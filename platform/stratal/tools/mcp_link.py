"""One server of tools: started when it is needed, once more when it dies, and ended with us."""

import asyncio
import logging
from collections.abc import Mapping

from stratal.errors import ToolServerError
from stratal.tools.mcp import Session, connected
from stratal.tools.mcp_tools import McpServer, RemoteTool

MOST_STARTS = 2
log = logging.getLogger(__name__)


class Link:
    """A server in the event loop that it is used in. It has one life, and a second if it dies."""

    def __init__(self, server: McpServer) -> None:
        self.server = server
        self._starting = asyncio.Lock()
        self._starts = 0
        self._session: Session | None = None
        self._tools: tuple[RemoteTool, ...] = ()
        self._going = set[asyncio.Task[None]]()
        self._closed = False

    async def tools(self) -> tuple[RemoteTool, ...]:
        """What the server offers since it was started last; `ToolServerError` if it can't be."""
        await self._alive()
        return self._tools

    async def call(self, tool: RemoteTool, arguments: Mapping[str, object]) -> str:
        """What `tool` answers. A call is made once, whatever becomes of it.

        Raises `ToolFailed`, and `ToolServerError` when there is no answer in time, when the server
        stops on the way, or when it came back with another tool of that name.
        """
        session = await self._alive()
        if tool not in self._tools:
            raise ToolServerError(
                f"{tool.name} of the MCP server {self.server.name} is not what it was before",
                hint=f"The person can look at it: stratal tools accept {self.server.name}",
            )
        try:
            async with asyncio.timeout(self.server.timeout):
                return await session.call(tool.name, arguments)
        except TimeoutError:
            raise ToolServerError(
                f"{tool.name} of the MCP server {self.server.name} gave no answer in "
                f"{self.server.timeout:g} seconds; whether it did its work is unknown"
            ) from None
        except ToolServerError as error:
            error.hint = await asyncio.to_thread(session.last_words)
            raise

    async def close(self) -> None:
        """End the server and wait until it is gone; the library kills one that stays."""
        self._closed = True
        if self._session is not None:
            self._session.ended.set()
        else:
            for task in self._going:
                task.cancel()
        if self._going:
            await asyncio.wait(self._going)

    async def _alive(self) -> Session:
        async with self._starting:
            if self._session is not None and not self._session.ended.is_set():
                return self._session
            if self._closed or self._starts == MOST_STARTS:
                raise ToolServerError(
                    f"the MCP server {self.server.name} stopped and is not started again",
                    hint="The person can look at it: stratal tools test " + self.server.name,
                )
            self._starts += 1
            self._session = None
            self._session = await self._started()
            return self._session

    async def _started(self) -> Session:
        ready: asyncio.Future[Session] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._hold(ready))
        self._going.add(task)
        task.add_done_callback(self._going.discard)
        works = False
        try:
            async with asyncio.timeout(self.server.timeout):
                session = await ready
                self._tools = await session.tools()
                works = True
                return session
        except TimeoutError:
            raise ToolServerError(
                f"the MCP server {self.server.name} did not start in "
                f"{self.server.timeout:g} seconds"
            ) from None
        finally:
            if not works:
                task.cancel()

    async def _hold(self, ready: "asyncio.Future[Session]") -> None:
        """The connection from its beginning to its end, both in this one task, as they must be."""
        try:
            async with connected(self.server) as session:
                if not ready.done():
                    ready.set_result(session)
                await session.ended.wait()
        except ToolServerError as error:
            if ready.done():
                log.warning("%s %s", error, error.hint)
            else:
                ready.set_exception(error)
