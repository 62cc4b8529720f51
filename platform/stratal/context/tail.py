"""Tool results made to fit: in the current turn's loop, and in a turn too large for its room."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stratal.context.compression.results import FEWEST, ResultRules, excerpt, shown
from stratal.context.counting import Counter
from stratal.context.repair import repaired
from stratal_memory.records import Message, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortened:
    """One tool result that is shown in part: the id of its call, and the tokens saved."""

    call: str
    tokens: int
    reason: str


def fit_tail(
    tail: Sequence[Message], *, rules: ResultRules, room: int, wanted: int, counter: Counter
) -> tuple[tuple[Message, ...], tuple[Shortened, ...]]:
    """A view of `tail` for `room` tokens, and what was shortened for it.

    Results are capped as they come in. A tail that fits then comes back so. Otherwise results
    are shortened more, oldest first, until `wanted` tokens are free beside it for recall and
    history, but at most half the room for their sake. The view may still be too large when there
    is nothing left to shorten.
    """
    view = shown(tail, rules)
    if counter.count_messages(view) <= room:
        return view, ()
    goal = max(room - wanted, room // 2)
    return fit_results(repaired(tail), view, goal=goal, counter=counter)


def fit_results(
    stored: Sequence[Message], view: Sequence[Message], *, goal: int, counter: Counter
) -> tuple[tuple[Message, ...], tuple[Shortened, ...]]:
    """`view` with results shortened, oldest first, until it takes `goal` tokens or none is left.

    `stored` are the same messages with their whole text, one for one.
    """
    made = list(view)
    cost = counter.count_messages(made)
    notes: list[Shortened] = []
    for index, (whole, message) in enumerate(zip(stored, view, strict=True)):
        if cost <= goal:
            break
        if message.role == Role.TOOL:
            shorter = _shortened(whole, message, excess=cost - goal, counter=counter)
            saved = counter.count_messages([message]) - counter.count_messages([shorter])
            if saved > 0:
                made[index], cost = shorter, cost - saved
                notes.append(_note(message, saved=saved))
    return tuple(made), tuple(notes)


def _shortened(whole: Message, shown: Message, *, excess: int, counter: Counter) -> Message:
    """`shown` with `excess` tokens fewer, or with `FEWEST` characters when that is not enough."""
    before = counter.count_messages([shown])
    target = max(0, before - excess)
    keep = max(FEWEST, len(shown.text) * target // max(1, before))
    while True:
        shorter = replace(whole, text=excerpt(whole.text, keep=keep))
        if keep == FEWEST or counter.count_messages([shorter]) <= target:
            return shorter
        keep = max(FEWEST, keep * 3 // 4)


def _note(message: Message, *, saved: int) -> Shortened:
    return Shortened(
        call=message.tool_call_id,
        tokens=saved,
        reason="an old tool result was shortened to fit the window",
    )
