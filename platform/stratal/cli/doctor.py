"""`stratal doctor`: the health of the data and the installation."""

from typing import Annotated

import typer
from rich.console import RenderableType

from stratal.cli.opening import opened
from stratal.cli.options import common_of
from stratal.cli.shapes.house import Checks, CheckShape
from stratal.cli.terminal import Terminal, cell, lines, table
from stratal.doctor import examine


def command(
    ctx: typer.Context,
    rebuild_index: Annotated[
        bool, typer.Option("--rebuild-index", help="Make the derived index anew first.")
    ] = False,
    reembed: Annotated[
        bool,
        typer.Option("--reembed", help="Finish a change of the embedding model first."),
    ] = False,
) -> None:
    """Look at everything; exit code 1 when something is wrong.

    That there is no embedding model is a warning: search by words works without.
    """
    common = common_of(ctx)
    terminal = Terminal(common)
    with opened(common) as agent, terminal.progress("working") as advance:
        checks = examine(
            agent,
            rebuild_index=rebuild_index,
            reembed=reembed,
            on_progress=lambda done, total: advance(done, total, ""),
        )
    warned = {check.name for check in checks if check.warning}
    shape = Checks(checks=tuple(CheckShape.of(check) for check in checks))
    terminal.show(shape, lambda shown: _table(shown, warned))
    raise typer.Exit(0 if all(check.ok or check.warning for check in checks) else 1)


def _table(shown: Checks, warned: set[str]) -> RenderableType:
    made = table("", "check", "")
    for check in shown.checks:
        mark = (
            ("ok", "green")
            if check.ok
            else ("!", "yellow")
            if check.name in warned
            else ("NO", "red")
        )
        made.add_row(
            cell(*mark),
            cell(check.name),
            lines(cell(check.detail), cell(check.hint, "yellow") if check.hint else None),
        )
    return made
