"""What a step of consolidation is: it plans items, each of which is committed by itself."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.operations import Operation
from stratal_memory.consolidation.report import Change
from stratal_memory.truth.journal import Journal

Perform = Callable[[Journal], Sequence[Change]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """Why a person should decide, what they decide on, and what it would change."""

    risk: str
    operation: Operation
    change: Change


@dataclass(frozen=True, slots=True)
class Item:
    """One thing a step wants to do.

    `perform` does it in a transaction of its own and returns what it changed: nothing when what
    it rests on was changed since it was planned. With a `doubt` it is not done but held.
    """

    perform: Perform
    doubt: Doubt | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a step wants to do, in order; items may be planned as they are asked for.

    Planning again after some were done gives the rest: that is how a run is taken up again.
    """

    items: Iterable[Item] = field(default=())
    looked_at: int = 0
    how: str = "rules"
    note: str = ""
    wake: datetime | None = None  # when time alone gives the step something to do


@dataclass(frozen=True, slots=True)
class StepKind:
    """A step by name; `plan` reads what the run may see and writes nothing.

    It waits where a step of `after` was put off: it is made of what that one makes.
    """

    name: str
    plan: Callable[[Night], Plan]
    after: tuple[str, ...] = ()
