"""Turns: what a history is made of, and the only places where it may be cut."""

from collections.abc import Sequence
from itertools import pairwise

from stratal_memory.records import Message, Role


def turn_starts(messages: Sequence[Message]) -> list[int]:
    """Where each turn begins: the indexes of the user messages (P11, P13)."""
    return [index for index, message in enumerate(messages) if message.role == Role.USER]


def turns(messages: Sequence[Message]) -> list[tuple[Message, ...]]:
    """The turns in order; joined they are `messages` again.

    Messages before the first user message come first, as a piece of their own: the rest of a
    turn whose beginning was cut off.
    """
    bounds = [*turn_starts(messages), len(messages)]
    if bounds[0] > 0:
        bounds.insert(0, 0)
    return [tuple(messages[start:end]) for start, end in pairwise(bounds)]


def safe_boundary(messages: Sequence[Message], target: int) -> int:
    """The turn boundary to cut at when one would like to cut before index `target` (P14, Ps2).

    The last boundary at or before `target`, else the first after it. 0 means there is no safe
    cut, the number of messages that everything goes. Without any user message nothing can be
    parted wrongly by turns, and `target` comes back as it is.
    """
    if target <= 0:
        return 0
    if target >= len(messages):
        return len(messages)
    starts = turn_starts(messages)
    if not starts:
        return target
    before = [start for start in starts if 0 < start <= target]
    after = [start for start in starts if start > target]
    return before[-1] if before else next(iter(after), 0)
