"""When history is due to be summarised: marks for room, tokens and messages, OR-ed."""

import math
from dataclasses import dataclass
from enum import StrEnum

from stratal.errors import ConfigError


class Measure(StrEnum):
    """What the marks for room and tokens are compared with."""

    FULL = "full"  # system + summary + tools + history + output reserve: closes P39
    HISTORY = "history"  # the history alone, as P17 and the gap P39 have it


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggers:
    """The marks; None where one does not apply, and all None never fires.

    Raises `ConfigError` when a mark is out of its range.
    """

    fraction: float | None = None  # 0..1 of the window
    tokens: int | None = None
    messages: int | None = None

    def __post_init__(self) -> None:
        if self.fraction is not None and not 0 <= self.fraction <= 1:
            raise ConfigError(
                f"the summarisation fraction is {self.fraction}",
                hint="It is a share of the window, from 0.0 to 1.0 (C22).",
            )
        for name, mark in (("tokens", self.tokens), ("messages", self.messages)):
            if mark is not None and mark < 0:
                raise ConfigError(
                    f"the summarisation mark for {name} is {mark:,}",
                    hint="Use 0 or more, or leave it out.",
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """How full the context is; tokens, but for `messages`."""

    used: int  # system + summary + tools + history + output reserve
    history: int
    messages: int  # in history
    window: int


def fired(triggers: Triggers, fill: Fill, *, measure: Measure = Measure.FULL) -> str:
    """Why history is due to be summarised; empty when it is not.

    One rule for all presets: a mark for room (fraction, tokens) fires when it is reached, as
    Octo's "at least 70 %"; a mark for messages when it is exceeded, as Picoclaw's "above".
    The first of fraction, tokens and messages that fires is the reason.

    >>> fired(Triggers(messages=20), Fill(used=0, history=0, messages=21, window=8_000))
    '21 messages, above 20'
    """
    counted = fill.used if measure is Measure.FULL else fill.history
    if triggers.fraction is not None:
        mark = mark_of(triggers.fraction, fill.window)
        if counted >= mark:
            return (
                f"{counted:,} tokens, at least {mark:,} "
                f"({triggers.fraction:.0%} of a window of {fill.window:,})"
            )
    if triggers.tokens is not None and counted >= triggers.tokens:
        return f"{counted:,} tokens, at least {triggers.tokens:,}"
    if triggers.messages is not None and fill.messages > triggers.messages:
        return f"{fill.messages:,} messages, above {triggers.messages:,}"
    return ""


def mark_of(fraction: float, window: int) -> int:
    """The first whole number of tokens that is at least `fraction` of `window`.

    >>> mark_of(0.55, 100)  # 0.55 * 100 is 55.00000000000001
    55
    """
    return math.ceil(round(fraction * window, 6))
