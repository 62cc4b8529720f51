"""The section of the settings that names other programs' tools."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Self, cast
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator

from stratal.parts import Part
from stratal.tools.mcp_tools import McpServer

_NAME = re.compile(r"[a-zA-Z]([a-zA-Z0-9-]|_(?!_)){0,22}(?<!_)")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


class McpServerSettings(Part):
    """One MCP server: a program that is started, or an address; `[tools.mcp.NAME]`.

    Servers are taken from the user's settings file, the environment, or a file named with
    `--config`; never from a `./stratal.toml` that merely lies in the working directory. In `env`
    and `headers` `$NAME` stands for a variable of the environment, so that keys stay out of files.
    """

    command: list[str] = Field(default_factory=list[str])
    """The program and its arguments; in the environment as a shell reads them."""
    env: dict[str, SecretStr] = Field(default_factory=dict[str, SecretStr])
    """Variables the program gets beside PATH, HOME, USER, LOGNAME, SHELL and TERM; never ours."""
    cwd: Path | None = None
    """The folder it is started in; none: ours."""
    url: str = ""
    """The address of a server that speaks streamable HTTP, in place of a command."""
    headers: dict[str, SecretStr] = Field(default_factory=dict[str, SecretStr])
    """Headers of every request to that address."""
    timeout: float = Field(default=60.0, gt=0, le=3_600)
    """How many seconds a call may take, and the start."""
    tools: list[str] | None = None
    """The tools that are offered, by the names the server gives them; none: all."""
    writes: bool | None = None
    """`false`: nothing of it changes anything, you say; none: all of it does, unless `trusted`."""
    trusted: bool = False
    """Whether what the server says of its tools (that they only read) is believed; if not, its
    descriptions are a stranger's words, and tools with an effect ask while they are offered."""

    @field_validator("command", mode="before")
    @classmethod
    def _words(cls, value: object) -> object:
        return shlex.split(value) if isinstance(value, str) else value

    @field_validator("tools", mode="before")
    @classmethod
    def _commas(cls, value: object) -> object:
        return [one.strip() for one in value.split(",")] if isinstance(value, str) else value

    @field_validator("cwd")
    @classmethod
    def _at_home(cls, value: Path | None) -> Path | None:
        return value and value.expanduser()

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("give it either a command or a url")
        if self.url and (urlsplit(self.url).scheme not in ("http", "https")):
            raise ValueError("the url begins with http:// or https://")
        if (self.url and (self.env or self.cwd)) or (self.command and self.headers):
            raise ValueError("env and cwd go with a command, headers with a url")
        return self

    def server(self, name: str) -> McpServer:
        """The same as the tools read it."""
        return McpServer(
            name=name,
            command=tuple(self.command),
            url=self.url,
            env={key: value.get_secret_value() for key, value in self.env.items()},
            cwd=str(self.cwd) if self.cwd else None,
            headers={key: value.get_secret_value() for key, value in self.headers.items()},
            timeout=self.timeout,
            allowed=None if self.tools is None else frozenset(self.tools),
            writes=self.writes,
            trusted=self.trusted,
        )


class ToolsPart(Part):
    """Tools of other programs."""

    mcp: dict[str, McpServerSettings] = Field(default_factory=dict[str, McpServerSettings])
    """Servers of the Model Context Protocol by name; each is a table of its own."""

    @field_validator("mcp")
    @classmethod
    def _names(cls, value: dict[str, McpServerSettings]) -> dict[str, McpServerSettings]:
        for name in value:
            if not _NAME.fullmatch(name):
                raise ValueError(
                    "a server's name has 1 to 24 letters, digits, - and single _; it begins with "
                    "a letter and does not end in _"
                )
        return value

    def servers(self) -> tuple[McpServer, ...]:
        """Every server, in the order of the settings."""
        return tuple(settings.server(name) for name, settings in self.mcp.items())


def with_variables(tree: Mapping[str, object], environment: Mapping[str, str]) -> dict[str, object]:
    """`tree` of settings where `$NAME` in a server's env and headers is what `environment` says.

    What has no value there stays as it is; the server says so when it is needed.
    """

    def filled(value: object) -> object:
        if isinstance(value, dict):
            return {key: filled(below) for key, below in value.items()}
        if not isinstance(value, str):
            return value
        return _VARIABLE.sub(lambda found: environment.get(found[1] or found[2], found[0]), value)

    def server(value: object) -> object:
        if not isinstance(value, dict):
            return value
        return {
            key: filled(below) if key in ("env", "headers") else below
            for key, below in value.items()
        }

    tools = tree.get("tools")
    servers = tools.get("mcp") if isinstance(tools, dict) else None
    if not isinstance(servers, dict):
        return dict(tree)
    made = {name: server(value) for name, value in servers.items()}
    return {**tree, "tools": {**cast("dict[str, object]", tools), "mcp": made}}
