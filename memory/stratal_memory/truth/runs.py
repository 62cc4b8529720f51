"""Runs of consolidation: when, for whom, what they reported, and whether they were taken back."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, RowMapping, insert, select, update

from stratal_memory.records import new_id
from stratal_memory.truth.schema import runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run; `report` is its JSON."""

    id: str
    kind: str
    user: str
    started: datetime
    ended: datetime | None
    undone: datetime | None
    report: str


def start(connection: Connection, *, kind: str, user: str, at: datetime) -> str:
    """The id of a new run."""
    id = new_id("run")
    connection.execute(insert(runs).values(id=id, kind=kind, user=user, started=at))
    return id


def begin(connection: Connection, id: str, *, kind: str, user: str, at: datetime) -> None:
    """Note a run whose id is known already, unless it was noted before."""
    if connection.execute(select(runs.c.id).where(runs.c.id == id)).first() is None:
        connection.execute(insert(runs).values(id=id, kind=kind, user=user, started=at))


def finish(connection: Connection, run: str, *, report: str, at: datetime) -> None:
    """Keep what a run reported."""
    connection.execute(update(runs).where(runs.c.id == run).values(report=report, ended=at))


def find(connection: Connection, *, user: str, id: str | None = None) -> list[Run]:
    """The runs of a user, newest first; only that one when `id` is given."""
    query = select(runs).where(runs.c.user == user).order_by(runs.c.started.desc(), runs.c.id)
    if id is not None:
        query = query.where(runs.c.id == id)
    return [_run(row) for row in connection.execute(query).mappings()]


def _run(fields: RowMapping) -> Run:
    return Run(
        id=fields["id"],
        kind=fields["kind"],
        user=fields["user"],
        started=fields["started"],
        ended=fields["ended"],
        undone=fields["undone"],
        report=fields["report"],
    )
