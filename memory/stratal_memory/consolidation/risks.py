"""What a run does not do by itself: a person looks first.

That is what lowers the trust of what is believed, what rewrites a line of the profile, and more
merges than a night's talk explains (`reconcile.MERGES`).
"""

from collections.abc import Sequence

from sqlalchemy import Connection, and_, exists, select

from stratal_memory.consolidation.night import Night
from stratal_memory.records import TRUST_ORDER, Form, Memory, Status
from stratal_memory.truth.schema import evidence
from stratal_memory.truth.schema import memories as table

KEPT_BACK = "a person has it before them, or said no"


def risk_of_order(night: Night, connection: Connection, group: Sequence[Memory]) -> str:
    """Why a person should decide which of `group`, oldest first, stands; empty when none need."""
    newest = group[-1]
    lower = [one for one in group if _rank(one) < _rank(newest)]
    if lower:
        return f"trust lowered: {newest.trust} would replace {lower[0].trust}"
    if _in_profile(connection, [one.id for one in group[:-1]]):
        return "a line of the profile would be replaced"
    return ""


def _rank(memory: Memory) -> int:
    return TRUST_ORDER.index(memory.trust)


def _in_profile(connection: Connection, ids: Sequence[str]) -> bool:
    """Whether a line of the profile that stands rests on one of these facts."""
    line = and_(
        table.c.form == Form.SLOT,
        table.c.status == Status.ACTIVE,
        table.c.id == evidence.c.memory,
        evidence.c.ref.in_(ids),
    )
    return bool(connection.execute(select(exists().where(line))).scalar())
