"""The section of the settings that says when jobs run."""

from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from stratal.parts import Part


def _joined(value: object) -> object:
    """A settings file may write several triggers as a list."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "; ".join(value)
    return value


Triggers = Annotated[str, BeforeValidator(_joined)]


class JobsPart(Part):
    """When jobs run in `stratal jobs serve`, and how its workers share them."""

    consolidate: Triggers = "0 3 * * *"
    """Cron in the machine's zone, `every 6h`, `idle 30m` (of silence), `off`; several: by `;`."""
    idle_minutes: int = Field(default=60, ge=0)
    """Conversations are settled after this much silence, or after that of an `idle` trigger."""
    retention: Triggers = "off"
    """When old conversations go, written as for `consolidate`; undo can't bring them back."""
    archive_days: int = Field(default=90, gt=0)
    """After how many days without a word the words of a conversation go; its episode stays."""
    erase_days: int = Field(default=365, gt=0)
    """After how many days its episode and summaries go too."""
    quiet_hours: str = ""
    """Hours of the machine's day in which no job starts, as `22:00-06:00`; empty: none."""
    jitter_minutes: int = Field(default=0, ge=0, le=720)
    """Each user's due times come later by a span of their own, at most this."""
    slice_items: int = Field(default=50, gt=0)
    """After how many changes a user's run makes room for the others."""
    tries: int = Field(default=4, gt=0, le=20)
    """How often a due time is tried when its run fails."""
    retry_minutes: int = Field(default=5, gt=0, le=1_440)
    """The wait before the second try; it doubles each time."""

    @model_validator(mode="after")
    def _in_order(self) -> "JobsPart":
        """What was erased can't be archived afterwards."""
        if self.erase_days < self.archive_days:
            raise ValueError("erase_days is less than archive_days")
        return self
