"""What a run of consolidation did: a diff a person can review."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from pydantic import TypeAdapter

from stratal_memory.records import Cost


class State(StrEnum):
    """How far a run came."""

    DONE = "done"
    OPEN = "open"  # its slice was used up; the next call goes on
    PAUSED = "paused"  # a model was out, or the spend cap reached; a later call goes on
    PREVIEW = "preview"  # nothing was changed
    UNCHANGED = "unchanged"  # nothing has happened since the last run: there was nothing to do


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change: what was there, what is there now, and why.

    `evidence` are the ids of the messages and memories it rests on.
    """

    step: str
    action: str  # added, merged, replaced, closed, contested, promoted, expired, adjusted
    before: str
    after: str
    reason: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A change that waits for a person: `stratal memory review` shows it."""

    id: str
    risk: str
    change: Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How a step went; `how` says whether rules or a model did it."""

    name: str
    looked_at: int
    changed: int
    held: int = 0
    how: str = "rules"
    note: str = ""  # why it was put off, or what it could not do
    wake: datetime | None = None  # when time alone gives it something to do again


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One run; `run` is empty when it changed nothing: a preview, or nothing to do."""

    run: str
    user: str
    steps: tuple[Step, ...]
    changes: tuple[Change, ...]
    held: tuple[Held, ...] = ()
    cost: Cost = field(default=Cost())
    state: State = State.DONE
    resumed: bool = False  # what was said since it began is the next run's

    def to_json(self) -> str:
        """The report as JSON text."""
        return _ADAPTER.dump_json(self).decode()

    @classmethod
    def from_json(cls, text: str) -> "Report":
        """The report that `to_json` wrote."""
        return _ADAPTER.validate_json(text)


_ADAPTER = TypeAdapter(Report)
_CHANGE = TypeAdapter(Change)
_STEP = TypeAdapter(Step)


def change_json(change: Change) -> str:
    """One change as JSON text."""
    return _CHANGE.dump_json(change).decode()


def change_of(text: str) -> Change:
    """The change that `change_json` wrote."""
    return _CHANGE.validate_json(text)


def step_json(step: Step) -> str:
    """One step as JSON text."""
    return _STEP.dump_json(step).decode()


def step_of(text: str) -> Step:
    """The step that `step_json` wrote."""
    return _STEP.validate_json(text)
