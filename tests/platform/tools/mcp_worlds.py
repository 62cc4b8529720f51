"""Servers of tools for tests: a script for the raw one, a place to hear from it, a memory."""

import json
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from stratal.tools.mcp_servers import McpServers
from stratal.tools.mcp_tools import McpServer
from stratal.tools.tool import Tool

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PATIENCE = 20.0  # seconds; nothing here takes so long unless it hangs


class Remembered:
    """Fingerprints in a dictionary."""

    def __init__(self) -> None:
        self.prints: dict[str, dict[str, str]] = {}

    def first_seen(self, server: str, prints: Mapping[str, str]) -> Mapping[str, str]:
        known = self.prints.setdefault(server, {})
        known.update({name: one for name, one in prints.items() if name not in known})
        return dict(known)

    def accept(self, server: str, prints: Mapping[str, str]) -> None:
        self.prints[server].update(prints)


def described(name: str, **more: object) -> dict[str, Any]:
    """A tool as the raw server lists it."""
    return {"name": name, "description": f"Does {name}.", "inputSchema": {"type": "object"}, **more}


def raw(
    tmp_path: Path,
    *tools: str | Mapping[str, Any],
    name: str = "raw",
    how: str = "",
    timeout: float = PATIENCE,
    env: Mapping[str, str] | None = None,
    trusted: bool = False,
) -> McpServer:
    """The raw server with these tools."""
    script = tmp_path / f"{name}.json"
    listed = [described(one) if isinstance(one, str) else one for one in tools]
    script.write_text(json.dumps({"tools": listed, "how": how}))
    return McpServer(
        name=name,
        command=(sys.executable, "-I", str(HERE / "mcp_raw_server.py"), str(script)),
        timeout=timeout,
        env=env or {},
        trusted=trusted,
    )


def by_name(servers: McpServers) -> dict[str, Tool]:
    """The tools that are offered."""
    return {tool.spec.name: tool for tool in servers.tools()}


def only(tools: Sequence[Tool]) -> Tool:
    (tool,) = tools
    return tool


class Events:
    """Hears what the raw server tells of itself; give it `env`."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(PATIENCE)

    @property
    def env(self) -> dict[str, str]:
        return {"EVENTS": str(self._socket.getsockname()[1])}

    def next(self) -> str:
        """The next event; a test that waits for one that never comes fails."""
        connection, _ = self._socket.accept()
        with connection:
            connection.settimeout(PATIENCE)
            return connection.makefile().read()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()
