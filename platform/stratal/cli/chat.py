"""`stratal chat`: a conversation in the terminal, or one message."""

from dataclasses import replace
from typing import Annotated

import typer

from stratal.agent import Agent
from stratal.cli.arguments import text as as_text
from stratal.cli.lines import reader_for
from stratal.cli.opening import options_of, settings_of
from stratal.cli.options import common_of
from stratal.cli.repl import converse
from stratal.cli.shapes.talk import Answered
from stratal.cli.slash import SLASH
from stratal.cli.talk import Talk, notices
from stratal.cli.terminal import Terminal
from stratal.cli.unfinished_view import unfinished_line
from stratal.prompt.sections import Mode
from stratal.reply import Reply


def command(
    ctx: typer.Context,
    message: Annotated[
        str | None,
        typer.Option("--message", "-m", metavar="TEXT", help="One message, then leave."),
    ] = None,
    session: Annotated[
        str | None, typer.Option(metavar="ID", parser=as_text, help="Continue this conversation.")
    ] = None,
    new: Annotated[bool, typer.Option("--new", help="Begin a new conversation.")] = False,
    model: Annotated[
        str | None, typer.Option(metavar="P:M", parser=as_text, help="As `anthropic:NAME`.")
    ] = None,
    mode: Annotated[Mode, typer.Option(help="What the agent may do.")] = Mode.AGENT,
) -> None:
    """Talk; without -m line by line, with history, and `/help` for what else there is.

    Goes on with the latest conversation when that was idle for less than an hour.
    """
    common = common_of(ctx)
    if session is not None and new:
        raise typer.BadParameter("--session goes on, --new begins: give one of the two")
    if common.json and message is None:
        raise typer.BadParameter("--json needs a message: -m TEXT")
    settings = settings_of(common, model=model)
    options = replace(options_of(common, settings), session=session, new_session=new, mode=mode)
    terminal = Terminal(common)
    with Agent.open_with(options, settings) as agent:
        notices(agent, terminal)
        if common.json:
            terminal.show_json(_answered(agent.send(message or "")))
        elif message is not None:
            _say(Talk(agent, terminal), message)
        else:
            reader = reader_for(
                agent.store.database.folder, user=agent.store.user, commands=tuple(SLASH)
            )
            raise typer.Exit(converse(Talk(agent, terminal), reader))


def _say(talk: Talk, message: str) -> None:
    """One message; what was left without an answer before is told first."""
    session, left = talk.agent.current_session(), talk.unfinished()
    if session and left:
        talk.terminal.note(unfinished_line(left, session.id))
    try:
        talk.say(message)
    finally:
        talk.close()


def _answered(reply: Reply) -> Answered:
    return Answered(
        reply=reply.text,
        session=reply.session,
        turn=reply.turn,
        model=reply.model,
        citations=reply.citations,
        usage=reply.usage,
        learned=reply.learned,
        procedure=reply.procedure,
        redacted=reply.redacted,
        cost=str(reply.cost.total) if reply.cost else None,
        warnings=reply.warnings,
        ledger=reply.ledger,
    )
