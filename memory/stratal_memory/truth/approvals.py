"""What a person said to a skill: approved or rejected, these exact bytes; nothing is forgotten."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Connection, RowMapping, func, insert, select

from stratal_memory.records import new_id
from stratal_memory.text import storable
from stratal_memory.truth.schema_skills import approvals


class Verdict(StrEnum):
    """What was said."""

    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One word of a person. `digest` stands for every byte of the skill, and holds anywhere."""

    name: str
    folder: str
    digest: str
    verdict: Verdict
    note: str = ""
    by: str
    id: str = ""  # given when it is kept
    at: datetime | None = None


def record(connection: Connection, decision: Decision, *, user: str, at: datetime) -> Decision:
    """The decision as it is kept, in the caller's transaction; it holds for `user` alone."""
    row = {
        "id": new_id("apr"),
        "at": at,
        "name": storable(decision.name),
        "folder": storable(decision.folder),
        "digest": decision.digest,
        "verdict": decision.verdict,
        "note": storable(decision.note),
        "by": storable(decision.by),
    }
    connection.execute(insert(approvals).values(user=user, **row))
    kept = connection.execute(select(approvals).where(approvals.c.id == row["id"]))
    return _decision(kept.mappings().one())


def of_user(connection: Connection, user: str, *, limit: int | None = None) -> list[Decision]:
    """What a user said, newest first; all of it without a `limit`."""
    found = connection.execute(
        select(approvals)
        .where(approvals.c.user == user)
        .order_by(approvals.c.seq.desc())
        .limit(limit)
    )
    return [_decision(row) for row in found.mappings()]


def revision(connection: Connection, user: str) -> int:
    """A number that grows with every word of the user; 0 before the first."""
    newest = select(func.max(approvals.c.seq)).where(approvals.c.user == user)
    return connection.execute(newest).scalar() or 0


def _decision(row: RowMapping) -> Decision:
    return Decision(
        id=row["id"],
        at=row["at"],
        name=row["name"],
        folder=row["folder"],
        digest=row["digest"],
        verdict=Verdict(row["verdict"]),
        note=row["note"],
        by=row["by"],
    )
