"""Consolidation and its schedule."""

from datetime import datetime

from stratal.cli.shapes.base import Shape
from stratal_memory.consolidation.report import Change, Held, Report, State, Step
from stratal_memory.records import Cost, Event
from stratal_memory.truth.runs import Run as PastRunOf


class Run(Shape):
    """A run of consolidation; `run` is empty for a preview.

    One that is `paused` says in `waits_for` what it waits for: a provider, or the spend cap.
    """

    run: str
    user: str
    steps: tuple[Step, ...]
    changes: tuple[Change, ...]
    held: tuple[Held, ...]
    cost: Cost
    state: State
    resumed: bool
    waits_for: str = ""


class Runs(Shape):
    """One run a user and agent (`--all-users`)."""

    runs: tuple[Run, ...]


class Undone(Shape):
    """What taking a run back changed."""

    run: str
    events: tuple[Event, ...]


class JobShape(Shape):
    """A job and when it is due next; no time where it is off, or waits for somebody to talk."""

    name: str
    schedule: str
    next_due: datetime | None
    users: int
    waiting: int
    running: int
    paused: bool
    paused_users: tuple[str, ...]


class JobList(Shape):
    """The jobs that `serve` runs."""

    jobs: tuple[JobShape, ...]


class OutcomeShape(Shape):
    """One due time of a job for one user; `covers` many when they were skipped together."""

    job: str
    user: str
    agent: str
    due: datetime
    state: str
    started: datetime | None
    ended: datetime | None
    changes: int
    covers: int
    run: str
    outcome: str
    again: datetime | None


class Outcomes(Shape):
    """What came of a job now."""

    outcomes: tuple[OutcomeShape, ...]


class Paused(Shape):
    """Whether a job is paused now, for everybody or one user, and whether that is new."""

    job: str
    user: str | None
    paused: bool
    paused_users: tuple[str, ...]
    changed: bool


class PastRun(Shape):
    """A run of consolidation that `consolidate --undo` can name."""

    id: str
    kind: str
    user: str
    started: datetime
    ended: datetime | None
    undone: datetime | None
    changes: int

    @classmethod
    def of_run(cls, run: PastRunOf) -> "PastRun":
        """The shape of a stored run."""
        return cls(
            id=run.id,
            kind=run.kind,
            user=run.user,
            started=run.started,
            ended=run.ended,
            undone=run.undone,
            changes=len(Report.from_json(run.report).changes) if run.report != "{}" else 0,
        )


class History(Shape):
    """Outcomes of the schedule, and the user's own runs, latest first.

    `empty` outcomes changed nothing and are left out, as such runs are; `--all` shows them.
    """

    outcomes: tuple[OutcomeShape, ...]
    empty: int
    runs: tuple[PastRun, ...]
