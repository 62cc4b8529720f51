"""What recall hands on: every memory that was considered, with its score and the verdict on it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from stratal_memory.outcomes import NOTHING, Counts
from stratal_memory.records import Memory

PINNED = "pinned"  # the reason of what is there whatever is asked


class Verdict(StrEnum):
    """Whether a candidate goes into the prompt."""

    IN = "in"
    OUT = "out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The three terms of Z13 before their weights, each 0..1."""

    similarity: float
    confidence: float
    scope: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """What bends the score a little, each around 1: relevance stays what counts."""

    recency: float = 1.0  # 0.90..1.10
    evidence: float = 1.0  # 0.95..1.05
    usefulness: float = 1.0  # 0.90..1.10; 1 while nothing is known of what came of it
    counts: Counts = NOTHING  # what usefulness rests on

    @property
    def product(self) -> float:
        """All of them together."""
        return self.recency * self.evidence * self.usefulness


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One thing that was measured of a candidate, and what it counted for its similarity."""

    name: str  # a field of `Features`, "cosine" or "words"
    value: float
    counted: float  # the value times its weight


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory that was considered, and why it is in or out."""

    memory: Memory
    parts: Parts
    score: float  # Z13: the weighted sum of `parts`, 0..1, times `factors`
    verdict: Verdict
    reason: str  # for people: "rank 2", "below the gate (0.12 < 0.30)", "over the cap of 5 items"
    factors: Factors = Factors()
    measured: Callable[[], tuple[Signal, ...]] = field(default=tuple, compare=False, repr=False)
    tells: float = 0.0  # how sure it tells of the attribute that is asked for, 0..1

    @property
    def signals(self) -> tuple[Signal, ...]:
        """What its similarity was made of; put into words when somebody asks."""
        return self.measured()

    @property
    def is_in(self) -> bool:
        """Whether it goes into the prompt, as far as was judged."""
        return self.verdict is Verdict.IN

    @property
    def is_pinned(self) -> bool:
        """Whether it stands first of its block because a person pinned it."""
        return self.is_in and self.reason == PINNED

    def out(self, reason: str) -> "Candidate":
        """The same candidate, left out because of `reason`."""
        return Candidate(  # `replace` takes four times as long, and most candidates are left out
            memory=self.memory,
            parts=self.parts,
            score=self.score,
            verdict=Verdict.OUT,
            reason=reason,
            factors=self.factors,
            measured=self.measured,
            tells=self.tells,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A candidate as the model reads it. Items are kept or dropped whole, never cut."""

    candidate: Candidate
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A section of recalled text: a fenced head, whole items best first, a fenced tail."""

    name: str  # "memories", "knowledge", "episodes"
    head: str
    items: tuple[Item, ...]
    tail: str

    def render(self, items: Sequence[Item]) -> str:
        """The text of the block when only `items` are kept; empty when there are none."""
        if not items:
            return ""
        return "\n".join((self.head, *(item.text for item in items), self.tail))
