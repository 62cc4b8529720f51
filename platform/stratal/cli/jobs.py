"""`stratal jobs`: consolidation on a schedule."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import RenderableType

from stratal import jobs
from stratal.cli.arguments import Limit
from stratal.cli.arguments import text as as_text
from stratal.cli.opening import database_of, settings_of
from stratal.cli.options import common_of
from stratal.cli.shapes.settling import History, JobList, JobShape, Outcomes, OutcomeShape, PastRun
from stratal.cli.terminal import Terminal, as_json, cell, lines, table
from stratal.errors import NotFound
from stratal_memory.store import utc_now
from stratal_memory.truth import runs

app = typer.Typer(help="Consolidation on a schedule.", add_completion=False)


@app.command()
def serve(ctx: typer.Context) -> None:
    """Run jobs when they come due, in the foreground, until Ctrl-C."""
    common = common_of(ctx)
    settings, terminal = settings_of(common), Terminal(common)

    def tell(outcome: jobs.Outcome) -> None:
        shape = OutcomeShape.of(outcome)
        terminal.say(f"{as_json(shape, indent=None)}\n" if common.json else f"{_line(shape)}\n")

    with database_of(settings) as database:
        jobs.serve(
            settings,
            database,
            on_outcome=tell,
            on_idle=lambda due: terminal.note(f"next: {due:%Y-%m-%d %H:%M %Z}"),
        )


@app.command(name="list")
def list_(ctx: typer.Context) -> None:
    """The jobs and when they are due."""
    common = common_of(ctx)
    settings = settings_of(common)
    with database_of(settings) as database:
        found = tuple(JobShape.of(job) for job in jobs.jobs(settings, database))
    Terminal(common).show(JobList(jobs=found), _jobs)


@app.command()
def run(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", parser=as_text)] = jobs.CONSOLIDATE,
) -> None:
    """Run one job now, for everybody; exit code 1 when all failed, 3 when some did."""
    common = common_of(ctx)
    if name != jobs.CONSOLIDATE:
        raise NotFound(f"there is no job {name!r}", hint=f"There is: {jobs.CONSOLIDATE}.")
    settings = settings_of(common)
    with database_of(settings) as database:
        done = jobs.run_due(settings, database, due=utc_now())
    Terminal(common).show(_outcomes(done), _outcome_table)
    failed = sum(outcome.outcome.startswith(jobs.FAILED) for outcome in done)
    raise typer.Exit(0 if not failed else 1 if failed == len(done) else 3)


@app.command()
def history(ctx: typer.Context, limit: Limit = 50) -> None:
    """What the schedule did, and the runs that can be undone."""
    common = common_of(ctx)
    settings = settings_of(common)
    with database_of(settings) as database:
        past = jobs.past(database, limit=limit)
        with database.read() as connection:
            own = runs.find(connection, user=settings.user)[:limit]
    shape = History(outcomes=_outcomes(past).outcomes, runs=tuple(PastRun.of(one) for one in own))
    Terminal(common).show(shape, _history)


def _outcomes(found: Sequence[jobs.Outcome]) -> Outcomes:
    return Outcomes(outcomes=tuple(OutcomeShape.of(outcome) for outcome in found))


def _line(outcome: OutcomeShape) -> str:
    when, who = f"{outcome.due:%Y-%m-%d %H:%M}", f"{outcome.user}/{outcome.agent}"
    return f"{when} {outcome.job} {who}: {outcome.outcome}"


def _jobs(found: JobList) -> RenderableType:
    made = table("job", "schedule", "next", "users", right=("users",))
    for job in found.jobs:
        due = f"{job.next_due:%Y-%m-%d %H:%M}"
        made.add_row(cell(job.name), cell(job.schedule), cell(due), cell(job.users))
    return made


def _outcome_table(found: Outcomes) -> RenderableType:
    if not found.outcomes:
        return cell("nobody has talked yet: nothing was run", "dim")
    made = table("due", "job", "user", "agent", "outcome")
    for one in found.outcomes:
        bad = one.outcome.startswith(jobs.FAILED)
        made.add_row(
            cell(f"{one.due:%Y-%m-%d %H:%M}"),
            cell(one.job),
            cell(one.user),
            cell(one.agent, "dim"),
            cell(one.outcome, "red" if bad else ""),
        )
    return made


def _history(shown: History) -> RenderableType:
    made = table("started", "run", "user", "")
    for one in shown.runs:
        state = "taken back" if one.undone else "" if one.ended else "cut off"
        made.add_row(
            cell(f"{one.started:%Y-%m-%d %H:%M}"),
            cell(one.id),
            cell(one.user),
            cell(state, "yellow"),
        )
    scheduled = _outcome_table(Outcomes(outcomes=shown.outcomes)) if shown.outcomes else None
    return lines(
        scheduled,
        made if shown.runs else cell(f"no runs yet: stratal {jobs.CONSOLIDATE}", "dim"),
    )
