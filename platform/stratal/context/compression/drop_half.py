"""The emergency cut: the older half of the turns goes, the active turn never (Picoclaw)."""

from collections.abc import Sequence
from dataclasses import dataclass

from stratal.context.turns import turn_starts
from stratal_memory.records import Message

FEWEST = 2  # Ps3: a history of two messages or fewer is not compressed


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A shorter view of a history. `note` belongs into the summary, not into history (P26)."""

    kept: tuple[Message, ...]
    dropped: tuple[Message, ...]
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Nothing was dropped, and why."""

    reason: str


def drop_half(history: Sequence[Message]) -> Dropped | Refused:
    """The newer half of the turns; the middle one stays (P24, Ps3).

    A single turn is the active one and is never dropped (Ps4); `keep_last_user` is the last
    resort for it.
    """
    if len(history) <= FEWEST:
        return Refused(reason=f"only {len(history)} messages: nothing to drop")
    starts = turn_starts(history)
    if len(starts) < 2:
        return Refused(reason="refusing to drop active turn messages")
    return _cut(history, at=starts[len(starts) // 2])


def keep_last_user(history: Sequence[Message]) -> Dropped | Refused:
    """Only the newest user message (P25): it breaks a turn, where nothing else is left to do."""
    starts = turn_starts(history)
    if not starts:
        return Refused(reason="no user message to keep")
    if len(history) == 1:
        return Refused(reason="only 1 message: nothing to drop")
    newest = starts[-1]
    lost = (*history[:newest], *history[newest + 1 :])
    return Dropped(kept=(history[newest],), dropped=lost, note=note(len(lost)))


def note(count: int) -> str:
    """What the summary says about `count` dropped messages."""
    return f"[Emergency compression dropped {count} oldest messages due to context limit]"


def with_note(summary: str, dropped: Dropped) -> str:
    """`summary` with the note after a blank line (Ps3); the note alone when there is none."""
    return f"{summary}\n\n{dropped.note}" if summary else dropped.note


def _cut(history: Sequence[Message], *, at: int) -> Dropped:
    return Dropped(kept=tuple(history[at:]), dropped=tuple(history[:at]), note=note(at))
