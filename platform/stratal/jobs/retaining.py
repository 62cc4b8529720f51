"""Retention as a job: old conversations are archived, later erased (Os12)."""

from contextlib import closing
from dataclasses import dataclass

from stratal.jobs.registry import Done, Task
from stratal.settings import Settings
from stratal_memory.consolidation.retention import Retention, retain
from stratal_memory.scopes import Principal
from stratal_memory.store import Clock, Store
from stratal_memory.truth.database import Database

RETENTION = "retention"
SETTING = "jobs.retention"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retaining:
    """Call it with a task: everything of that user's agent that is old enough."""

    settings: Settings
    database: Database
    retention: Retention
    clock: Clock

    def __call__(self, task: Task) -> Done:
        """What went; nothing needs a model or an embedder."""
        principal = Principal(user=task.user, agent=task.agent)
        with closing(self._opened(principal)) as store:
            report = retain(store, retention=self.retention, guard=task.guard)
        gone = sum(step.changed for step in report.steps)
        told = ", ".join(f"{step.changed} {step.name}d" for step in report.steps)
        return Done(changes=gone, run=report.run, words=f"conversations: {told}")

    def _opened(self, principal: Principal) -> Store:
        gate = self.settings.gate()
        return Store.open(self.database, principal, clock=self.clock, gate=gate)
