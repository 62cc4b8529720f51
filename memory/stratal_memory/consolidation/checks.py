"""Full text is compared with the truth and mended; what lacks a vector was embedded before."""

from sqlalchemy import and_

from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.report import Change
from stratal_memory.consolidation.step import Item, Plan
from stratal_memory.records import ScopeKind
from stratal_memory.truth import full_text, memories
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import memories as table

PAGE = 500  # memories mended in one item


def plan(night: Night) -> Plan:
    """An item for each page of the user's memories that full text lost."""
    scope = night.store.reach.principal.scope(ScopeKind.USER)
    mine = and_(table.c.scope_kind == scope.kind, table.c.scope_id == scope.id)
    with night.read() as connection:
        lost = full_text.missing(connection, mine)
        held = memories.count(connection, mine)
    pages = [lost[start : start + PAGE] for start in range(0, len(lost), PAGE)]
    return Plan(items=[_item(page) for page in pages], looked_at=held)


def _item(seqs: list[int]) -> Item:
    def do(journal: Journal) -> list[Change]:
        done = full_text.mend(journal.connection, seqs)
        reason = "full text had lost them; it is derived, so undo has nothing to take back"
        told = f"{done} memories are found by their words again"
        return [Change(step="", action="mended", before="", after=told, reason=reason)]

    return Item(do)
