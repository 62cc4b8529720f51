"""A statement that is about to be remembered, and what may become of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from stratal_memory.facets import found_by
from stratal_memory.records import Evidence, Memory, Scope, Status, Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement that passed the gate and is about to be remembered."""

    text: str
    scope: Scope
    trust: Trust
    source: str
    valid_from: datetime
    evidence: Evidence
    # "I moved to Porto last week" says that it is so now too, which is later than its start.
    holds_at: datetime | None = None
    valid_to: datetime | None = None  # when it ends by itself, if that is known
    facet: str = ""
    value: str = ""
    single_valued: bool = False
    correction: bool = False
    retracts: bool = False
    instead_of: str = ""
    session: str = ""
    status: Status = Status.ACTIVE


def found_by_text(statement: Statement) -> str:
    """The text the vector of a statement is made of; what `memories.embeddable` says of it."""
    return found_by(statement.facet, statement.text, statement.evidence.quote)


class Action(StrEnum):
    """What became of a statement."""

    ADDED = "added"
    REINFORCED = "reinforced"
    SUPERSEDED = "superseded"  # it replaced an older value
    CONTESTED = "contested"  # it disagrees with what is as recent or more trusted; both stay
    LATE = "late"  # it was true earlier; inserted already closed
    RETRACTED = "retracted"  # it ended what was known
    QUARANTINED = "quarantined"  # it is kept apart until a person decides


@dataclass(frozen=True, slots=True)
class Resolution:
    """What was done, to which memory, and why."""

    action: Action
    memory: Memory
    reason: str
