"""`stratal jobs`: jobs on a schedule."""

import signal
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated

import typer

from stratal.cli.arguments import Limit
from stratal.cli.arguments import text as as_text
from stratal.cli.jobs_view import history_view, jobs_view, line, outcomes_view, paused_view
from stratal.cli.opening import database_of, settings_of
from stratal.cli.options import Common, common_of
from stratal.cli.shapes.settling import (
    History,
    JobList,
    JobShape,
    Outcomes,
    OutcomeShape,
    PastRun,
    Paused,
)
from stratal.cli.terminal import Terminal, as_json
from stratal.jobs import listing
from stratal.jobs.configured import job_table, pace_of
from stratal.jobs.consolidating import CONSOLIDATE
from stratal.jobs.outcome import Outcome
from stratal.jobs.running import run_now
from stratal.jobs.serving import serve
from stratal.jobs.worker import Worker
from stratal_memory.store import utc_now
from stratal_memory.truth import runs, slots

app = typer.Typer(help="Jobs on a schedule: consolidation.", add_completion=False)
INTERRUPTED = 130

JobName = Annotated[str, typer.Argument(metavar="NAME", parser=as_text)]


@contextmanager
def _opened(common: Common) -> Generator[Worker]:
    settings = settings_of(common)
    with database_of(settings) as database:
        yield Worker(
            database=database,
            table=job_table(settings, database),
            pace=pace_of(settings),
            clock=utc_now,
        )


@app.command(name="serve")
def serve_(ctx: typer.Context) -> None:
    """Run jobs when they come due, in the foreground, until Ctrl-C; several may run at once."""
    common = common_of(ctx)
    terminal = Terminal(common)

    def tell(outcome: Outcome) -> None:
        shape = OutcomeShape.of(outcome)
        terminal.say(f"{as_json(shape, indent=None)}\n" if common.json else f"{line(shape)}\n")

    def idle(wake: datetime | None) -> None:
        when = f"{wake.astimezone():%Y-%m-%d %H:%M %Z}" if wake else "when somebody has talked"
        terminal.note(f"next: {when}")

    with _opened(common) as at:
        by = serve(at, on_outcome=tell, on_idle=idle)
    raise typer.Exit(INTERRUPTED if by == signal.SIGINT else 0)


@app.command(name="list")
def list_(ctx: typer.Context) -> None:
    """The jobs and when they are due; with --user for one user."""
    common = common_of(ctx)
    with _opened(common) as at:
        found = listing.listed(at.table, at.database, user=common.user)
    Terminal(common).show(JobList(jobs=tuple(JobShape.of(job) for job in found)), jobs_view)


@app.command()
def run(ctx: typer.Context, name: JobName = CONSOLIDATE) -> None:
    """Run one job now, for everybody or --user; exit code 1 when all failed, 3 when some did."""
    common = common_of(ctx)
    with _opened(common) as at:
        done = run_now(at, name, due=utc_now(), user=common.user)
    Terminal(common).show(_outcomes(done), outcomes_view)
    failed = sum(outcome.state == slots.FAILED for outcome in done)
    raise typer.Exit(0 if not failed else 1 if failed == len(done) else 3)


@app.command()
def pause(ctx: typer.Context, name: JobName = CONSOLIDATE) -> None:
    """Start a job no more, for everybody or --user, until it is resumed."""
    common = common_of(ctx)
    with _opened(common) as at:
        changed = listing.pause(at.table, at.database, name, user=common.user)
        _show_pause(common, at, name, changed=changed)


@app.command()
def resume(ctx: typer.Context, name: JobName = CONSOLIDATE) -> None:
    """End a pause; what came due in it is made up for by one run."""
    common = common_of(ctx)
    with _opened(common) as at:
        changed = listing.resume(at.table, at.database, name, user=common.user)
        _show_pause(common, at, name, changed=changed)


def _show_pause(common: Common, at: Worker, name: str, *, changed: bool) -> None:
    every = listing.listed(at.table, at.database, user=common.user)
    [job] = [job for job in every if job.name == name]
    shape = Paused(
        job=name,
        user=common.user,
        paused=job.paused,
        paused_users=job.paused_users,
        changed=changed,
    )
    Terminal(common).show(shape, paused_view)


@app.command()
def history(
    ctx: typer.Context,
    limit: Limit = 50,
    everything: Annotated[
        bool, typer.Option("--all", help="Also runs that changed nothing.")
    ] = False,
) -> None:
    """What the schedule did, and the runs that can be undone; with --user for one user."""
    common = common_of(ctx)
    whose = settings_of(common).user
    with _opened(common) as at:
        past = listing.past(at.database, user=common.user, empty=everything, limit=limit)
        with at.database.read() as connection:
            own = [PastRun.of_run(one) for one in runs.find(connection, user=whose)]
    shown = [one for one in own if everything or one.changes or one.ended is None]
    shape = History(
        outcomes=_outcomes(past.outcomes).outcomes,
        empty=past.empty,
        runs=tuple(shown[:limit]),
    )
    Terminal(common).show(shape, history_view)


def _outcomes(found: Sequence[Outcome]) -> Outcomes:
    return Outcomes(outcomes=tuple(OutcomeShape.of(outcome) for outcome in found))
