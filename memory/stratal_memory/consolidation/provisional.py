"""What was held as provisional is let go when nobody confirmed it in time."""

from datetime import timedelta

from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.operations import End, facts_of, perform
from stratal_memory.consolidation.report import Change
from stratal_memory.consolidation.step import Item, Plan
from stratal_memory.records import Memory, Status
from stratal_memory.truth.journal import Journal

PROVISIONAL_LIFE = timedelta(days=30)


def plan(night: Night) -> Plan:
    """An end for each that is older than 30 days; one that is pinned stays."""
    with night.read() as connection:
        facts = facts_of(night, connection)
    found = [one for one in facts if one.status is Status.PROVISIONAL and not one.pinned]
    old = [one for one in found if one.recorded_at < night.at - PROVISIONAL_LIFE]
    young = [one.recorded_at for one in found if one.recorded_at >= night.at - PROVISIONAL_LIFE]
    return Plan(
        items=[_item(night, one) for one in old],
        looked_at=len(found),
        wake=min(young) + PROVISIONAL_LIFE if young else None,
    )


def _item(night: Night, memory: Memory) -> Item:
    end = End(memory=memory.id, reason=f"not confirmed in {PROVISIONAL_LIFE.days} days")

    def do(journal: Journal) -> list[Change]:
        return perform(night.store, journal, end, planned={memory.id: memory})

    return Item(do)
