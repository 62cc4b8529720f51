"""Episodes of a day, then of a week, in one: the single ones stay, and so do the raw messages."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import and_

from stratal_memory.consolidation.deriving import Derived, derived
from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.step import Item, Plan
from stratal_memory.consolidation.telling import TITLE
from stratal_memory.records import Form, Kind, Memory
from stratal_memory.truth import memories
from stratal_memory.truth.access import visible
from stratal_memory.truth.memories import QUESTIONS
from stratal_memory.truth.schema import memories as table

FEWEST = 2  # episodes worth one
MOST = 12  # titles told of one period
SHOWN = 600  # characters
WEEK_OVER = timedelta(days=7)  # a week is rolled up when the next one is over too
DAY, WEEK = "day", "week"


def plan(night: Night) -> Plan:
    """An item for each day and each week that is over and not told as it is now."""
    principal = night.store.reach.principal
    mine = and_(visible(night.store.reach, forms=(Form.EPISODE,)), table.c.agent == principal.agent)
    with night.read() as connection:
        found = [
            one for one in memories.select_memories(connection, mine) if one.recorded_at <= night.at
        ]
    single = [one for one in found if not one.facet]
    periods = _periods(single)
    rolled = {one.facet: one for one in found if one.facet}
    over = [(name, of) for name, due, of in periods if due <= night.at]
    wake = min((due for _, due, _ in periods if due > night.at), default=None)
    return Plan(items=_items(night, over, rolled), looked_at=len(single), wake=wake)


def _items(
    night: Night, over: Sequence[tuple[str, list[Memory]]], rolled: Mapping[str, Memory]
) -> Iterator[Item]:
    for period, of in over:
        old = rolled.get(period)
        cites = {one.id for one in of}
        if old is not None and {seen.ref for seen in old.evidence} == cites:
            continue
        made = Derived(
            form=Form.EPISODE,
            kind=Kind.EPISODIC,
            facet=period,
            text=_text(of, dated=period.startswith(WEEK)),
            of=tuple(of),
            olds=(old,) if old is not None else (),
            agent=night.store.reach.principal.agent,
        )
        [vector] = night.embed([made.text])
        yield derived(night, made, vector=vector, reason=f"{len(of)} episodes of one {period[:4]}")


def _periods(single: Sequence[Memory]) -> list[tuple[str, datetime, list[Memory]]]:
    """Each day and week with enough episodes, when it can be told, and they in their order."""
    groups: dict[tuple[str, datetime], list[Memory]] = defaultdict(list)
    for one in sorted(single, key=lambda one: (one.valid_from, one.id)):
        began = one.valid_from.replace(hour=0, minute=0, second=0, microsecond=0)
        year, week, weekday = began.isocalendar()
        monday = began - timedelta(days=weekday - 1)
        groups[f"{DAY} {began:%Y-%m-%d}", began + timedelta(days=1)].append(one)
        groups[f"{WEEK} {year}-W{week:02}", monday + 2 * WEEK_OVER].append(one)
    return [(name, due, of) for (name, due), of in groups.items() if len(of) >= FEWEST]


def _text(of: Sequence[Memory], *, dated: bool) -> str:
    """The titles of the episodes, with the day where it is a week's."""
    titles = [f"{one.valid_from:%a %d %b}: {_title(one)}" if dated else _title(one) for one in of]
    rest = f" and {len(titles) - MOST} more" if len(titles) > MOST else ""
    return f"They talked about: {'; '.join(titles[:MOST])[:SHOWN]}{rest}."


def _title(one: Memory) -> str:
    return one.value or one.text.partition(QUESTIONS)[0][:TITLE]
