"""Whose rows an import reads, and what became of them."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from stratal_memory.errors import InputError

KEPT = 1_000  # refused rows that are told one by one; the others are counted
TAKEN = "its id is taken"  # by a row of somebody else


class Source(StrEnum):
    """Whose export a file is."""

    STRATAL = "stratal"
    MEM0 = "mem0"
    LETTA = "letta"
    CHATGPT = "chatgpt"
    CLAUDE = "claude"


class Refused(InputError):
    """One row of an import can't be taken; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A row that was not taken."""

    where: str  # "line 12", "conversation 3"
    id: str
    reason: str


@dataclass(slots=True, kw_only=True)
class Imported:
    """What an import did, or with a dry run would do; counts are by kind of row."""

    format: str
    added: Counter[str] = field(default_factory=Counter[str])
    unchanged: Counter[str] = field(default_factory=Counter[str])  # were here already
    skipped: Counter[str] = field(default_factory=Counter[str])  # nothing to remember, by reason
    refused: int = 0
    refusals: list[Refusal] = field(default_factory=list[Refusal])  # the first of them

    def refuse(self, where: str, id: object, reason: str) -> None:
        """Count a row that was not taken."""
        self.refused += 1
        if len(self.refusals) < KEPT:
            shown = str(id)[:80] if isinstance(id, str | int) else ""
            self.refusals.append(Refusal(where=where, id=shown, reason=reason[:300]))
