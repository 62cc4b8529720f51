"""The sections of the settings that say what happens when a conversation grows."""

from pathlib import PurePosixPath
from typing import Literal

from pydantic import Field, field_validator

from stratal.context.compression.keep import Keep
from stratal.context.compression.results import ResultRules
from stratal.context.compression.strategies import Overflow
from stratal.context.compression.triggers import Measure, Triggers
from stratal.context.history import HistoryRules
from stratal.parts import Part


class HistoryPart(Part):
    """How much of the history is shown, and what happens when it outgrows its room."""

    overflow: Overflow = Overflow.HEADROOM
    """`headroom` frees a share at once and rests, `fifo`, `drop_half`, `keep_fraction`."""
    share: float = Field(default=0.3, gt=0, lt=1)
    """What `headroom` frees of the room, or what `keep_fraction` keeps of the messages."""
    sliding_turns: int | None = Field(default=None, gt=0)
    """Never more turns than this."""
    max_messages: int | None = Field(default=None, gt=0)
    """Never more messages than this; the turn it cuts through stays whole."""
    min_turns: int = Field(default=0, ge=0)
    """Turns that optional sections leave room for, beside `context.min_history`."""
    keep_last_user: bool = False
    """When a turn's tool loop can't be shortened enough: send the message alone, not an error."""


class ToolResultsPart(Part):
    """How much of a tool result is shown; the stored one is always whole."""

    limit: int | None = Field(default=20_000, gt=0)
    """Characters a fresh result shows; none: all."""
    window_share: float | None = Field(default=0.15, gt=0, le=1)
    """The share of the window one result may take, at four characters a token."""
    age_after: int | None = Field(default=10, ge=0)
    """Results beyond the newest this many messages are old; none: they never age."""
    age_over: int = Field(default=4_000, gt=0)
    """Characters; an old result that is longer is cut to about this."""
    age_every_turn: bool = False
    """Results age as they grow old; off: only when room is short, so that caches hold."""
    exempt: list[str] = Field(default_factory=list[str])
    """Words in the names of tools whose results are never shortened."""
    message_limit: int | None = Field(default=None, gt=0)
    """Characters any message of the history shows; none: all."""
    spill: str = ""
    """A folder inside the data directory that gets a copy of every result that ages."""

    @field_validator("spill")
    @classmethod
    def _inside(cls, value: str) -> str:
        """The folder stays inside the user's: no other drive, no way up."""
        path = PurePosixPath(value)
        if path.is_absolute() or ".." in path.parts or "\\" in value or "\0" in value:
            raise ValueError("it is a folder inside the data directory, as .octo/workspace")
        return value


class SummaryPart(Part):
    """When older messages are summarised, by whom, and what stays; `none` of a value: not used."""

    enabled: bool = True
    """Off: what is no longer shown is not summarised."""
    trigger_fraction: float | None = Field(default=0.7, ge=0, le=1)
    """The share of the window at which a summary is made, measured over the whole request."""
    trigger_tokens: int | None = Field(default=None, gt=0)
    """Tokens at which it is made."""
    trigger_messages: int | None = Field(default=None, gt=0)
    """Messages above which it is made."""
    measure: Measure = Measure.FULL
    """What the triggers look at: the whole request with the answer's reserve, or the history."""
    keep_messages: int | None = Field(default=None, ge=0)
    """Messages that are not summarised; of all `keep_` values the largest counts."""
    keep_tokens: int | None = Field(default=None, ge=0)
    """Tokens that are not summarised."""
    keep_turns: int | None = Field(default=1, ge=0)
    """Turns that are not summarised."""
    keep_fraction: float | None = Field(default=None, ge=0, le=1)
    """The share of the messages that is not summarised."""
    apply: Literal["at_cut", "at_once"] = "at_cut"
    """`at_cut`: ready for the moment the history no longer fits; `at_once`: it replaces now."""
    model: str = "low"
    """`low`, `default`, `high` of the same maker, `same`, `none`, or a model string."""
    tokens: int = Field(default=1_000, gt=0)
    """How long a summary may be."""
    seconds: float = Field(default=120.0, gt=0)
    """How long closing waits for one that is being made."""

    def triggers(self) -> Triggers:
        """When a summary is due."""
        return Triggers(
            fraction=self.trigger_fraction,
            tokens=self.trigger_tokens,
            messages=self.trigger_messages,
        )

    def keep(self) -> Keep:
        """What stays word for word."""
        return Keep(
            messages=self.keep_messages,
            tokens=self.keep_tokens,
            turns=self.keep_turns,
            fraction=self.keep_fraction,
        )


class CachePart(Part):
    """Prompt caching, where the provider lets us steer it."""

    marks: bool = True
    """Set breakpoints at Anthropic and Bedrock; off: none."""
    ttl: Literal["5m", "1h"] = "5m"
    """How long Anthropic keeps a prefix; an hour costs more to write."""


def history_rules(history: HistoryPart, results: ToolResultsPart, *, window: int) -> HistoryRules:
    """The same as the context reads it, for a window of `window` tokens."""
    rules = ResultRules(
        limit=results.limit,
        age_after=results.age_after,
        age_over=results.age_over,
        exempt=tuple(results.exempt),
        message_limit=results.message_limit,
        spill=results.spill,
    )
    return HistoryRules(
        results=rules.within(window=window, share=results.window_share),
        overflow=history.overflow,
        share=history.share,
        sliding_turns=history.sliding_turns,
        max_messages=history.max_messages,
        min_turns=history.min_turns,
        keep_last_user=history.keep_last_user,
        age_every_turn=results.age_every_turn,
    )
