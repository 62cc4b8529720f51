"""Memories, and who may see them."""

from collections.abc import Sequence
from datetime import datetime

from stratal.cli.shapes.base import ScopeName, Shape
from stratal_memory.consolidation.report import Change, Held
from stratal_memory.facets import ItemType
from stratal_memory.learning.resolution import Action
from stratal_memory.learning.review import Review
from stratal_memory.outcomes import Counts
from stratal_memory.recall.candidates import Factors, Parts, Signal, Verdict
from stratal_memory.recall.threshold import Gate
from stratal_memory.records import Event, Evidence, Form, Kind, Status, Trust
from stratal_memory.tiers.versions import Differs


class MemoryShape(Shape):
    """One version of a remembered statement."""

    id: str
    key: str
    version: int
    text: str
    kind: Kind
    form: Form
    scope: ScopeName
    agent: str
    session: str
    trust: Trust
    status: Status
    confidence: float
    support: int
    pinned: bool
    source: str
    item: ItemType
    facet: str
    value: str
    recorded_at: datetime
    valid_from: datetime
    valid_to: datetime | None
    retired_at: datetime | None
    supersedes: str
    evidence: tuple[Evidence, ...]


class MemoryList(Shape):
    """Memories; of one memory its versions, oldest first."""

    memories: tuple[MemoryShape, ...]


class Acted(Shape):
    """What became of memories changed by hand; `event` takes it back."""

    memories: tuple[MemoryShape, ...]
    reason: str
    event: str


class Pending(Shape):
    """A message that a model has yet to read, and why that failed last."""

    message: str
    session: str
    text: str
    failure: str


class WaitingList(Shape):
    """What waits for a person's word."""

    pending: tuple[Pending, ...]
    provisional: tuple[MemoryShape, ...]
    contested: tuple[MemoryShape, ...]
    quarantined: tuple[MemoryShape, ...]
    held: tuple[Held, ...]

    @classmethod
    def with_held(cls, found: Review, held: Sequence[Held]) -> "WaitingList":
        """What the gate and what consolidation left for a person."""
        return cls(
            pending=tuple(Pending.of(one) for one in found.pending),
            provisional=tuple(MemoryShape.of(one) for one in found.provisional),
            contested=tuple(MemoryShape.of(one) for one in found.contested),
            quarantined=tuple(MemoryShape.of(one) for one in found.quarantined),
            held=tuple(held),
        )


class Decided(Shape):
    """What became of a held change: what it changed, or would have."""

    word: str  # accepted, rejected, or gone: what it rested on has changed since
    changes: tuple[Change, ...]


class DifferenceShape(Shape):
    """One memory at two times; nothing where it was not held."""

    kind: Differs
    key: str
    before: MemoryShape | None
    after: MemoryShape | None


class Differences(Shape):
    """What changed between two times."""

    first: datetime
    second: datetime
    changes: tuple[DifferenceShape, ...]


class Remembered(Shape):
    """What became of a statement given by hand."""

    action: Action
    reason: str
    memory: MemoryShape


class Hit(Shape):
    """A memory that was found, with its score."""

    id: str
    kind: Kind
    form: Form
    text: str
    scope: ScopeName
    score: float
    parts: Parts
    factors: Factors
    signals: tuple[Signal, ...]
    gate: Gate
    verdict: Verdict
    reason: str
    source: str
    trust: Trust
    status: Status
    pinned: bool
    valid_from: datetime
    valid_to: datetime | None


class Hits(Shape):
    """What was found, best first."""

    hits: tuple[Hit, ...]


class Story(Shape):
    """Why a memory is what it is: its versions, what happened to them, and what came of them."""

    versions: tuple[MemoryShape, ...]
    events: tuple[Event, ...]
    counts: Counts
    usefulness: float


class Space(Shape):
    """A project or org, who created it, and who else may use it."""

    scope: ScopeName
    owner: str
    members: tuple[str, ...]


class Spaces(Shape):
    """The projects and orgs a user may use."""

    scopes: tuple[Space, ...]


class Access(Shape):
    """Whether a user may use a scope now, and whether that is new."""

    scope: ScopeName
    user: str
    allowed: bool
    changed: bool
