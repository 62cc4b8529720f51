"""Changes that consolidation holds back until a person decides."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, RowMapping, insert, select, update

from stratal_memory.truth.schema_consolidation import held

ACCEPTED, REJECTED, GONE = "accepted", "rejected", "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldRow:
    """One held change; `operation` and `change` are JSON, `decision` is empty while it waits."""

    id: str
    run: str
    user: str
    agent: str
    step: str
    operation: str
    change: str
    risk: str
    at: datetime
    decision: str = ""


def hold(connection: Connection, row: HeldRow) -> bool:
    """Keep it; False when the very same waits already, or was decided on before."""
    same = (held.c.user == row.user) & (held.c.operation == row.operation)
    if connection.execute(select(held.c.id).where(same, held.c.decision != GONE)).first():
        return False
    connection.execute(
        insert(held).values(
            id=row.id,
            run=row.run,
            user=row.user,
            agent=row.agent,
            step=row.step,
            operation=row.operation,
            change=row.change,
            risk=row.risk,
            at=row.at,
        )
    )
    return True


def waiting(connection: Connection, *, user: str, ids: Sequence[str] = ()) -> list[HeldRow]:
    """What waits for the user, oldest first; only `ids` when they are given."""
    query = select(held).where(held.c.user == user, held.c.decision == "")
    if ids:
        query = query.where(held.c.id.in_(ids))
    found = connection.execute(query.order_by(held.c.at, held.c.id)).mappings()
    return [_row(fields) for fields in found]


def kept_back(connection: Connection, *, user: str) -> frozenset[str]:
    """The operations that no run does by itself: they wait for the user, or were rejected."""
    mine = (held.c.user == user) & held.c.decision.in_(("", REJECTED))
    return frozenset(connection.execute(select(held.c.operation).where(mine)).scalars())


def decide(connection: Connection, id: str, *, decision: str, at: datetime) -> None:
    """Note what became of one."""
    connection.execute(update(held).where(held.c.id == id).values(decision=decision, decided=at))


def withdraw(connection: Connection, run: str, *, at: datetime) -> None:
    """What a run held back waits no more: the run was taken back."""
    here = (held.c.run == run) & (held.c.decision == "")
    connection.execute(update(held).where(here).values(decision=GONE, decided=at))


def of_run(connection: Connection, run: str) -> list[HeldRow]:
    """What a run held back, oldest first."""
    found = connection.execute(select(held).where(held.c.run == run).order_by(held.c.at, held.c.id))
    return [_row(fields) for fields in found.mappings()]


def _row(fields: RowMapping) -> HeldRow:
    return HeldRow(
        id=fields["id"],
        run=fields["run"],
        user=fields["user"],
        agent=fields["agent"],
        step=fields["step"],
        operation=fields["operation"],
        change=fields["change"],
        risk=fields["risk"],
        at=fields["at"],
        decision=fields["decision"],
    )
