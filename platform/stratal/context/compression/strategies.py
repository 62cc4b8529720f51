"""How much of a history that no longer fits stays: one function a strategy, turns only."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import accumulate, takewhile

FEWEST_MESSAGES = 6  # Cs4: a share of the messages is never less

Sizes = Sequence["Size"]  # of the turns, newest first


class Overflow(StrEnum):
    """What happens to a history that is larger than its room."""

    HEADROOM = "headroom"  # frees a share of the room at once, then rests: the prefix stays
    FIFO = "fifo"  # the oldest turns go until the rest fits (Octopus, O21, Os2)
    DROP_HALF = "drop_half"  # the older half of the turns goes (Picoclaw, P24)
    KEEP_FRACTION = "keep_fraction"  # a share of the messages stays (Octo, C10)


class Size(tuple[int, int]):
    """Tokens and messages of one turn."""

    __slots__ = ()

    @property
    def tokens(self) -> int:
        """Tokens of the turn as it is shown."""
        return self[0]

    @property
    def messages(self) -> int:
        """How many messages it has."""
        return self[1]


def fitting(sizes: Sizes, *, room: int) -> int:
    """How many of the newest turns fit into `room` tokens together.

    >>> fitting([Size((5, 2)), Size((6, 2)), Size((1, 2))], room=11)
    2
    """
    totals = accumulate(size.tokens for size in sizes)
    return sum(1 for _ in takewhile(lambda total: total <= room, totals))


def headroom(sizes: Sizes, *, room: int, share: float) -> int:
    """The newest turns that leave `share` of the room free; the newest one in any case it fits."""
    return max(fitting(sizes, room=int(room * (1 - share))), min(1, fitting(sizes, room=room)))


def drop_half(sizes: Sizes, *, room: int) -> int:
    """The newer half of the turns, the middle one with them, as often as it takes (P24, Ps3)."""
    kept = len(sizes)
    while kept > fitting(sizes[:kept], room=room):
        if kept == 1:
            return 0
        kept -= kept // 2
    return kept


def keep_fraction(sizes: Sizes, *, room: int, fraction: float) -> int:
    """The newest turns that hold `fraction` of the messages, or fewer where these don't fit (C10).

    The cut is moved outward to the turn's beginning, so that nothing demanded is lost.
    """
    wanted = max(FEWEST_MESSAGES, sum(size.messages for size in sizes) * fraction)
    kept, held = 0, 0
    while kept < len(sizes) and held < wanted:
        held += sizes[kept].messages
        kept += 1
    return min(kept, fitting(sizes, room=room))


def sliding_window(sizes: Sizes, *, turns: int) -> int:
    """The newest `turns` turns, whatever they take (Os4)."""
    return min(len(sizes), turns)


def newest_messages(sizes: Sizes, *, most: int) -> int:
    """The turns that hold the newest `most` messages, the one that is cut through whole (Z15)."""
    kept, held = 0, 0
    while kept < len(sizes) and held < most:
        held += sizes[kept].messages
        kept += 1
    return kept


Strategy = Callable[[Sizes, int], int]  # turns newest first and the room: how many stay


def strategy(overflow: Overflow, *, share: float) -> Strategy:
    """The function for a name; `share` is what it frees, or for `keep_fraction` what it keeps."""
    if overflow == Overflow.FIFO:
        return lambda sizes, room: fitting(sizes, room=room)
    if overflow == Overflow.DROP_HALF:
        return lambda sizes, room: drop_half(sizes, room=room)
    if overflow == Overflow.KEEP_FRACTION:
        return lambda sizes, room: keep_fraction(sizes, room=room, fraction=share)
    return lambda sizes, room: headroom(sizes, room=room, share=share)


def chain(*strategies: Strategy) -> Strategy:
    """The strategies in order, each on what the one before it left, until the rest fits."""

    def kept(sizes: Sizes, room: int) -> int:
        left = len(sizes)
        for one in strategies:
            if fitting(sizes[:left], room=room) == left:
                return left
            left = min(left, one(sizes[:left], room))
        return left

    return kept
