"""What goes into the window: fixed parts, optional sections inside their limits, then history."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stratal.context.budget import Budget
from stratal.context.counting import Counter
from stratal.context.cut import KeptHistory, kept
from stratal.context.history import Newest, Past, read
from stratal.context.sections import Layout, Parts, place
from stratal.context.shrinking import Dropped, capped, smaller, smallest
from stratal.context.tail import Shortened, fit_tail
from stratal.errors import ContextBudgetError
from stratal_memory.records import Message

Measure = Callable[[Parts], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that is sent, and everything that is not."""

    parts: Parts
    history: KeptHistory
    tail: tuple[Message, ...]
    dropped: tuple[Dropped, ...]
    shortened: tuple[Shortened, ...]


def plan(
    parts: Parts,
    past: Past,
    turn: Sequence[Message],
    *,
    budget: Budget,
    counter: Counter,
    layout: Layout,
) -> Plan:
    """The plan for `turn`: the current message and, after it, the tool loop so far.

    Raises `ContextBudgetError` when system prompt, tools and `turn` do not fit the window after
    every optional section is gone and old tool results are shortened.
    """
    tokens = _measure(counter, layout)
    bare = tokens(Parts(system=parts.system))
    chosen, dropped = capped(parts, layout=layout, budget=budget, counter=counter)
    taken = tokens(chosen)
    # A bill below the count is no room: after a cut it may be the size of the count again.
    fixed = max(0, budget.overhead) + counter.count_tools(parts.tools)
    fixed += counter.count_messages(turn[:1])
    room = max(0, budget.input_limit - fixed - bare)
    newest = read(past, room=room, current=len(turn), counter=counter)
    wanted = taken - bare + newest.floor(budget.min_history)
    tail, shortened = _tail(past, turn, room=room, wanted=wanted, counter=counter)
    fixed += counter.count_messages(tail)
    if fixed + bare > budget.input_limit:
        raise _does_not_fit(fixed + bare, budget)

    targets = _targets(newest, fixed=fixed, budget=budget)
    chosen, lost = _shrunk(chosen, taken, tokens=tokens, targets=targets)
    used = fixed + (tokens(chosen) if lost else taken)
    free = _free(newest, used=used, budget=budget)
    history = kept(newest, room=free, current=len(turn), counter=counter)
    return Plan(
        parts=chosen,
        history=history,
        tail=tail,
        dropped=(*dropped, *lost),
        shortened=(*history.shortened, *shortened),
    )


def _tail(
    past: Past, turn: Sequence[Message], *, room: int, wanted: int, counter: Counter
) -> tuple[tuple[Message, ...], tuple[Shortened, ...]]:
    """The tool loop as it is sent; given up whole where the rules say so and nothing else helps."""
    rules = past.rules
    tail, cut = fit_tail(turn[1:], rules=rules.results, room=room, wanted=wanted, counter=counter)
    if rules.keep_last_user and counter.count_messages(tail) > room:
        return (), (_given_up(tail, counter),)
    return tail, cut


def _free(newest: Newest, *, used: int, budget: Budget) -> int:
    """What is left to history. The floor may pass the working budget, never the window (rule b)."""
    floor = newest.floor(budget.min_history)
    return max(0, budget.input_target - used, min(floor, budget.input_limit - used))


def _measure(counter: Counter, layout: Layout) -> Measure:
    """A function that gives the tokens of everything `place` makes of some parts."""
    return lambda parts: counter.count_messages(
        [placed.message for placed in place(parts, layout).all()]
    )


def _targets(newest: Newest, *, fixed: int, budget: Budget) -> tuple[int, int]:
    """What optional sections may take beside `min_history`, and what the window leaves them.

    Turns that are demanded pass the working budget before a section yields to them (O22, Os5).
    """
    wanted = budget.input_target - fixed - newest.within(budget.min_history)
    demanded = budget.input_limit - fixed - newest.floor(budget.min_history)
    return min(wanted, demanded), budget.input_limit - fixed


def _shrunk(
    parts: Parts, taken: int, *, tokens: Measure, targets: tuple[int, int]
) -> tuple[Parts, list[Dropped]]:
    """`parts`, which take `taken` tokens, made to take no more than the two `targets`.

    The first leaves history its floor inside the budget, the second is the window's end.
    """
    dropped: list[Dropped] = []
    for target, shrink in zip(targets, (smaller, smallest), strict=True):
        while taken > target and (less := shrink(parts)):
            parts, lost = less
            taken = tokens(parts)
            dropped.append(lost)
    return parts, dropped


def _given_up(tail: Sequence[Message], counter: Counter) -> Shortened:
    """P25: only the newest user message is kept, where nothing else is left to do."""
    return Shortened(
        call=next((call.id for message in tail for call in message.tool_calls), ""),
        tokens=counter.count_messages(tail),
        reason="the turn's tool loop did not fit the window; only its message was sent",
    )


def _does_not_fit(fixed: int, budget: Budget) -> ContextBudgetError:
    """`window` is what input and reserve may take together, which `max_input` can lower."""
    return ContextBudgetError(
        fixed=fixed,
        reserve=budget.output_reserve,
        window=budget.whole_limit + budget.output_reserve,
        margin=budget.whole_limit - budget.input_limit,
    )
