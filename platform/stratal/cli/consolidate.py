"""`stratal consolidate`: settle conversations into memory, preview it, or take it back."""

from dataclasses import replace
from typing import Annotated

import typer
from rich.console import RenderableType

from stratal.cli.arguments import DryRun
from stratal.cli.arguments import text as as_text
from stratal.cli.opening import as_user, opened
from stratal.cli.options import Common, common_of
from stratal.cli.shapes.settling import Run, Runs, Undone
from stratal.cli.terminal import Terminal, cell, lines, table
from stratal.jobs import everybody
from stratal_memory.consolidation.report import Report

STYLES = {"added": "green", "merged": "yellow", "replaced": "yellow", "expired": "red"}


def command(
    ctx: typer.Context,
    dry_run: DryRun = False,
    all_users: Annotated[bool, typer.Option("--all-users", help="Everybody's, in turn.")] = False,
    undo: Annotated[
        str | None, typer.Option(metavar="RUN", parser=as_text, help="Take this run back.")
    ] = None,
) -> None:
    """Turn what was said into what is known; the change is shown as a diff."""
    common = common_of(ctx)
    if undo is not None and (dry_run or all_users):
        raise typer.BadParameter("--undo goes with neither --dry-run nor --all-users")
    if undo is not None:
        _undo(common, undo)
    elif all_users:
        _everybody(common, dry_run=dry_run)
    else:
        _own(common, dry_run=dry_run)


def _own(common: Common, *, dry_run: bool) -> None:
    terminal = Terminal(common)
    with opened(common) as agent, terminal.progress("consolidating") as advance:
        report = agent.consolidate(dry_run=dry_run, on_step=lambda name: advance(0, 0, name))
    terminal.show(Run.of(report), run_view)


def _everybody(common: Common, *, dry_run: bool) -> None:
    terminal = Terminal(common)
    reports: list[Report] = []
    with opened(common) as agent, terminal.progress("consolidating") as advance:
        people = everybody(agent.store.database)
        for done, (user, name) in enumerate(people):
            advance(done, len(people), user)
            with as_user(agent, user=user, name=name) as theirs:
                report = theirs.consolidate(dry_run=dry_run)
            # What others said is theirs to read; whoever runs the machine sees how much changed.
            own = user == agent.store.user
            reports.append(report if own else replace(report, changes=()))
    runs = Runs(runs=tuple(Run.of(report) for report in reports))
    terminal.show(runs, lambda shown: lines(*(run_view(run) for run in shown.runs)))


def _undo(common: Common, run: str) -> None:
    with opened(common) as agent:
        events = agent.undo(run)
    shape = Undone(run=run, events=tuple(events))
    Terminal(common).show(
        shape, lambda done: cell(f"{done.run} was taken back: {len(done.events)} changes", "green")
    )


def run_view(run: Run) -> RenderableType:
    """The changes as a diff, and how each step went."""
    steps = ", ".join(f"{step.name} {step.changed} of {step.looked_at}" for step in run.steps)
    name = run.run or "preview, nothing was changed"
    foot = cell(f"{run.user}: {name}; changed {steps}", "dim")
    if not run.changes:
        changed = sum(step.changed for step in run.steps)
        told = f"{changed} changes, shown to them alone" if changed else "nothing to change"
        return lines(cell(f"{run.user}: {told}", "dim"), foot)
    made = table("step", "", "before", "after", "why")
    for change in run.changes:
        made.add_row(
            cell(change.step, "dim"),
            cell(change.action, STYLES.get(change.action, "")),
            cell(change.before, "red"),
            cell(change.after, "green"),
            cell(change.reason, "dim"),
        )
    undo = (
        cell(f"stratal consolidate --user {run.user} --undo {run.run} takes it back", "dim")
        if run.run
        else None
    )
    return lines(made, foot, undo)
