"""What goes into the window: fixed parts, optional sections inside their limits, then history."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from stratal.context.budget import Budget
from stratal.context.counting import Counter
from stratal.context.repair import repaired
from stratal.context.sections import Layout, Parts, place
from stratal.context.shrinking import Dropped, capped, smaller, smallest
from stratal.context.tail import Shortened, fit_tail
from stratal.errors import ContextBudgetError, InvalidRequest
from stratal_memory.records import Message, Role

Measure = Callable[[Parts], int]
SPEAKERS = (Role.USER, Role.ASSISTANT, Role.TOOL)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptHistory:
    """The newest whole turns that fit, oldest first, and what the next older one would take."""

    messages: tuple[Message, ...]  # as they are sent: repaired views
    tokens: int
    left: int  # messages that are not sent
    next_turn: int  # tokens of the newest turn that did not fit; 0 when none is left


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that is sent, and everything that is not."""

    parts: Parts
    history: KeptHistory
    tail: tuple[Message, ...]
    dropped: tuple[Dropped, ...]
    shortened: tuple[Shortened, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn of the history as it would be sent, and how many stored messages it stands for."""

    view: tuple[Message, ...]
    stored: int
    tokens: int


def plan(
    parts: Parts,
    history: Sequence[Message],
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
    fixed = counter.count_tools(parts.tools) + counter.count_messages(turn[:1])
    room = max(0, budget.input_limit - fixed - bare)
    newest = _newest(history, limit=room, counter=counter)
    floor = sum(turn.tokens for turn in _within(newest, budget.min_history))
    wanted = tokens(chosen) - bare + floor
    tail, shortened = fit_tail(repaired(turn[1:]), room=room, wanted=wanted, counter=counter)
    fixed += counter.count_messages(tail)
    if fixed + bare > budget.input_limit:
        raise _does_not_fit(fixed + bare, budget)

    chosen, lost = _shrunk(chosen, tokens=tokens, fixed=fixed, floor=floor, budget=budget)
    used = fixed + tokens(chosen)
    # The floor may pass the working budget, never the window (section 3, rule b).
    free = max(budget.input_target - used, min(floor, budget.input_limit - used))
    return Plan(
        parts=chosen,
        history=_kept(newest, limit=free, stored=len(history)),
        tail=tail,
        dropped=(*dropped, *lost),
        shortened=shortened,
    )


def _measure(counter: Counter, layout: Layout) -> Measure:
    """A function that gives the tokens of everything `place` makes of some parts."""
    return lambda parts: counter.count_messages(
        [placed.message for placed in place(parts, layout).all()]
    )


def _shrunk(
    parts: Parts, *, tokens: Measure, fixed: int, floor: int, budget: Budget
) -> tuple[Parts, list[Dropped]]:
    """`parts` made to leave `floor` to history in the budget, and to stay inside the window."""
    dropped: list[Dropped] = []
    while fixed + tokens(parts) + floor > budget.input_target and (less := smaller(parts)):
        parts, lost = less
        dropped.append(lost)
    while fixed + tokens(parts) > budget.input_limit and (less := smallest(parts)):
        parts, lost = less
        dropped.append(lost)
    return parts, dropped


def newest_turns(history: Sequence[Message]) -> Iterator[tuple[Message, ...]]:
    """The whole turns of `history`, newest first, reading no further back than it is asked.

    Messages before the first user message belong to no whole turn and never come.
    """
    end = len(history)
    for start in range(len(history) - 1, -1, -1):
        if history[start].role == Role.USER:
            yield tuple(history[start:end])
            end = start


def _newest(history: Sequence[Message], *, limit: int, counter: Counter) -> list[Turn]:
    """The newest turns up to and including the first that passes `limit` tokens in total."""
    found: list[Turn] = []
    for turn in newest_turns(history):
        if any(message.role not in SPEAKERS for message in turn):
            raise InvalidRequest(
                "the history holds a system or context message",
                hint="Only user, assistant and tool messages are history (P7, P8).",
            )
        view = repaired(turn)
        found.append(Turn(view=view, stored=len(turn), tokens=counter.count_messages(view)))
        limit -= found[-1].tokens
        if limit < 0:
            break
    return found


def _within(newest: Sequence[Turn], limit: int) -> list[Turn]:
    """The newest whole turns that take at most `limit` tokens together, newest first."""
    totals = accumulate(turn.tokens for turn in newest)
    return [turn for turn, total in zip(newest, totals, strict=True) if total <= limit]


def _kept(newest: Sequence[Turn], *, limit: int, stored: int) -> KeptHistory:
    kept = _within(newest, limit)
    return KeptHistory(
        messages=tuple(message for turn in reversed(kept) for message in turn.view),
        tokens=sum(turn.tokens for turn in kept),
        left=stored - sum(turn.stored for turn in kept),
        next_turn=newest[len(kept)].tokens if len(kept) < len(newest) else 0,
    )


def _does_not_fit(fixed: int, budget: Budget) -> ContextBudgetError:
    """`window` is what input and reserve may take together, which `max_input` can lower."""
    return ContextBudgetError(
        fixed=fixed,
        reserve=budget.output_reserve,
        window=budget.input_limit + budget.output_reserve,
    )
