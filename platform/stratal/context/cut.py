"""What of a history is sent: it stays behind its cut while it fits, and is cut when it does not."""

from dataclasses import dataclass, replace

from stratal.context.compression.strategies import Overflow
from stratal.context.counting import Counter
from stratal.context.history import Moved, Newest, old, seen, with_aged
from stratal.context.repair import repaired
from stratal.context.tail import Shortened, fit_results
from stratal_memory.records import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptHistory:
    """The newest whole turns that fit, oldest first, and what the next older one would take."""

    messages: tuple[Message, ...]  # as they are sent: repaired views
    costs: tuple[int, ...]  # tokens of each
    tokens: int
    left: int  # messages that were read and are not sent
    more: bool  # whether there are older ones that nobody read
    next_turn: int  # tokens of the newest turn that did not fit; 0 when none is left
    aged: int = 0  # tool results up to this row are shown aged
    moved: Moved | None = None
    shortened: tuple[Shortened, ...] = ()


def kept(newest: Newest, *, room: int, current: int, counter: Counter) -> KeptHistory:
    """What of the turns that were read is sent in `room` tokens, and whether the cut moves."""
    turns = newest.turns
    allowed = newest.rules.allowed([turn.size for turn in turns])
    total = sum(turn.tokens for turn in turns[:allowed])
    if total <= room and (allowed < len(turns) or not newest.more):
        return _history(newest, allowed)
    older = with_aged(newest, to=old(newest, current=current), counter=counter)
    return _cut(older, before=newest.aged, allowed=allowed, room=room, counter=counter)


def _cut(newest: Newest, *, before: int, allowed: int, room: int, counter: Counter) -> KeptHistory:
    """The history after an overflow: aged results first, then fewer turns, then shorter ones."""
    rules = newest.rules
    sizes = [turn.size for turn in newest.turns[:allowed]]
    total = sum(size.tokens for size in sizes)
    rests = int(room * (1 - rules.share)) if rules.overflow == Overflow.HEADROOM else room
    whole = allowed < len(newest.turns) or not newest.more
    if newest.aged > before and whole and total <= rests:
        moved = Moved(after=0, aged=newest.aged, turns=0, reason="old tool results were aged")
        return replace(_history(newest, allowed), moved=moved)
    stay = rules.kept(sizes, room=room)
    if stay == 0 and newest.turns:
        return _shorter(newest, before=before, room=room, counter=counter)
    return replace(_history(newest, stay), moved=_moved(newest, stay, before=before, room=room))


def _moved(newest: Newest, stay: int, *, before: int, room: int) -> Moved | None:
    """None where nothing is hidden or aged that was not before: the cut stays."""
    left = newest.turns[stay:]
    if not left and newest.aged == before:
        return None
    return Moved(
        after=left[0].stored[0].seq if left else 0,
        aged=newest.aged,
        turns=len(left),
        reason=_reason(room),
    )


def _reason(room: int) -> str:
    return f"the history took more than its {room:,} tokens"


def _shorter(newest: Newest, *, before: int, room: int, counter: Counter) -> KeptHistory:
    """The newest turn alone, its tool results shortened until it fits; nothing when it can't."""
    turn = newest.turns[0]
    view, notes = fit_results(repaired(turn.stored), turn.view, goal=room, counter=counter)
    fitted = seen(turn.stored, view, counter)
    if fitted.tokens > room:
        return replace(_history(newest, 0), moved=_moved(newest, 0, before=before, room=room))
    made = replace(newest, turns=(fitted, *newest.turns[1:]))
    moved = _moved(made, 1, before=before, room=room)
    if newest.older and len(newest.turns) == 1:  # what was not even read is hidden from now on
        moved = Moved(after=newest.older, aged=newest.aged, turns=1, reason=_reason(room))
    return replace(_history(made, 1), shortened=notes, moved=moved)


def _history(newest: Newest, stay: int) -> KeptHistory:
    turns = newest.turns
    return KeptHistory(
        messages=tuple(message for turn in reversed(turns[:stay]) for message in turn.view),
        costs=tuple(cost for turn in reversed(turns[:stay]) for cost in turn.costs),
        tokens=sum(turn.tokens for turn in turns[:stay]),
        left=sum(len(turn.stored) for turn in turns[stay:]) + newest.beginning,
        more=newest.more,
        aged=newest.aged,
        next_turn=turns[stay].tokens if stay < len(turns) else 0,
    )
