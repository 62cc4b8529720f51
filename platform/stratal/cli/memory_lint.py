"""`stratal memory lint`: the health of what is remembered, with an exit code for CI."""

from typing import Annotated

import typer
from rich.console import RenderableType

from stratal.cli.opening import opened
from stratal.cli.options import common_of
from stratal.cli.shapes.moving import MemoryHealth
from stratal.cli.terminal import Terminal, cell, lines, table
from stratal_memory.findings import Severity

FOUND = 3
STYLES = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "dim"}


def command(
    ctx: typer.Context,
    fail_on: Annotated[
        Severity, typer.Option("--fail-on", help="How bad a finding must be for exit code 3.")
    ] = Severity.ERROR,
) -> None:
    """Look for duplicates, contradictions, what is stale, unproven, junk, and index drift.

    Nothing is changed. Exit code 3 when there are findings as bad as --fail-on, 0 otherwise.
    """
    from stratal_memory.lint import lint

    common = common_of(ctx)
    with opened(common) as agent:
        health = lint(agent.store)
    Terminal(common).show(MemoryHealth.of(health), _view)
    raise typer.Exit(FOUND if health.at_least(fail_on) else 0)


def _view(health: MemoryHealth) -> RenderableType:
    summary = cell(f"{health.facts:,} facts, {health.junk_rate:.0%} of them junk", "dim")
    if not health.findings:
        return lines(cell("nothing to mend", "green"), summary)
    made = table("", "what", "finding", "mend it with", "id")
    for one in health.findings:
        made.add_row(
            cell(one.severity.value, STYLES[one.severity]),
            cell(one.rule.value),
            cell(one.message),
            cell(one.fix, "dim"),
            cell(one.id, "dim"),
        )
    return lines(made, summary)
