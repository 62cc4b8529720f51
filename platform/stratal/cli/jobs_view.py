"""Jobs and what came of them, drawn for people; times are those of the machine's clock."""

from collections.abc import Sequence
from datetime import datetime

from rich.console import RenderableType

from stratal.cli.shapes.settling import History, JobList, JobShape, Outcomes, OutcomeShape, Paused
from stratal.cli.terminal import cell, lines, table
from stratal_memory.truth import slots

STYLES = {slots.FAILED: "red", slots.SKIPPED: "dim", slots.WAITING: "yellow"}


def local(moment: datetime) -> str:
    """A time as the machine's clock shows it, to the minute."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def line(outcome: OutcomeShape) -> str:
    """One due time on one line."""
    who = f"{outcome.user}/{outcome.agent}"
    return f"{local(outcome.due)} {outcome.job} {who}: {_words(outcome)}"


def _words(outcome: OutcomeShape) -> str:
    if outcome.again is not None:
        return f"{outcome.outcome}; again at {local(outcome.again)}"
    return outcome.outcome or outcome.state


def jobs_view(found: JobList) -> RenderableType:
    """The jobs, a row each."""
    made = table("job", "schedule", "next", "users", "waiting", "running", "", right=("users",))
    for job in found.jobs:
        made.add_row(
            cell(job.name),
            cell(job.schedule),
            cell(local(job.next_due) if job.next_due else "-"),
            cell(job.users),
            cell(job.waiting or ""),
            cell(job.running or ""),
            cell(_paused(job), "yellow"),
        )
    return made


def _paused(job: JobShape) -> str:
    if job.paused:
        return "paused"
    names = ", ".join(job.paused_users)
    return f"paused for {names}" if names else ""


def paused_view(shown: Paused) -> RenderableType:
    """What a pause or its end came to."""
    who = shown.user or "everybody"
    if shown.paused:
        already = "" if shown.changed else " already"
        return cell(f"{shown.job} is{already} paused for {who}", "yellow")
    not_before = "" if shown.changed else ": it was not paused"
    still = f"; still paused for {', '.join(shown.paused_users)}" if shown.paused_users else ""
    return cell(f"{shown.job} runs for {who}{not_before}{still}")


def outcomes_view(found: Outcomes) -> RenderableType:
    """What came of a job now."""
    if not found.outcomes:
        return cell("nobody has talked yet: nothing was run", "dim")
    return _table(found.outcomes)


def _table(outcomes: Sequence[OutcomeShape]) -> RenderableType:
    made = table("due", "job", "user", "agent", "outcome")
    for one in outcomes:
        made.add_row(
            cell(local(one.due)),
            cell(one.job),
            cell(one.user),
            cell(one.agent, "dim"),
            cell(_words(one), STYLES.get(one.state, "")),
        )
    return made


def history_view(shown: History) -> RenderableType:
    """Outcomes and the runs that can be undone."""
    made = table("started", "run", "user", "changes", "", right=("changes",))
    for one in shown.runs:
        state = "taken back" if one.undone else "" if one.ended else "not over"
        made.add_row(
            cell(local(one.started)),
            cell(one.id),
            cell(one.user),
            cell(one.changes),
            cell(state, "yellow"),
        )
    ran = shown.outcomes or shown.runs or shown.empty
    folded = f"{shown.empty:,} more changed nothing: --all shows them" if shown.empty else ""
    return lines(
        _table(shown.outcomes) if shown.outcomes else None,
        cell(folded, "dim") if folded else None,
        made if shown.runs else None,
        None if ran else cell("no runs yet: stratal consolidate", "dim"),
    )
