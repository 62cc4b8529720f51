"""The only place that builds what the model reads: one request, and the ledger that explains it."""

from collections.abc import Sequence
from dataclasses import dataclass

from stratal.context.accounts import Built, account
from stratal.context.budget import Budget
from stratal.context.counting import Counter
from stratal.context.ledger import Ledger
from stratal.context.planner import Plan, plan
from stratal.context.request import Request
from stratal.context.sections import Layout, Parts, Placement, place
from stratal_memory.records import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """A request and its ledger; `ledger.request()` equals `request`."""

    request: Request
    ledger: Ledger


def assemble(
    parts: Parts,
    history: Sequence[Message],
    message: Message,
    *,
    tail: Sequence[Message] = (),
    budget: Budget,
    counter: Counter,
    layout: Layout = Layout.CACHE_FRIENDLY,
    model: str,
) -> Assembled:
    """What the model is sent for `message`, inside the budget; nothing given is changed.

    `tail` holds the current turn's tool calls and results so far. Optional sections shrink in a
    fixed order, history is filled newest first by whole turns, and all that is left out stands
    in the ledger. Raises `ContextBudgetError` when the fixed parts alone are too large, and
    `InvalidRequest` when the history holds a message that is not history.
    """
    made = plan(parts, history, (message, *tail), budget=budget, counter=counter, layout=layout)
    placement = place(made.parts, layout)
    built = Built(
        asked=parts,
        plan=made,
        placement=placement,
        marks=_marks(made, placement, layout),
        message=message,
        layout=layout,
        model=model,
    )
    ledger = account(built, budget=budget, counter=counter)
    return Assembled(request=ledger.request(), ledger=ledger)


def _marks(made: Plan, placement: Placement, layout: Layout) -> frozenset[int]:
    """Indexes of the messages that end a prefix the next request begins with.

    The last history message, or what stands before history when there is none; inside a tool
    loop the last message too, because the next call of this turn begins with all of this one.
    With recall before history nothing behind the system prompt stays the same.
    """
    if layout == Layout.OCTOPUS:
        return frozenset()
    prefix = len(placement.before) + len(made.history.messages)
    marks = {prefix - 1} if prefix else set[int]()
    if made.tail:
        marks.add(prefix + len(placement.beside) + len(made.tail))
    return frozenset(marks)
