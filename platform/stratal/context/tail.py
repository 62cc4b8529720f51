"""The current turn's tool loop: whole while it fits, old tool results shortened when not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stratal.context.counting import Counter
from stratal_memory.records import Message, Role

FEWEST = 200  # characters a shortened result keeps at least


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortened:
    """One tool result that is shown in part: the id of its call, and the tokens saved."""

    call: str
    tokens: int
    reason: str


def fit_tail(
    tail: Sequence[Message], *, room: int, wanted: int, counter: Counter
) -> tuple[tuple[Message, ...], tuple[Shortened, ...]]:
    """A view of `tail` for `room` tokens, and what was shortened for it.

    A tail that fits comes back as it is. Otherwise results are shortened, oldest first, until
    `wanted` tokens are free beside it for recall and history, but at most half the room for
    their sake. The view may still be too large when there is nothing left to shorten.
    """
    view = list(tail)
    cost = counter.count_messages(view)
    if cost <= room:
        return tuple(view), ()
    goal = max(room - wanted, room // 2)
    notes: list[Shortened] = []
    for index, message in enumerate(view):
        if cost <= goal:
            break
        if message.role == Role.TOOL:
            shorter = _shortened(message, excess=cost - goal, counter=counter)
            saved = counter.count_messages([message]) - counter.count_messages([shorter])
            if saved > 0:
                view[index], cost = shorter, cost - saved
                notes.append(_note(message, saved=saved))
    return tuple(view), tuple(notes)


def excerpt(text: str, *, keep: int) -> str:
    """The first two and the last third of `keep` characters of `text`, with a note between.

    >>> excerpt("abcdefghi", keep=3).splitlines()[0], excerpt("abcdefghi", keep=3).splitlines()[-1]
    ('ab', 'i')
    """
    end = keep // 3
    note = (
        f"[... shortened to {keep:,} of {len(text):,} characters to fit the window; "
        "the whole result is kept in the history ...]"
    )
    return f"{text[: keep - end]}\n{note}\n{text[len(text) - end :]}"


def _shortened(message: Message, *, excess: int, counter: Counter) -> Message:
    """`message` with `excess` tokens fewer, or with `FEWEST` characters when that is not enough."""
    before = counter.count_messages([message])
    target = max(0, before - excess)
    keep = max(FEWEST, len(message.text) * target // max(1, before))
    while True:
        shorter = replace(message, text=excerpt(message.text, keep=keep))
        if keep == FEWEST or counter.count_messages([shorter]) <= target:
            return shorter
        keep = max(FEWEST, keep * 3 // 4)


def _note(message: Message, *, saved: int) -> Shortened:
    return Shortened(
        call=message.tool_call_id,
        tokens=saved,
        reason="an old tool result of this turn was shortened to fit the window",
    )
