"""What time alone ends: plans whose day has passed, and what nobody was sure of or asked for."""

from datetime import datetime, timedelta

from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.operations import End, facts_of, perform
from stratal_memory.consolidation.report import Change
from stratal_memory.consolidation.step import Item, Plan
from stratal_memory.records import Memory, Status
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.moments import GRACE

# Doubt grows with silence: what is held at less than even odds is let go after half a year
# without a word more for it (the half of Os12's 365 days in the archive).
SILENCE = timedelta(days=182)
DOUBT = 0.5


def plan(night: Night) -> Plan:
    """An end for each fact whose time is over; pinned ones stay."""
    with night.read() as connection:
        known = facts_of(night, connection)
    facts = [one for one in known if one.status is Status.ACTIVE and not one.pinned]
    ends = [(fact, _end(fact, night)) for fact in facts if fact.recorded_at <= night.at]
    later = (at for fact in facts for at in (_over(fact), _fades(fact)) if at is not None)
    return Plan(
        items=[_item(night, fact, end) for fact, end in ends if end is not None],
        looked_at=len(facts),
        wake=min((at for at in later if at > night.at), default=None),
    )


def _over(fact: Memory) -> datetime | None:
    """When its time is over everywhere; None where it has none."""
    return fact.valid_to + GRACE if fact.valid_to is not None else None


def _fades(fact: Memory) -> datetime | None:
    """When it is let go unless somebody says it again; None where it is not doubted."""
    if fact.confidence >= DOUBT:
        return None
    heard = max((seen.at or fact.valid_from for seen in fact.evidence), default=fact.valid_from)
    return max(heard, fact.recorded_at) + SILENCE


def _end(fact: Memory, night: Night) -> End | None:
    over, fades = _over(fact), _fades(fact)
    if fact.valid_to is not None and over is not None and over <= night.at:
        reason = f"was true until {fact.valid_to:%Y-%m-%d}"
        return End(memory=fact.id, reason=reason, status=Status.SUPERSEDED)
    if fades is not None and fades <= night.at:
        days = SILENCE.days
        return End(memory=fact.id, reason=f"doubted, and nothing said for it in {days} days")
    return None


def _item(night: Night, fact: Memory, end: End) -> Item:
    def do(journal: Journal) -> list[Change]:
        return perform(night.store, journal, end, planned={fact.id: fact})

    return Item(do)
