"""Facts about a thing that has one value, which can't both be true now."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from sqlalchemy import Connection

from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.operations import Order, facts_of, operation_json, perform
from stratal_memory.consolidation.report import Change
from stratal_memory.consolidation.risks import KEPT_BACK, risk_of_order
from stratal_memory.consolidation.step import Doubt, Item, Plan
from stratal_memory.facets import AT_TIMES_SEVERAL, one_at_a_time
from stratal_memory.records import Memory, Status
from stratal_memory.text import text_hash
from stratal_memory.truth import held
from stratal_memory.truth.journal import Journal


def plan(night: Night) -> Plan:
    """Each group brought into the order of its dates, as the gate would have done.

    The gate settles what it hears of one thing; what came by import, by another facet's name or
    by merging may still stand side by side. Two jobs or two phones are no contradiction.
    """
    with night.read() as connection:
        known = facts_of(night, connection)
        facts = [one for one in known if one.status is Status.ACTIVE and one.facet]
        groups = [group for group in _groups(facts, night) if _disagree(group)]
        back = held.kept_back(connection, user=night.store.user)
        items = [_item(night, group, _risk(night, connection, group, back)) for group in groups]
    return Plan(items=items, looked_at=len(facts))


def _groups(facts: Sequence[Memory], night: Night) -> list[list[Memory]]:
    """What is said of one thing that has one value, oldest first."""
    groups: dict[str, list[Memory]] = defaultdict(list)
    for fact in sorted(facts, key=lambda fact: (fact.valid_from, fact.recorded_at)):
        several = fact.facet in AT_TIMES_SEVERAL or not one_at_a_time(fact.facet)
        if not several and fact.recorded_at <= night.at:
            groups[fact.facet].append(fact)
    return [group for group in groups.values() if len(group) > 1]


def _disagree(group: Sequence[Memory]) -> bool:
    return len({text_hash(fact.value or fact.text) for fact in group}) > 1


def _risk(
    night: Night, connection: Connection, group: Sequence[Memory], kept_back: Collection[str]
) -> str:
    order = Order(ids=tuple(fact.id for fact in group))
    if operation_json(order) in kept_back:
        return KEPT_BACK
    return risk_of_order(night, connection, group)


def _item(night: Night, group: Sequence[Memory], risk: str) -> Item:
    order = Order(ids=tuple(fact.id for fact in group))
    planned = {fact.id: fact for fact in group}

    def do(journal: Journal) -> list[Change]:
        return perform(night.store, journal, order, planned=planned)

    would = Change(
        step="contradictions",
        action="closed",
        before="; ".join(fact.text for fact in group[:-1]),
        after=group[-1].text,
        reason="they can't both be true now",
        evidence=tuple(fact.id for fact in group),
    )
    return Item(do, Doubt(risk=risk, operation=order, change=would) if risk else None)
