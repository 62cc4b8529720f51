"""`stratal session`: past conversations."""

from collections.abc import Collection, Iterator, Mapping

import typer
from rich.console import RenderableType

from stratal.cli.arguments import Id, Limit
from stratal.cli.calls_view import given, in_short, visible
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
    Terminal(common).show(shape, messages_view)


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


def messages_view(shown: SessionShown) -> RenderableType:
    """What was said, each call of a tool with its arguments, and what it came to."""
    names = {call.id: call.name for one in shown.messages for call in one.tool_calls}
    ended = {one.tool_call_id for one in shown.messages if one.role is Role.TOOL}
    return lines(*(part for one in shown.messages for part in _message(one, names, ended)))


def _message(
    message: MessageShape, names: Mapping[str, str], ended: Collection[str]
) -> Iterator[RenderableType]:
    who = message.role.value
    if message.role is Role.TOOL:
        failed = ", failed" if message.tool_failed else ""
        who = f"tool {visible(names.get(message.tool_call_id, ''))}{failed}"
    yield cell(f"{who}, {message.created:%Y-%m-%d %H:%M}", "dim")
    if message.text or not message.tool_calls:
        yield cell(message.text, STYLES.get(message.role, ""))
    for call in message.tool_calls:
        open_ = "" if call.id in ended else " (no result yet; after a crash nobody knows it)"
        yield cell(f"calls {visible(call.name)}: {in_short(given(call.arguments))}{open_}")
    yield cell("")
