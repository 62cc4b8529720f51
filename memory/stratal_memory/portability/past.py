"""What other systems' exports come to: conversations of the past, and statements."""

from dataclasses import dataclass
from datetime import UTC, datetime

from stratal_memory.records import Role, Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of a past conversation."""

    id: str  # as the other system named it
    role: Role  # user or assistant
    text: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """One conversation of the past, in its order."""

    id: str
    title: str
    said: tuple[Said, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """One statement another system remembered."""

    id: str
    text: str
    at: datetime
    trust: Trust = Trust.ASSISTANT  # its model wrote it


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """Something that holds nothing to remember, and why."""

    reason: str


Item = Past | Noted | Skipped


def moment(value: object) -> datetime | None:
    """The time a value tells, in UTC: seconds since 1970, or ISO 8601; None when it tells none.

    A time without a zone is taken as UTC, which is what these systems write.
    """
    try:
        if isinstance(value, bool) or value is None:
            return None
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value, UTC)
        if isinstance(value, str):
            found = datetime.fromisoformat(value.strip())
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None
