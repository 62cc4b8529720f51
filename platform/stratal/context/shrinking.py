"""Making optional sections smaller: caps first, then whole items from the worst, in one order."""

from dataclasses import dataclass, replace

from stratal.context.budget import Budget
from stratal.context.counting import Counter
from stratal.context.sections import BLOCKS, Layout, Parts, block_of, block_text
from stratal_memory.recall.candidates import Item

# REQUIREMENTS section 3, rule (a): whole items, the procedure last and whole.
SHRINK_ORDER = ("episodes", "memories", "knowledge")
NO_ROOM = "no room left in the window"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Something optional that was left out; `item` where it was one recalled item."""

    section: str
    text: str
    reason: str
    item: Item | None = None


def capped(
    parts: Parts, *, layout: Layout, budget: Budget, counter: Counter
) -> tuple[Parts, list[Dropped]]:
    """`parts` with every section inside its cap, and what that cost (O20)."""
    dropped: list[Dropped] = []
    for name in BLOCKS:
        while reason := _over_cap(parts, name, layout=layout, budget=budget, counter=counter):
            parts, last = _without_last(parts, name, reason=reason)
            dropped.append(last)
    for cap in (_cap_procedure, _cap_profile):
        parts, more = cap(parts, budget=budget, counter=counter)
        dropped += more
    return parts, dropped


def smaller(parts: Parts) -> tuple[Parts, Dropped] | None:
    """`parts` without the next thing to go; None when no optional recall is left."""
    for name in SHRINK_ORDER:
        block = block_of(parts, name)
        if block and block.items:
            return _without_last(parts, name, reason=NO_ROOM)
    if parts.procedure:
        lost = Dropped(section="procedure", text=parts.procedure.text, reason=NO_ROOM)
        return replace(parts, procedure=None), lost
    return None


def smallest(parts: Parts) -> tuple[Parts, Dropped] | None:
    """`parts` without the next of summary, profile and time; None when all are gone."""
    if parts.summary:
        lost = Dropped(section="summary", text=parts.summary, reason=NO_ROOM)
        return replace(parts, summary=""), lost
    if parts.profile:
        lost = Dropped(section="profile", text=parts.profile, reason=NO_ROOM)
        return replace(parts, profile=""), lost
    if parts.now:
        return replace(parts, now=""), Dropped(section="now", text=parts.now, reason=NO_ROOM)
    return None


def _without_last(parts: Parts, name: str, *, reason: str) -> tuple[Parts, Dropped]:
    """`parts` without the worst item of block `name`; items are best first."""
    block = block_of(parts, name)
    assert block is not None, "the caller found an item in it"
    worst = block.items[-1]
    rest = replace(block, items=block.items[:-1])
    blocks = tuple(rest if one is block else one for one in parts.blocks)
    lost = Dropped(section=name, text=worst.text, reason=reason, item=worst)
    return replace(parts, blocks=blocks), lost


def _over_cap(parts: Parts, name: str, *, layout: Layout, budget: Budget, counter: Counter) -> str:
    """Why the block is over a cap; empty when it is not."""
    block = block_of(parts, name)
    if block is None or not block.items:
        return ""
    if name == "memories" and len(block.items) > budget.memory_items:
        return f"over the cap of {budget.memory_items} items"
    text = block_text(parts, name, layout)
    if name == "memories":
        over = len(text) > budget.memory_chars
        return f"over the cap of {budget.memory_chars:,} characters" if over else ""
    cap = budget.knowledge if name == "knowledge" else budget.episodes
    return f"over the cap of {cap:,} tokens" if counter.count(text) > cap else ""


def _cap_procedure(
    parts: Parts, *, budget: Budget, counter: Counter
) -> tuple[Parts, list[Dropped]]:
    cap, procedure = budget.procedure, parts.procedure
    if cap is None or procedure is None or counter.count(procedure.text) <= cap:
        return parts, []
    reason = f"over the cap of {cap:,} tokens; a procedure is never cut"
    lost = Dropped(section="procedure", text=procedure.text, reason=reason)
    return replace(parts, procedure=None), [lost]


def _cap_profile(parts: Parts, *, budget: Budget, counter: Counter) -> tuple[Parts, list[Dropped]]:
    """Whole lines from the top: the same profile is cut the same way, so the prefix is stable."""
    lines = parts.profile.splitlines()
    kept = list(lines)
    while kept and counter.count("\n".join(kept)) > budget.profile:
        kept.pop()
    if len(kept) == len(lines):
        return parts, []
    reason = f"over the cap of {budget.profile:,} tokens"
    lost = Dropped(section="profile", text="\n".join(lines[len(kept) :]), reason=reason)
    return replace(parts, profile="\n".join(kept)), [lost]
