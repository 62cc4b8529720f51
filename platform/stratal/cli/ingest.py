"""`stratal ingest`: documents in, with a row for what became of each file."""

from itertools import chain
from typing import Annotated

import typer

from stratal.agent import Agent
from stratal.cli.arguments import DryRun, Into
from stratal.cli.arguments import text as as_text
from stratal.cli.ingest_bar import ingest_bar
from stratal.cli.ingest_view import ingested_view
from stratal.cli.opening import opened
from stratal.cli.options import common_of
from stratal.cli.shapes.knowledge import Ingested
from stratal.cli.terminal import Terminal
from stratal_ingest.fetching import fetch
from stratal_ingest.options import Options
from stratal_ingest.pipeline import Interrupted
from stratal_ingest.report import DONE
from stratal_ingest.sources import STDIN
from stratal_memory.records import ScopeKind

Paths = Annotated[
    list[str],
    typer.Argument(metavar="PATH...", help="Files, folders, patterns, addresses, - for stdin."),
]
Watch = Annotated[bool, typer.Option("--watch", help="Follow the folders until Ctrl-C.")]
Name = Annotated[
    str,
    typer.Option(metavar="NAME", parser=as_text, help="What stdin is called; `.md` tells how."),
]
AllowUrl = Annotated[bool, typer.Option("--allow-url", help="Fetch web addresses.")]


def command(
    ctx: typer.Context,
    paths: Paths,
    scope: Into = ScopeKind.USER,
    watch: Watch = False,
    dry_run: DryRun = False,
    name: Name = "",
    allow_url: AllowUrl = False,
) -> None:
    """Read documents into memory; what is unchanged is left alone, what is gone is retired.

    Exit code 0 when every file was read, 1 when none was, 3 when some were refused.
    """
    common = common_of(ctx)
    terminal = Terminal(common)
    options = Options(
        dry_run=dry_run,
        stdin_name=name,
        fetch=fetch if allow_url else None,
    )
    if watch and (dry_run or STDIN in paths):
        raise typer.BadParameter("--watch goes with neither --dry-run nor standard input")
    with opened(common) as agent:
        if watch:
            _follow(agent, terminal, paths, scope, options)
            raise typer.Exit(DONE)
        try:
            with ingest_bar(terminal) as tell:
                report = agent.ingesting(scope, tell).once(paths, options)
        except Interrupted as cut:
            terminal.note(so_far(cut))
            raise
    terminal.show(Ingested.of(report), ingested_view)
    if dry_run:
        terminal.note("nothing was stored: this was a dry run")
    raise typer.Exit(report.exit_code)


def so_far(cut: Interrupted) -> str:
    """What is there after Ctrl-C."""
    files = "1 file is" if cut.stored == 1 else f"{cut.stored:,} files are"
    back = f"; to take that back: stratal memory undo {cut.run}" if cut.stored else ""
    return f"{files} stored, run it again to go on{back}"


def _follow(
    agent: Agent, terminal: Terminal, paths: list[str], scope: ScopeKind, options: Options
) -> None:
    """A report after each round of changes, until Ctrl-C; with --json one a line."""
    try:
        with ingest_bar(terminal) as tell:
            rounds = agent.ingesting(scope, tell).following(paths, options)
            first = next(rounds)
        for report in chain([first], rounds):
            terminal.show(Ingested.of(report), ingested_view, in_line=True)
            terminal.note("watching; Ctrl-C ends it")
    except KeyboardInterrupt:
        terminal.note("stopped watching")
