"""How much of the newest history stays word for word when the rest is summarised."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stratal.errors import ConfigError
from stratal_memory.records import Message

CountMessages = Callable[[Sequence[Message]], int]  # messages in, tokens out

COMPACT_FEWEST = 6  # Cs6: `/compact` leaves a shorter history alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """What stays, as demands; None where one does not apply. The largest demand wins.

    Raises `ConfigError` when a demand is out of its range.
    """

    messages: int | None = None
    tokens: int | None = None
    turns: int | None = None
    fraction: float | None = None  # 0..1 of the messages

    def __post_init__(self) -> None:
        if self.fraction is not None and not 0 <= self.fraction <= 1:
            raise ConfigError(
                f"the fraction of messages to keep is {self.fraction}",
                hint="Use a share from 0.0 to 1.0.",
            )
        demands = (("messages", self.messages), ("tokens", self.tokens), ("turns", self.turns))
        for name, demand in demands:
            if demand is not None and demand < 0:
                raise ConfigError(
                    f"the number of {name} to keep is {demand:,}",
                    hint="Use 0 or more, or leave it out.",
                )


def keep_from(
    turns: Sequence[Sequence[Message]], keep: Keep, *, count_messages: CountMessages
) -> int:
    """The index of the first turn that stays whole; everything before it may be summarised.

    Always a boundary between turns (P12, P19), and snapped outward: a turn of which anything is
    demanded stays. The newest turn stays whatever is demanded. 0 means that everything stays:
    there is nothing to summarise.
    """
    newest = max(0, len(turns) - 1)
    demanded = (
        newest,
        _by_turns(len(turns), keep),
        _by_messages(turns, keep),
        _by_tokens(turns, keep, count_messages),
    )
    return min(demanded)


def _by_turns(total: int, keep: Keep) -> int:
    return max(0, total - (keep.turns or 0))


def _by_messages(turns: Sequence[Sequence[Message]], keep: Keep) -> int:
    share = math.ceil(round((keep.fraction or 0) * sum(map(len, turns)), 6))
    return _reached(list(map(len, turns)), max(keep.messages or 0, share))


def _by_tokens(turns: Sequence[Sequence[Message]], keep: Keep, count: CountMessages) -> int:
    """Counts only as many turns as the demand reaches over."""
    left = keep.tokens or 0
    index = len(turns)
    while index > 0 and left > 0:
        index -= 1
        left -= count(turns[index])
    return index


def _reached(sizes: Sequence[int], demand: int) -> int:
    """The last index from which on the sizes add up to `demand`; 0 when all of them don't."""
    index = len(sizes)
    while index > 0 and demand > 0:
        index -= 1
        demand -= sizes[index]
    return index
