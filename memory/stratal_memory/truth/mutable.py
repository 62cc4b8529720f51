"""What of a version ever changes; an event keeps what it was before."""

from dataclasses import dataclass, replace
from datetime import datetime

from pydantic import TypeAdapter

from stratal_memory.records import Memory, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutable:
    """The only fields of a version that ever change, and how much evidence it had."""

    status: Status
    retired_at: datetime | None
    valid_to: datetime | None
    confidence: float
    support: int
    evidence: int
    pinned: bool = False

    @classmethod
    def of(cls, memory: Memory) -> "Mutable":
        """Those of `memory` as it is."""
        return cls(
            status=memory.status,
            retired_at=memory.retired_at,
            valid_to=memory.valid_to,
            confidence=memory.confidence,
            support=memory.support,
            evidence=len(memory.evidence),
            pinned=memory.pinned,
        )

    def on(self, memory: Memory) -> Memory:
        """`memory` with these fields, and the evidence it had then."""
        return replace(
            memory,
            status=self.status,
            retired_at=self.retired_at,
            valid_to=self.valid_to,
            confidence=self.confidence,
            support=self.support,
            pinned=self.pinned,
            evidence=memory.evidence[: self.evidence],
        )

    def to_json(self) -> str:
        """The fields as an event keeps them."""
        return _ADAPTER.dump_json(self).decode()

    @classmethod
    def from_json(cls, text: str) -> "Mutable":
        """The fields an event kept."""
        return _ADAPTER.validate_json(text)


_ADAPTER = TypeAdapter(Mutable)
