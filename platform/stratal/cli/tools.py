"""`stratal tools`: what the model may call, and the servers other programs' tools come from."""

import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import RenderableType

from stratal.agent import Agent
from stratal.cli.arguments import text
from stratal.cli.calls_view import visible
from stratal.cli.lines import confirm
from stratal.cli.opening import opened, opened_store, settings_of
from stratal.cli.options import Common, common_of
from stratal.cli.shapes.tools import ToolList, ToolServerProblem, ToolServerShown, ToolShape
from stratal.cli.terminal import Terminal, brief, cell, lines, table
from stratal.errors import ToolServerError
from stratal.tools.mcp_known import KnownTools
from stratal.tools.mcp_servers import McpServers, Offer
from stratal.tools.mcp_tools import ListedTool, ToolState
from stratal.tools.tool import Tool

app = typer.Typer(help="What the model may call, MCP servers among it.", add_completion=False)

Server = Annotated[str, typer.Argument(metavar="SERVER", parser=text)]
Yes = Annotated[bool, typer.Option("--yes", help="Don't ask.")]
SHOWN = 72  # characters of a description in a table


@app.command(name="list")
def list_(ctx: typer.Context) -> None:
    """Every tool of the agent's mode; starts the MCP servers of the settings to see theirs."""
    common = common_of(ctx)
    with opened(common) as agent:
        shape = _listed(agent)
    Terminal(common).show(shape, _table_of)


@app.command()
def test(ctx: typer.Context, server: Server) -> None:
    """Start or reach an MCP server, and list all that it offers."""
    common = common_of(ctx)
    with _servers(common) as servers:
        offer = _usable(servers.offer(server))
    Terminal(common).show(_shown(server, offer.tools), _server)


@app.command()
def accept(ctx: typer.Context, server: Server, yes: Yes = False) -> None:
    """Accept the tools of an MCP server that are not what they were; what is shown is accepted."""
    common = common_of(ctx)
    terminal = Terminal(common)
    with _servers(common) as servers:
        offer = _usable(servers.offer(server))
        changed = tuple(one for one in offer.tools if one.state is ToolState.CHANGED)
        if changed and not yes:
            _ask(terminal, changed, common=common)
        shape = _shown(server, servers.accept(server))
    terminal.show(shape, _accepted)


@contextmanager
def _servers(common: Common) -> Generator[McpServers]:
    """Those of the settings, ended again afterwards."""
    settings = settings_of(common)
    with (
        opened_store(common, settings) as store,
        McpServers(settings.tools.servers(), KnownTools(store)) as servers,
    ):
        yield servers


def _usable(offer: Offer) -> Offer:
    if offer.problem:
        raise ToolServerError(offer.problem, hint=offer.hint)
    return offer


def _ask(terminal: Terminal, changed: Sequence[ListedTool], *, common: Common) -> None:
    """Show every byte the model would read, and ask; a program must say --yes."""
    if common.json or not sys.stdin.isatty():
        raise typer.BadParameter("nobody can be asked here: add --yes to accept")
    for one in changed:
        terminal.print(cell(visible(one.remote.name), "bold"))
        terminal.print(cell(visible(one.remote.description)))
        terminal.print(cell(visible(one.remote.schema), "dim"))
    confirm("Accept these?")


def _listed(agent: Agent) -> ToolList:
    offers = agent.servers.offers()
    foreign = {one.spec.name: one for offer in offers for one in offer.tools}
    own = (_own(tool) for tool in agent.toolbox().tools if tool.spec.name not in foreign)
    return ToolList(
        tools=(*sorted(own, key=lambda tool: tool.name), *map(_foreign, foreign.values())),
        problems=tuple(problem for offer in offers for problem in _problems(offer)),
    )


def _problems(offer: Offer) -> Iterator[ToolServerProblem]:
    """Why it has no tools, or which of them wait for a person."""
    name = offer.server.name
    if offer.problem:
        yield ToolServerProblem(server=name, problem=offer.problem, hint=offer.hint)
    for one in offer.tools:
        if one.state is ToolState.CHANGED:
            hint = f"{one.remedy[0].upper()}{one.remedy[1:]}."
            yield ToolServerProblem(server=name, problem=one.complaint, hint=hint)


def _own(tool: Tool) -> ToolShape:
    return ToolShape(
        name=tool.spec.name,
        server="",
        category=tool.area.value,
        writes=tool.writes,
        effect=tool.effect.value,
        state=ToolState.READY.value,
        why="",
        description=tool.spec.description,
    )


def _foreign(one: ListedTool) -> ToolShape:
    return ToolShape(
        name=one.spec.name,
        server=one.server,
        category="mcp",
        writes=one.writes,
        effect=one.effect.value,
        state=one.state.value,
        why=one.why,
        description=one.remote.description,
    )


def _shown(server: str, tools: Sequence[ListedTool]) -> ToolServerShown:
    return ToolServerShown(server=server, tools=tuple(map(_foreign, tools)))


def _table_of(found: ToolList) -> RenderableType:
    told = [f"{problem.problem}. {problem.hint}".strip() for problem in found.problems]
    return lines(_table(found.tools), *(cell(one, "red") for one in told))


def _server(shown: ToolServerShown) -> RenderableType:
    if not shown.tools:
        return cell(f"{shown.server} offers no tools", "dim")
    return _table(shown.tools)


def _accepted(shown: ToolServerShown) -> RenderableType:
    if not shown.tools:
        return cell(f"nothing of {shown.server} has changed", "dim")
    return cell(f"accepted: {', '.join(tool.name for tool in shown.tools)}", "green")


def _table(tools: Sequence[ToolShape]) -> RenderableType:
    made = table("name", "category", "writes", "state", "description")
    for tool in tools:
        ready = tool.state == ToolState.READY
        made.add_row(
            cell(tool.name, "bold" if ready else "dim"),
            cell(tool.category, "dim"),
            cell("yes" if tool.writes else "no"),
            cell(tool.state if ready else f"{tool.state}: {tool.why}", "" if ready else "yellow"),
            cell(brief(tool.description, longest=SHOWN)),
        )
    return made
