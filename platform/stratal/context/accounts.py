"""The ledger of a plan: every section and candidate with its tokens, its verdict and its reason."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from stratal.context.budget import Budget
from stratal.context.counting import Counter
from stratal.context.ledger import Considered, Ledger, LeftOut, Line, Section
from stratal.context.planner import Plan
from stratal.context.request import CacheLife
from stratal.context.sections import Layout, Parts, Placed, Placement, texts
from stratal.context.usage import band
from stratal_memory.recall.candidates import Candidate, Verdict
from stratal_memory.recall.formatter import told_on
from stratal_memory.records import Message

# The order of the default layout; the ledger keeps it for every layout.
SECTIONS = (
    "tools", "overhead", "system", "profile", "summary", "history", "procedure",
    "memories", "knowledge", "episodes", "now", "message", "tail",
)  # fmt: skip

# The ten components Zeus counts (Z3), each with the sections that show it. What is for the tool
# loop of this message is the tail; the calls and results of earlier turns belong to history.
COMPONENTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "system prompt": ("system",),
        "tool descriptions": ("tools",),
        "connector skill prompts": ("system", "procedure"),
        "MCP prompts": ("system",),
        "resource files": ("knowledge",),
        "profile data": ("profile",),
        "retrieved memories": ("memories", "episodes"),
        "history": ("history", "summary"),
        "tool calls and results": ("tail", "history"),
        "attachments": ("message", "history"),
    }
)


# The reason of most candidates; what they were made of would be most of a stored ledger.
FAR = "below the gate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A plan with everything that was asked for, where it stands, and how it is rendered."""

    asked: Parts
    plan: Plan
    placement: Placement
    marks: frozenset[int]  # indexes of the messages with a cache mark
    message: Message
    layout: Layout
    model: str
    overhead: int = 0  # tokens the provider counts beyond our count of the same request
    summarize_at: int = 0  # tokens
    system_joined: bool = False
    cached_tools: bool = False
    cache_ttl: CacheLife = "5m"
    cache_key: str = ""

    def messages(self) -> tuple[Message, ...]:
        """What is sent besides the system prompt, in order."""
        before = (placed.message for placed in self.placement.before)
        beside = (placed.message for placed in self.placement.beside)
        return (*before, *self.plan.history.messages, *beside, self.message, *self.plan.tail)


def account(built: Built, *, budget: Budget, counter: Counter) -> Ledger:
    """The ledger of what was built; its sections add up to what is used."""
    granted = _granted(built, counter)
    used = sum(granted.values())
    return Ledger(
        window=budget.window,
        used=used,
        reserve=budget.output_reserve,
        band=band(used=used, window=budget.window),
        sections=tuple(_sections(built, granted, budget=budget, counter=counter)),
        candidates=_candidates(built, counter),
        messages=tuple(_lines(built, counter)),
        left_out=tuple(_left_out(built.plan, counter)),
        tools=built.asked.tools,
        model=built.model,
        counter=counter.name,
        exact=counter.exact,
        context_as_system=built.layout == Layout.OCTOPUS,
        system_joined=built.system_joined,
        cached_tools=built.cached_tools,
        cache_ttl=built.cache_ttl,
        cache_key=built.cache_key,
        compress_at=budget.input_target,
        summarize_at=built.summarize_at,
        margin=budget.whole_limit - budget.input_limit,
    )


def _granted(built: Built, counter: Counter) -> dict[str, int]:
    """Tokens of each section; together they are exactly what the request takes."""
    granted: dict[str, int] = defaultdict(int)
    granted["tools"] = counter.count_tools(built.asked.tools)
    granted["overhead"] = built.overhead
    granted["history"] = built.plan.history.tokens
    granted["message"] = counter.count_messages([built.message])
    granted["tail"] = counter.count_messages(built.plan.tail)
    for placed in built.placement.all():
        for name, tokens in _shares(placed, counter):
            granted[name] += tokens
    return granted


