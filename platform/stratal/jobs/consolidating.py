"""Consolidation as a job."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta

from stratal import practice
from stratal.engines import former_of
from stratal.jobs.registry import Done, PutOff, Task, Unfinished
from stratal.providers.circuit import Circuits
from stratal.settings import Settings
from stratal.skill_source import SkillSource
from stratal.writers import Writers
from stratal_memory.consolidation.pipeline import KIND, Limits, consolidate
from stratal_memory.consolidation.report import Report, State
from stratal_memory.embedding.embedder import Embedder
from stratal_memory.scopes import Principal
from stratal_memory.store import Clock, Store
from stratal_memory.truth import runs
from stratal_memory.truth.database import Database

CONSOLIDATE = "consolidate"
SETTING = "jobs.consolidate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidating:
    """Call it with a task: a slice of the run of that user's agent."""

    settings: Settings
    database: Database
    embedder: Callable[[], Embedder | None]  # loaded once, and only when somebody's is due
    idle: timedelta
    clock: Clock
    circuits: Circuits = field(default_factory=Circuits)  # one user's outage is everybody's

    def __call__(self, task: Task) -> Done:
        """What the slice came to."""
        store = Store.open(
            self.database,
            Principal(user=task.user, agent=task.agent),
            embedder=self.embedder(),
            former=former_of(self.settings),
            clock=self.clock,
            gate=self.settings.gate(),
        )
        asking = Writers(self.settings, circuits=self.circuits)
        with closing(store), closing(asking) as writers:
            skills = SkillSource(self.settings, here=None)
            learn = self.settings.skills.learn
            practice.settle_idle(store, lambda: skills.library(store), learn=learn)
            report = consolidate(
                store,
                idle=self.idle,
                model=writers.sleeper(store),
                limits=Limits(items=task.items),
                guard=task.guard,
            )
        if task.again and report.state is State.UNCHANGED:
            report = self._ended_before(task) or report
        return _done(report)

    def _ended_before(self, task: Task) -> Report | None:
        """What this due time's run reported, when its worker died between its end and ours."""
        with self.database.read() as connection:
            last = runs.latest(connection, kind=KIND, user=task.user, agent=task.agent)
        if last is None or last.started < task.begun:
            return None
        return Report.from_json(last.report)


def _done(report: Report) -> Done:
    notes = "; ".join(step.note for step in report.steps if step.note)
    words = f"{len(report.changes)} changes, run {report.run}" if report.run else "0 changes"
    if report.held:
        words += f", {len(report.held)} held for review"
    if report.state is State.OPEN:
        return Unfinished(changes=len(report.changes), run=report.run, words=words)
    if report.state is State.PAUSED:
        return PutOff(changes=len(report.changes), run=report.run, words=notes or "no model")
    return Done(changes=len(report.changes), run=report.run, words=words)
