"""What a summariser is given and what it hands back."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from stratal.context.compression.survival import Survival
from stratal_memory.records import Message

Complete = Callable[[str], str]  # prompt in, text out; raises ProviderError
Count = Callable[[str], int]  # text in, tokens out


class Method(StrEnum):
    """How a summary was made."""

    MODEL = "model"
    EXTRACTIVE = "extractive"
    NOTE = "note"  # nothing could be said shorter: only that messages were dropped


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The turns to be summarised, oldest first, and the summary they go into."""

    turns: tuple[tuple[Message, ...], ...]
    previous: str = ""  # the session's summary so far; the new one takes its place
    window: int  # tokens the summarising model takes in, its answer included
    limit: int  # tokens of the summary at most

    @property
    def messages(self) -> int:
        """How many messages the summary stands for."""
        return sum(map(len, self.turns))


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A summary of at most `Job.limit` tokens; it takes the place of `Job.previous`.

    `tried` says in order what was refused or failed before, and why.
    """

    text: str
    method: Method
    survival: Survival
    tried: tuple[str, ...] = ()
