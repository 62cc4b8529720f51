"""Consolidation and its schedule."""

from datetime import datetime

from stratal.cli.shapes.base import Shape
from stratal_memory.consolidation.report import Change, Cost, Step
from stratal_memory.records import Event


class Run(Shape):
    """A run of consolidation; `run` is empty for a preview."""

    run: str
    user: str
    steps: tuple[Step, ...]
    changes: tuple[Change, ...]
    cost: Cost


class Runs(Shape):
    """One run a user and agent (`--all-users`)."""

    runs: tuple[Run, ...]


class Undone(Shape):
    """What taking a run back changed."""

    run: str
    events: tuple[Event, ...]


class JobShape(Shape):
    """A job and when it is due next."""

    name: str
    schedule: str
    next_due: datetime
    users: int


class JobList(Shape):
    """The jobs that `serve` runs."""

    jobs: tuple[JobShape, ...]


class OutcomeShape(Shape):
    """One due time of a job for one user."""

    job: str
    user: str
    agent: str
    due: datetime
    started: datetime | None
    ended: datetime | None
    outcome: str


class Outcomes(Shape):
    """What came of a job now."""

    outcomes: tuple[OutcomeShape, ...]


class PastRun(Shape):
    """A run of consolidation that `consolidate --undo` can name."""

    id: str
    kind: str
    user: str
    started: datetime
    ended: datetime | None
    undone: datetime | None


class History(Shape):
    """Outcomes of the schedule, and the user's own runs, latest first."""

    outcomes: tuple[OutcomeShape, ...]
    runs: tuple[PastRun, ...]
