"""`stratal context`: what the model would be shown, or was shown, and why."""

from typing import Annotated

import typer
from rich.console import Group

from stratal.cli.arguments import text as as_text
from stratal.cli.ledger_view import ledger_view
from stratal.cli.opening import opened
from stratal.cli.options import common_of
from stratal.cli.request_view import request_view
from stratal.cli.shapes.talk import Account, Replayed
from stratal.cli.terminal import Terminal
from stratal.context.ledger import Ledger
from stratal.sessions import Sessions


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
    explain: Annotated[bool, typer.Option("--explain", help="What each score is made of.")] = False,
    request: Annotated[
        bool, typer.Option("--request", help="The request itself, checked by its digest.")
    ] = False,
) -> None:
    """The account of a request: tokens a section, memories considered, and the reasons."""
    common = common_of(ctx)
    if (text is None) == (turn is None):
        raise typer.BadParameter("name a TEXT or a --turn, one of the two")
    terminal = Terminal(common)
    with opened(common) as agent:
        if turn is None:
            ledger, usage = agent.preview(text or ""), None
        else:
            ledger, usage = agent.ledger(turn), Sessions(agent.store).usage(turn)
    if request:
        terminal.show(_replayed(ledger), request_view)
        return

    def view(account: Account) -> Group:
        return ledger_view(
            account.root, messages=messages, every=every, explain=explain, usage=usage
        )

    terminal.show(Account(ledger), view)


def _replayed(ledger: Ledger) -> Replayed:
    request = ledger.replay()
    return Replayed(
        digest=ledger.request_digest, verified=bool(ledger.request_digest), request=request
    )
