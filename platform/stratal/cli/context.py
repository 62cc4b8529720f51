"""`stratal context`: what the model would be shown, or was shown, and why."""

from typing import Annotated

import typer

from stratal.cli import shapes
from stratal.cli.arguments import text as as_text
from stratal.cli.ledger_view import ledger_view
from stratal.cli.opening import opened
from stratal.cli.options import common_of
from stratal.cli.terminal import Terminal


def command(
    ctx: typer.Context,
    text: Annotated[
        str | None,
        typer.Argument(metavar="TEXT", parser=as_text, help="A message; it is not sent."),
    ] = None,
    turn: Annotated[
        str | None, typer.Option(metavar="ID", parser=as_text, help="A turn that was sent.")
    ] = None,
    messages: Annotated[bool, typer.Option("--messages", help="The whole text, too.")] = False,
    every: Annotated[
        bool, typer.Option("--all", help="All candidates that are out, not the best 8.")
    ] = False,
) -> None:
    """The account of a request: tokens a section, memories considered, and the reasons."""
    common = common_of(ctx)
    if (text is None) == (turn is None):
        raise typer.BadParameter("name a TEXT or a --turn, one of the two")
    with opened(common) as agent:
        ledger = agent.ledger(turn) if turn is not None else agent.preview(text or "")
    Terminal(common).show(
        shapes.Account(ledger),
        lambda account: ledger_view(account.root, messages=messages, every=every),
    )
