"""`stratal consolidate`: settle conversations into memory, preview it, or take it back."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer
from rich.console import RenderableType

from stratal.agent import Agent
from stratal.cli.arguments import DryRun
from stratal.cli.arguments import text as as_text
from stratal.cli.opening import as_user, opened
from stratal.cli.options import Common, common_of
from stratal.cli.shapes.settling import Run, Runs, Undone
from stratal.cli.terminal import Terminal, cell, lines, table
from stratal.jobs.listing import everybody
from stratal.writers import reading_model
from stratal_memory.consolidation.report import Change, Report, State
from stratal_memory.errors import SpendCap
from stratal_memory.records import Cost

PUT_OFF = "put off: "  # how the note of a step begins that goes on at a later call
SPEND_CAP = "tomorrow's spend cap"
PARTLY = 3  # the exit code when some of it was put off
STYLES = {
    "added": "green",
    "merged": "yellow",
    "replaced": "yellow",
    "contested": "yellow",
    "closed": "red",
    "expired": "red",
}


def command(
    ctx: typer.Context,
    dry_run: DryRun = False,
    all_users: Annotated[bool, typer.Option("--all-users", help="Everybody's, in turn.")] = False,
    undo: Annotated[
        str | None, typer.Option(metavar="RUN", parser=as_text, help="Take this run back.")
    ] = None,
) -> None:
    """Turn what was said into what is known; the change is shown as a diff.

    Exit code 3 when some of it was put off: a model was out, or the spend cap reached.
    """
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
        report = agent.consolidate(
            dry_run=dry_run, on_moment=lambda at: advance(at.done, at.of, at.step)
        )
        run = _shape(agent, report)
    terminal.show(run, run_view)
    _leave([run])


def _everybody(common: Common, *, dry_run: bool) -> None:
    terminal = Terminal(common)
    made: list[Run] = []
    with opened(common) as agent, terminal.progress("consolidating") as advance:
        people = everybody(agent.store.database)
        for done, (user, name) in enumerate(people):
            advance(done, len(people), user)
            with as_user(agent, user=user, name=name) as theirs:
                report = theirs.consolidate(dry_run=dry_run)
            # What others said is theirs to read; whoever runs the machine sees how much changed.
            own = user == agent.store.user
            shown = report if own else replace(report, changes=(), held=())
            made.append(_shape(agent, shown))
    runs = Runs(runs=tuple(made))
    terminal.show(runs, lambda shown: lines(*(run_view(run) for run in shown.runs)))
    _leave(made)


def _shape(agent: Agent, report: Report) -> Run:
    """The report with what it waits for, if it was put off."""
    run = Run.of(report)
    if report.state is not State.PAUSED:
        return run
    model = reading_model(agent.settings)
    capped = any(step.note.startswith(f"{PUT_OFF}{SpendCap.__name__}") for step in report.steps)
    waits_for = SPEND_CAP if capped else model.provider if model else "a model"
    return run.model_copy(update={"waits_for": waits_for})


def _leave(runs: Sequence[Run]) -> None:
    """End the command: what was put off is not done."""
    if any(run.state is State.PAUSED for run in runs):
        raise typer.Exit(PARTLY)


def _undo(common: Common, run: str) -> None:
    with opened(common) as agent:
        events = agent.undo(run)
    shape = Undone(run=run, events=tuple(events))
    Terminal(common).show(
        shape, lambda done: cell(f"{done.run} was taken back: {len(done.events)} changes", "green")
    )


def run_view(run: Run) -> RenderableType:
    """The changes as a diff, what waits for a person, and how each step went."""
    if run.state is State.UNCHANGED:
        return cell(f"{run.user}: nothing has happened since the last run", "dim")
    made = _changes(run.changes) if run.changes else None
    changed = sum(step.changed for step in run.steps)
    hidden = f"{changed} changes, shown to them alone" if changed else "nothing to change"
    waiting = _waiting(run) if run.state is State.PAUSED else ""
    unseen = None if waiting and not changed else cell(f"{run.user}: {hidden}", "dim")
    undo = f"stratal consolidate --user {run.user} --undo {run.run} takes it back"
    return lines(
        cell(f"{run.user}: {waiting}", "yellow") if waiting else None,
        made or unseen,
        _held(run) if run.held else None,
        _foot(run),
        cell(_cost(run.cost), "dim") if run.cost.calls else None,
        cell(undo, "dim") if run.run and changed else None,
    )


def _waiting(run: Run) -> str:
    """What was put off first; how many things only where none of them was done before."""
    put_off = (step for step in run.steps if step.note.startswith(PUT_OFF) and step.looked_at)
    for step in put_off:
        if step.looked_at == 1 and not step.changed:
            return f"paused: 1 {step.name.removesuffix('s')} waits for {run.waits_for}"
        many = "" if step.changed else f"{step.looked_at:,} "
        return f"paused: {many}{step.name} wait for {run.waits_for}"
    return f"paused: waits for {run.waits_for}"


def _changes(changes: Sequence[Change]) -> RenderableType:
    made = table("step", "", "before", "after", "why")
    for change in changes:
        made.add_row(
            cell(change.step, "dim"),
            cell(change.action, STYLES.get(change.action, "")),
            cell(change.before, "red"),
            cell(change.after, "green"),
            cell(change.reason, "dim"),
        )
    return made


def _held(run: Run) -> RenderableType:
    waiting = [
        cell(f"{one.id}: {one.change.action} {one.change.before!r}: {one.risk}", "yellow")
        for one in run.held
    ]
    hint = cell("held for you: stratal memory review accept ID, or reject ID", "dim")
    return lines(*waiting, hint)


def _foot(run: Run) -> RenderableType:
    name = run.run or "preview, nothing was changed"
    told = {State.OPEN: "; more is left", State.PAUSED: "; put off steps go on at the next call"}
    steps = ", ".join(
        f"{step.name} {step.changed} of {step.looked_at}" for step in run.steps if step.looked_at
    )
    notes = [cell(f"{step.name}: {step.note}", "yellow") for step in run.steps if step.note]
    models = sorted({step.name for step in run.steps if step.how == "model"})
    how = f"; by a model: {', '.join(models)}" if models else "; by rules"
    again = "; taken up again, call once more for what was said since" if run.resumed else ""
    line = f"{run.user}: {name}; changed {steps or 'nothing'}{how}{told.get(run.state, '')}{again}"
    return lines(*notes, cell(line, "dim"))


def _cost(cost: Cost) -> str:
    money = f", ${cost.usd:.4f}" if cost.usd else ""
    tokens = f"{cost.input_tokens:,} tokens in, {cost.output_tokens:,} out"
    return f"{cost.calls} calls of a model, {tokens}{money}"
