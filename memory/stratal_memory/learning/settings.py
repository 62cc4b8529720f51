"""What the gate is set to; one frozen value, made by who opens the agent."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from stratal_memory.errors import InputError
from stratal_memory.learning.privacy import Privacy
from stratal_memory.records import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings:
    """How messages become memories.

    `zone` is the IANA name of the user's zone: "tomorrow" is a day there; empty for the zone of
    this machine. Messages are stored in UTC, so with the default a day begins at midnight UTC.
    Raises `InputError` for a zone nobody knows.
    """

    privacy: Privacy = field(default_factory=Privacy)
    zone: str = "UTC"
    # With a model, messages wait until one of these is reached (MEMORY 1.1, step 3), or until the
    # user asks to remember something, or the session ends.
    buffer_tokens: int = 1_024  # estimated at 4 characters each; no tokenizer is known here
    buffer_idle: timedelta = timedelta(minutes=10)
    system_text: tuple[str, ...] = ()  # prompts of ours: who restates them says nothing new

    def __post_init__(self) -> None:
        self._zone()

    def local(self, at: datetime) -> datetime:
        """The moment in the user's zone."""
        return at.astimezone(self._zone())

    def dated(self, memory: Memory) -> Memory:
        """`memory` with its times in the user's zone: the days people read are those there."""
        if self.zone == "UTC":
            return memory
        ended, retired = memory.valid_to, memory.retired_at
        return replace(
            memory,
            recorded_at=self.local(memory.recorded_at),
            valid_from=self.local(memory.valid_from),
            valid_to=ended and self.local(ended),
            retired_at=retired and self.local(retired),
        )

    def _zone(self) -> ZoneInfo | None:
        """None is what `astimezone` takes for the machine's own."""
        if not self.zone:
            return None
        try:
            return ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise InputError(
                f"no time zone is called {self.zone!r}",
                hint="Use an IANA name such as Europe/Berlin, or UTC.",
            ) from error
