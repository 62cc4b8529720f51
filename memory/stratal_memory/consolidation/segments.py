"""A conversation cut into what belongs together: pure, in the order it was said."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from stratal_memory.records import Message, Role

PAUSE = timedelta(hours=3)  # after so long somebody comes back to something else
MOST = 40  # messages of the user in one; a longer stretch is cut at its longest pause


@dataclass(frozen=True, slots=True)
class Segment:
    """One stretch of a conversation: the user's messages and the answers between and after them."""

    messages: tuple[Message, ...]

    @property
    def said(self) -> tuple[Message, ...]:
        """What the user said in it."""
        return tuple(one for one in self.messages if one.role is Role.USER)


def segments(messages: Sequence[Message]) -> list[Segment]:
    """The stretches of one conversation, each with at least one message of the user."""
    stretches: list[list[Message]] = []
    for one in messages:
        paused = stretches and _pause(stretches[-1][-1], one) >= PAUSE
        if not stretches or (paused and one.role is Role.USER):
            stretches.append([])
        stretches[-1].append(one)
    found = [part for stretch in stretches for part in _parts(stretch)]
    return [Segment(tuple(part)) for part in found if any(m.role is Role.USER for m in part)]


def _parts(stretch: list[Message]) -> list[list[Message]]:
    """The stretch, or where it is long its parts on both sides of the longest pause."""
    turns = [place for place, one in enumerate(stretch) if one.role is Role.USER]
    if len(turns) <= MOST:
        return [stretch]
    inner = turns[len(turns) // 4 : -(len(turns) // 4)]  # no part is less than a quarter
    cut = max(inner, key=lambda place: _pause(stretch[place - 1], stretch[place]))
    return [*_parts(stretch[:cut]), *_parts(stretch[cut:])]


def _pause(before: Message, after: Message) -> timedelta:
    if before.created is None or after.created is None:
        return timedelta(0)
    return after.created - before.created
