"""What an import brought, squared with what was here: one home at a time, and a true profile."""

from collections.abc import Sequence

from sqlalchemy import and_, func, select

from stratal_memory.facets import one_at_a_time
from stratal_memory.learning.resolution import DATED
from stratal_memory.learning.settling import settle
from stratal_memory.portability.placing import Ready
from stratal_memory.records import Form, Scope, Status
from stratal_memory.store import Store
from stratal_memory.tiers.profile import Profile
from stratal_memory.truth import memories
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import memories as table

STANDING = (Status.ACTIVE, Status.CONTESTED)


def square(store: Store, journal: Journal, added: Sequence[Ready]) -> None:
    """Settle what has one value at a time, and rewrite lines of the profile that facts don't say.

    An export that is taken in alone is left as it is.
    """
    facts = [one for one in added if one.values["form"] == Form.FACT]
    standing = {
        (one.line.scope, str(one.values["facet"]))
        for one in facts
        if one.values["status"] in STANDING and one_at_a_time(str(one.values.get("facet", "")))
    }
    settled = [_settled(journal, *one) for one in sorted(standing, key=str)]
    slots = any(one.values["form"] == Form.SLOT for one in added)
    if slots or any(settled):
        Profile(store).refresh(journal)


def _settled(journal: Journal, scope: Scope, facet: str) -> bool:
    """Whether versions of more than one memory stood side by side, which are in order now."""
    about = and_(
        table.c.scope_kind == scope.kind,
        table.c.scope_id == scope.id,
        table.c.form == Form.FACT,
        table.c.facet == facet,
    )
    beside = select(func.count(table.c.key.distinct())).where(about, table.c.status.in_(STANDING))
    if journal.connection.execute(beside).scalar_one() < 2:
        return False
    rows = memories.select_memories(journal.connection, and_(about, table.c.status.in_(DATED)))
    settle(journal, rows)
    return True