def _shares(placed: Placed, counter: Counter) -> Iterator[tuple[str, int]]:
    """Tokens of each piece of one message: its own text's, and the last one takes the rest.

    The rest is the message's overhead and what joining the pieces costs or saves.
    """
    left = counter.count_messages([placed.message])
    for name, text in placed.pieces[:-1]:
        own = min(left, counter.count(text))
        yield name, own
        left -= own
    yield placed.pieces[-1][0], left


def _sections(
    built: Built, granted: Mapping[str, int], *, budget: Budget, counter: Counter
) -> Iterator[Section]:
    caps = {
        "profile": budget.profile,
        "procedure": budget.procedure,
        "knowledge": budget.knowledge,
        "episodes": budget.episodes,
    }
    wanted = {name: counter.count(text) for name, text in texts(built.asked, built.layout).items()}
    wanted["history"] = built.plan.history.tokens + built.plan.history.next_turn
    saved = sum(one.tokens for one in built.plan.shortened)
    wanted["tail"] = granted["tail"] + saved
    for name in SECTIONS:
        got = granted.get(name, 0)
        yield Section(
            name=name, asked=max(got, wanted.get(name, 0)), granted=got, cap=caps.get(name)
        )


def _candidates(built: Built, counter: Counter) -> tuple[Considered, ...]:
    """Those that are in, best first, then the others, best first; ties in the order given."""
    kept = [
        _considered(item.candidate, tokens=counter.count(item.text))
        for block in built.plan.parts.blocks
        for item in block.items
    ]
    lost = [
        _considered(one.item.candidate.out(one.reason), tokens=counter.count(one.text))
        for one in built.plan.dropped
        if one.item
    ]
    rejected = [
        _considered(one, tokens=counter.count(one.memory.text)) for one in built.asked.rejected
    ]
    return tuple(
        sorted((*kept, *lost, *rejected), key=lambda one: (one.verdict != Verdict.IN, -one.score))
    )


def _considered(candidate: Candidate, *, tokens: int) -> Considered:
    memory = candidate.memory
    return Considered(
        memory=memory.id,
        kind=memory.kind.value,
        tokens=tokens,
        score=candidate.score,
        parts=candidate.parts,
        verdict=candidate.verdict,
        reason=candidate.reason,
        text=memory.text,
        source=memory.source,
        form=memory.form.value,
        date=told_on(memory).isoformat(),
        factors=candidate.factors,
        signals=() if candidate.reason.startswith(FAR) else candidate.signals,
    )


def _lines(built: Built, counter: Counter) -> Iterator[Line]:
    """System blocks, then the messages, in the order of the request."""
    place, plan = built.placement, built.plan
    for placed in place.system:
        tokens = counter.count_messages([placed.message])
        yield _line(placed.message, tokens=tokens, cached=placed.cached)
    first = len(place.before)  # the history's; its messages were counted when they were chosen
    costs = dict(enumerate(plan.history.costs, first))
    for index, message in enumerate(built.messages()):
        tokens = costs[index] if index in costs else counter.count_messages([message])
        yield _line(message, tokens=tokens, cached=index in built.marks)


def _line(message: Message, *, tokens: int, cached: bool) -> Line:
    return Line(
        role=message.role,
        text=message.text,
        tokens=tokens,
        cached=cached,
        id=message.id,
        tool_calls=message.tool_calls,
        tool_call_id=message.tool_call_id,
        tool_failed=message.tool_failed,
        reasoning=message.reasoning,
        opaque=message.opaque,
        media=message.media,
        created=message.created,
    )


def _left_out(plan: Plan, counter: Counter) -> Iterator[LeftOut]:
    history = plan.history
    if history.left or history.more:
        older = f"{history.left} messages and all before" if history.more else history.left
        yield LeftOut(
            what=f"history: {older}" if history.more else f"history: {older} oldest messages",
            tokens=history.next_turn,
            reason=f"the next older turn takes {history.next_turn:,} tokens, no room for it"
            if history.next_turn
            else "they belong to a turn whose beginning is missing",
        )
    for cut in plan.shortened:
        yield LeftOut(what=f"part of tool result {cut.call}", tokens=cut.tokens, reason=cut.reason)
    for lost in plan.dropped:
        if lost.item is None:
            yield LeftOut(what=lost.section, tokens=counter.count(lost.text), reason=lost.reason)
