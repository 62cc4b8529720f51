"""The servers of tools of one agent: their tools, which of them are offered, and their end."""

import asyncio
import atexit
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Protocol, Self

from stratal.errors import NotFound, ToolServerError
from stratal.tools.invocation import Invocation
from stratal.tools.loop_thread import LoopThread
from stratal.tools.mcp_link import Link
from stratal.tools.mcp_tools import ListedTool, McpServer, RemoteTool, ToolState, listed
from stratal.tools.tool import Tool, arguments_of

CLOSING = 10.0  # seconds; the library lets a process go for 2, ends it, and kills it after 2 more
GRACE = 10.0  # seconds above a server's own limit, for a loop that hangs

log = logging.getLogger(__name__)


class Known(Protocol):
    """The fingerprints of tools that were accepted, by a server's name and the tools' own names."""

    def first_seen(self, server: str, prints: Mapping[str, str]) -> Mapping[str, str]:
        """What is known of `server`, where a tool that was unknown is as in `prints` from now."""
        ...

    def accept(self, server: str, prints: Mapping[str, str]) -> None:
        """These are as they should be from now on."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What became of one server: its tools, or why there are none."""

    server: McpServer
    tools: tuple[ListedTool, ...] = ()
    problem: str = ""
    hint: str = ""


class McpServers:
    """The tools of other programs. Close it, or use it in a `with`.

    Nothing is started before the first look, and then everything at the same time. What was found
    stays for the life of this object: a server that says its tools changed is not listened to,
    because another list of tools would break the provider's cache of the whole conversation.
    """

    def __init__(self, servers: Sequence[McpServer], known: Known) -> None:
        self._links = {server.name: Link(server) for server in servers}
        self._known = known
        self._loop: LoopThread | None = None
        self._offers: tuple[Offer, ...] | None = None
        self._lock = Lock()
        self._closed = False

    def tools(self) -> tuple[Tool, ...]:
        """Those that are offered, in the order of the settings and by name."""
        return tuple(
            self._tool(self._links[offer.server.name], one)
            for offer in self.offers()
            for one in offer.tools
            if one.state is ToolState.READY
        )

    def strangers(self) -> frozenset[str]:
        """The names, for the model, of those whose server is not trusted."""
        every = (one for offer in self.offers() for one in offer.tools)
        return frozenset(one.spec.name for one in every if not one.trusted)

    def left_out(self) -> dict[str, str]:
        """What is said of each tool whose description changed, by its name for the model."""
        every = (one for offer in self.offers() for one in offer.tools)
        return {
            one.spec.name: f"{one.complaint}; {one.remedy}"
            for one in every
            if one.state is ToolState.CHANGED
        }

    def offers(self) -> tuple[Offer, ...]:
        """Every server with what it has; one that can't be used says why, and harms no other."""
        if not self._links:
            return ()
        with self._lock:
            if self._offers is None:
                self._offers = self._look()
            return self._offers

    def offer(self, server: str) -> Offer:
        """The same of one server; `NotFound` when the settings name none like it."""
        for offer in self.offers():
            if offer.server.name == server:
                return offer
        names = ", ".join(self._links) or "none"
        raise NotFound(f"there is no MCP server {server[:40]!r}", hint=f"There are: {names}.")

    def accept(self, server: str) -> tuple[ListedTool, ...]:
        """The changed tools of `server`, which count as they are now for those who open anew."""
        offer = self.offer(server)
        if offer.problem:
            raise ToolServerError(offer.problem, hint=offer.hint)
        changed = tuple(one for one in offer.tools if one.state is ToolState.CHANGED)
        self._known.accept(server, _prints(one.remote for one in changed))
        return changed

    def close(self) -> None:
        """End every server; closing twice is closing once, and nothing starts any more."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            loop, self._loop = self._loop, None
        if loop is None:
            return
        atexit.unregister(self.close)
        try:
            loop.wait_for(self._close_all(), seconds=CLOSING)
        except TimeoutError:
            log.warning("an MCP server did not end in %g seconds", CLOSING)
        finally:
            loop.close(seconds=GRACE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    async def _close_all(self) -> None:
        await asyncio.gather(*(link.close() for link in self._links.values()))

    def _look(self) -> tuple[Offer, ...]:
        found = self._running().wait_for(self._look_all())
        return tuple(
            self._offered(link.server, tools)
            for link, tools in zip(self._links.values(), found, strict=True)
        )

    async def _look_all(self) -> list[tuple[RemoteTool, ...] | ToolServerError]:
        return await asyncio.gather(*(_tools_of(link) for link in self._links.values()))

    def _offered(self, server: McpServer, tools: tuple[RemoteTool, ...] | ToolServerError) -> Offer:
        if isinstance(tools, ToolServerError):
            log.warning("%s %s", tools, tools.hint)
            return Offer(server=server, problem=str(tools), hint=tools.hint)
        known = self._known.first_seen(server.name, _prints(tools))
        found = listed(server, tools, known)
        for one in found:
            if one.state in (ToolState.CHANGED, ToolState.UNFIT):
                log.warning("%s", "; ".join(filter(None, (one.complaint, one.remedy))))
        return Offer(server=server, tools=found)

    def _running(self) -> LoopThread:
        """The loop, begun at the first use; without a `close` the servers end with the program."""
        if self._closed:
            raise ToolServerError("the agent is closed, and its MCP servers with it")
        if self._loop is None:
            self._loop = LoopThread("stratal-mcp")
            atexit.register(self.close)
        return self._loop

    def _tool(self, link: Link, one: ListedTool) -> Tool:
        def runs(arguments: str, invocation: Invocation) -> str:
            given = arguments_of(arguments)
            with self._lock:
                loop = self._running()
            return loop.wait_for(link.call(one.remote, given), invocation.cancelled)

        limit = link.server.timeout * 2 + GRACE  # a start, perhaps, and the call
        return Tool(spec=one.spec, runs=runs, writes=one.writes, effect=one.effect, timeout=limit)


def _prints(tools: Iterable[RemoteTool]) -> dict[str, str]:
    return {tool.name: tool.fingerprint for tool in tools}


async def _tools_of(link: Link) -> tuple[RemoteTool, ...] | ToolServerError:
    """What it offers, or why nothing: one server's trouble is not another's."""
    try:
        return await link.tools()
    except ToolServerError as error:
        return error
