"""What a run of consolidation did: a diff a person can review."""

from dataclasses import dataclass, field

from pydantic import TypeAdapter


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change: what was there, what is there now, and why."""

    step: str
    action: str  # added, merged, replaced, expired
    before: str
    after: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How a step went; `how` says whether rules or a model did it."""

    name: str
    looked_at: int
    changed: int
    how: str = "rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a run cost at the model; all 0 when rules did it."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One run; `run` is empty for a preview, which changed nothing."""

    run: str
    user: str
    steps: tuple[Step, ...]
    changes: tuple[Change, ...]
    cost: Cost = field(default=Cost())

    def to_json(self) -> str:
        """The report as JSON text."""
        return _ADAPTER.dump_json(self).decode()


_ADAPTER = TypeAdapter(Report)
