"""`stratal compact`: all but the newest part of a conversation becomes a summary."""

from dataclasses import replace
from typing import Annotated

import typer
from rich.console import RenderableType

from stratal.cli.arguments import text as as_text
from stratal.cli.opening import opened
from stratal.cli.options import common_of
from stratal.cli.shapes.talk import Compacted
from stratal.cli.terminal import Terminal, cell, lines


def command(
    ctx: typer.Context,
    session: Annotated[
        str | None,
        typer.Option(metavar="ID", parser=as_text, help="This conversation, not the latest."),
    ] = None,
) -> None:
    """Summarise the older messages of a conversation; the messages themselves stay."""
    common = common_of(ctx)
    with opened(common) as agent:
        wanted = session or next((one.id for one in agent.sessions()), None)
        done = agent.with_options(replace(agent.options, session=wanted)).compact()
    Terminal(common).show(Compacted.of(done), compacted_view)


def compacted_view(done: Compacted) -> RenderableType:
    """Before and after in tokens, then the summary that is shown from now on."""
    head = f"{done.before:,} -> {done.after:,} tokens; {done.turns} turns summarised"
    return lines(cell(f"{head} ({done.method})", "bold"), cell(done.summary))
