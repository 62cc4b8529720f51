"""`stratal session`: past conversations."""

import typer
from rich.console import RenderableType

from stratal.cli.arguments import Id, Limit
from stratal.cli.opening import opened
from stratal.cli.options import common_of
from stratal.cli.shapes.talk import MessageShape, SessionList, SessionShape, SessionShown
from stratal.cli.terminal import Terminal, cell, lines, table
from stratal.errors import NotFound
from stratal_memory.records import Role

app = typer.Typer(help="Past conversations.", add_completion=False)
STYLES = {Role.USER: "bold", Role.TOOL: "dim"}


@app.command(name="list")
def list_(ctx: typer.Context, limit: Limit = 50) -> None:
    """Conversations with this agent, latest first."""
    common = common_of(ctx)
    with opened(common) as agent:
        found = tuple(SessionShape.of(session) for session in agent.sessions()[:limit])
    Terminal(common).show(SessionList(sessions=found), sessions_view)


@app.command()
def show(ctx: typer.Context, id: Id) -> None:
    """The messages of one conversation, oldest first."""
    common = common_of(ctx)
    with opened(common) as agent:
        session = next((one for one in agent.sessions() if one.id == id), None)
        if session is None:
            raise NotFound(f"no session {id!r} of yours", hint="`stratal session list` shows them.")
        messages = agent.messages(session)
    shape = SessionShown(
        session=SessionShape.of(session),
        messages=tuple(MessageShape.of(message) for message in messages),
    )
    Terminal(common).show(shape, _messages)


def sessions_view(found: SessionList) -> RenderableType:
    """A table of conversations."""
    if not found.sessions:
        return cell("no conversations yet: stratal chat", "dim")
    made = table("last active", "messages", "title", "id", right=("messages",))
    for session in found.sessions:
        made.add_row(
            cell(f"{session.last_active:%Y-%m-%d %H:%M}"),
            cell(session.messages),
            cell(session.title),
            cell(session.id, "dim"),
        )
    return made


def _messages(shown: SessionShown) -> RenderableType:
    parts = [
        part
        for message in shown.messages
        for part in (
            cell(f"{message.role.value}, {message.created:%Y-%m-%d %H:%M}", "dim"),
            cell(f"{message.text}\n", STYLES.get(message.role, "")),
        )
    ]
    return lines(*parts)
