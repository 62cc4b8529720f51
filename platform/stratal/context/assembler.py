"""The only place that builds what the model reads: one request, and the ledger that explains it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stratal.context.accounts import Built, account
from stratal.context.budget import Budget
from stratal.context.caching import worth_marking
from stratal.context.counting import Counter
from stratal.context.history import Moved, Past
from stratal.context.ledger import Ledger
from stratal.context.planner import Plan, plan
from stratal.context.request import CacheLife, Request
from stratal.context.sections import Layout, Parts, Placed, Placement, place
from stratal_memory.records import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """For whom a request is written, in which order, and how its beginning is cached."""

    model: str
    layout: Layout = Layout.CACHE_FRIENDLY
    cache_minimum: int | None = 0  # tokens below which the model caches nothing; None: no marks
    cache_ttl: CacheLife = "5m"
    cache_key: str = ""
    summarize_at: int = 0  # tokens; the ledger shows it


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """A request and its ledger; `ledger.request()` equals `request`.

    `moved` says where the cut through the history stands now, when it had to move.
    """

    request: Request
    ledger: Ledger
    moved: Moved | None = None
    aged: int = 0  # tool results up to this row are shown aged


def assemble(
    parts: Parts,
    past: Past,
    message: Message,
    *,
    tail: Sequence[Message] = (),
    budget: Budget,
    counter: Counter,
    rendering: Rendering,
) -> Assembled:
    """What the model is sent for `message`, inside the budget; nothing given is changed.

    `tail` holds the current turn's tool calls and results so far. Optional sections shrink in a
    fixed order, history is filled newest first by whole turns behind the cut, and all that is
    left out stands in the ledger. Raises `ContextBudgetError` when the fixed parts alone are too
    large, and `InvalidRequest` when the history holds a message that is not history.
    """
    layout = rendering.layout
    made = plan(parts, past, (message, *tail), budget=budget, counter=counter, layout=layout)
    prefix = _Prefix(made, place(made.parts, layout), rendering, counter)
    built = Built(
        asked=parts,
        plan=made,
        placement=prefix.placement(),
        marks=prefix.marks(),
        message=message,
        layout=layout,
        model=rendering.model,
        overhead=budget.overhead,
        summarize_at=rendering.summarize_at,
        system_joined=layout == Layout.OCTOPUS,
        cache_ttl=rendering.cache_ttl,
        cache_key=rendering.cache_key,
    )
    ledger = account(built, budget=budget, counter=counter)
    history = made.history
    return Assembled(
        request=ledger.request(built.messages()),
        ledger=ledger,
        moved=history.moved,
        aged=history.aged,
    )


class _Prefix:
    """What the next request begins with too, and the cache marks that end it."""

    def __init__(
        self, made: Plan, placed: Placement, rendering: Rendering, counter: Counter
    ) -> None:
        self._made, self._placed, self._rendering = made, placed, rendering
        self._count = counter.count_messages
        self._tools = counter.count_tools(made.parts.tools)

    def placement(self) -> Placement:
        """The placement without the marks in the system prompt that end too little."""
        system: list[Placed] = []
        tokens = self._tools
        for placed in self._placed.system:
            tokens += self._count([placed.message])
            system.append(replace(placed, cached=placed.cached and self._worth(tokens)))
        return replace(self._placed, system=tuple(system))

    def marks(self) -> frozenset[int]:
        """Indexes of the messages that end a prefix the next request begins with.

        The last history message, or what stands before history when there is none; inside a tool
        loop the last message too, because the next call of this turn begins with all of this one.
        With recall before history nothing behind the static prompt stays the same.
        """
        if self._rendering.layout != Layout.CACHE_FRIENDLY:
            return frozenset()
        history, before = self._made.history, self._placed.before
        length = len(before) + len(history.messages)
        fixed = (*self._placed.system, *before)
        tokens = self._tools + self._count([one.message for one in fixed]) + history.tokens
        marks = {length - 1} if length and self._worth(tokens) else set[int]()
        if self._made.tail and self._worth(tokens):
            marks.add(length + len(self._placed.beside) + len(self._made.tail))
        return frozenset(marks)

    def _worth(self, tokens: int) -> bool:
        minimum = self._rendering.cache_minimum
        return minimum is not None and worth_marking(tokens, minimum)
