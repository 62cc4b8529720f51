"""`stratal ingest`: documents in, with a row for what became of each file."""

import typer
from rich.console import RenderableType

from stratal.cli.arguments import DryRun, Into, Paths
from stratal.cli.opening import opened
from stratal.cli.options import common_of
from stratal.cli.shapes.knowledge import Ingested
from stratal.cli.terminal import Terminal, cell, lines, table
from stratal_ingest.pipeline import Progress
from stratal_ingest.report import FileStatus
from stratal_memory.records import ScopeKind

STYLES = {FileStatus.ADDED: "green", FileStatus.CHANGED: "yellow", FileStatus.REFUSED: "red"}


def command(
    ctx: typer.Context, paths: Paths, scope: Into = ScopeKind.USER, dry_run: DryRun = False
) -> None:
    """Read documents into memory; what is unchanged is left alone.

    Exit code 0 when every file was read, 1 when none was, 3 when some were refused.
    """
    common = common_of(ctx)
    terminal = Terminal(common)
    with opened(common) as agent, terminal.progress("reading") as advance:

        def tell(progress: Progress) -> None:
            advance(progress.done, progress.total, progress.path)

        report = agent.ingest(*paths, scope=scope, dry_run=dry_run, on_progress=tell)
    terminal.show(Ingested.of(report), documents_view)
    if dry_run:
        terminal.note("nothing was stored: this was a dry run")
    raise typer.Exit(report.exit_code)


def documents_view(done: Ingested) -> RenderableType:
    """One row a file, and the totals."""
    numbers = ("pages", "chunks", "tokens")
    made = table("file", "", "format", *numbers, "why", right=numbers)
    for row in done.files:
        why = f"{row.error.type}: {row.error.message}" if row.error else ""
        made.add_row(
            cell(row.path),
            cell(row.status.value, STYLES.get(row.status, "dim")),
            cell(row.format, "dim"),
            *(
                cell(f"{number:,}" if number else "")
                for number in (row.pages, row.chunks, row.tokens)
            ),
            cell(why, "red"),
        )
    totals = done.totals
    counts = {status: getattr(totals, status.value) for status in FileStatus}
    told = ", ".join(f"{count} {status.value}" for status, count in counts.items() if count)
    return lines(
        made,
        cell(
            f"{told or 'no files'}; {totals.chunks:,} chunks, {totals.tokens:,} tokens, "
            f"{totals.seconds:.1f} s",
            "dim",
        ),
    )
