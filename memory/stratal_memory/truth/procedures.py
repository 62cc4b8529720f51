"""Stored procedures: versions that never change, and what people and practice decided of them."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, insert, or_, select, update

from stratal_memory.errors import AccessDenied, NotFound, ScopeError
from stratal_memory.records import Scope, ScopeKind
from stratal_memory.truth import access
from stratal_memory.truth.access import Reach
from stratal_memory.truth.schema import events
from stratal_memory.truth.schema_procedures import procedures


class State(StrEnum):
    """How far a version of a procedure came."""

    DRAFT = "draft"  # nobody has read it; never put before the model
    PROBATION = "probation"  # approved, in use, and not proven yet
    ACTIVE = "active"  # approved and in use
    DEMOTED = "demoted"  # it failed; out of use until a person approves it again
    REJECTED = "rejected"


TOLD = "procedure."  # begins the kind of an event about one
IN_USE = (State.PROBATION, State.ACTIVE)  # both are approved and active in the words of Os17


class Origin(StrEnum):
    """Who made a version."""

    LEARNED = "learned"  # drawn from episodes
    WRITTEN = "written"  # by a person


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredProcedure:
    """One version of one procedure; `key` is stable across versions."""

    key: str
    version: int
    scope: Scope
    agent: str  # empty: for all agents of the scope
    name: str
    text: str  # of a SKILL.md
    digest: str  # SHA-256 of the text in UTF-8, in hex
    origin: Origin
    author: str
    recorded_at: datetime
    state: State
    signature: str = ""
    evidence: tuple[str, ...] = ()  # ids of turns
    why: str = ""  # it is in its state: a person's note, or a reason
    approved_by: str = ""
    approved_at: datetime | None = None  # the last time; what it did before does not count
    retired_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Something that happened to a version: it was `drafted`, `approved`, `demoted` and the like.

    `by` is the user who did it, or in whose turn practice did.
    """

    of: StoredProcedure
    what: str
    at: datetime
    by: str
    why: str


def digest_of(text: str) -> str:
    """The SHA-256 of `text` in UTF-8, in hex: what an approval names."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def add(connection: Connection, new: StoredProcedure) -> None:
    """Keep a new version; a version that is there already is never written again."""
    connection.execute(
        insert(procedures).values(
            key=new.key,
            version=new.version,
            scope_kind=new.scope.kind,
            scope_id=new.scope.id,
            agent=new.agent,
            name=new.name,
            text=new.text,
            digest=new.digest,
            origin=new.origin,
            author=new.author,
            signature=new.signature,
            evidence=json.dumps(new.evidence),
            recorded_at=new.recorded_at,
            state=new.state,
            why=new.why,
            approved_by=new.approved_by,
            approved_at=new.approved_at,
            retired_at=new.retired_at,
        )
    )


def find(
    connection: Connection, reach: Reach, *, states: Sequence[State] = tuple(State)
) -> list[StoredProcedure]:
    """The current versions in these states that `reach` sees, by name and key."""
    where = and_(_visible(reach), procedures.c.retired_at.is_(None), procedures.c.state.in_(states))
    return _read(connection, where)


def versions(connection: Connection, reach: Reach, key: str) -> list[StoredProcedure]:
    """All versions of a key, oldest first. Raises `NotFound` when `reach` sees none."""
    found = _read(connection, and_(_visible(reach), procedures.c.key == key))
    if not found:
        raise NotFound(
            f"there is no stored procedure {key!r}", hint="`stratal skills list` shows yours."
        )
    return found


def changes(connection: Connection, reach: Reach) -> list[Change]:
    """What happened to all versions that `reach` sees, those replaced too, oldest first."""
    versions = {(one.key, one.version): one for one in _read(connection, _visible(reach))}
    if not versions:
        return []
    told = select(events).where(events.c.kind.startswith(TOLD)).order_by(events.c.seq)
    found: list[Change] = []
    for row in connection.execute(told).mappings():
        detail = dict(json.loads(row["detail"]))
        one = versions.get((detail.get("procedure", ""), int(detail.get("version", 0))))
        if one is not None:
            what = row["kind"].removeprefix(TOLD)
            found.append(Change(of=one, what=what, at=row["at"], by=row["user"], why=row["reason"]))
    return found


def of_signature(connection: Connection, reach: Reach, signature: str) -> list[StoredProcedure]:
    """All versions drawn from episodes of one signature, oldest first."""
    return _read(connection, and_(_visible(reach), procedures.c.signature == signature))


def settle(connection: Connection, one: StoredProcedure) -> None:
    """Give a version the state, reason and approval of `one`; its text stays as it is."""
    connection.execute(
        update(procedures)
        .where(procedures.c.key == one.key, procedures.c.version == one.version)
        .values(
            state=one.state,
            why=one.why,
            approved_by=one.approved_by,
            approved_at=one.approved_at,
        )
    )


def retire_older(connection: Connection, one: StoredProcedure, *, at: datetime) -> None:
    """End the older versions of a key: `one` takes their place."""
    connection.execute(
        update(procedures)
        .where(
            procedures.c.key == one.key,
            procedures.c.version < one.version,
            procedures.c.retired_at.is_(None),
        )
        .values(retired_at=at)
    )


def check_owner(connection: Connection, scope: Scope, *, user: str) -> None:
    """Raises unless `user` decides what stands in `scope`: their own, or a project they own."""
    if scope.kind in access.SHARED:
        if access.owner_of(connection, scope) != user:
            raise AccessDenied(
                f"{scope} belongs to somebody else: only its owner decides on procedures there",
                hint="Ask its owner.",
            )
    elif scope != Scope(ScopeKind.USER, user):
        raise ScopeError(
            f"a procedure can't stand in {scope}", hint="Use the user's scope, or a project's."
        )


def _visible(reach: Reach) -> ColumnElement[bool]:
    """The scopes of `reach` but for sessions, and its agent."""
    c = procedures.c
    scopes = [scope for scope in reach.scopes if scope.kind is not ScopeKind.SESSION]
    if not scopes:
        raise ScopeError("no scope to read in", hint="Open the store for a principal.")
    return and_(
        or_(*(and_(c.scope_kind == one.kind, c.scope_id == one.id) for one in scopes)),
        c.agent.in_(("", reach.principal.agent)),
    )


def _read(connection: Connection, where: ColumnElement[bool]) -> list[StoredProcedure]:
    c = procedures.c
    found = connection.execute(select(procedures).where(where).order_by(c.name, c.key, c.version))
    return [_procedure(row) for row in found.mappings()]


def _procedure(fields: RowMapping) -> StoredProcedure:
    return StoredProcedure(
        key=fields["key"],
        version=fields["version"],
        scope=Scope(ScopeKind(fields["scope_kind"]), fields["scope_id"]),
        agent=fields["agent"],
        name=fields["name"],
        text=fields["text"],
        digest=fields["digest"],
        origin=Origin(fields["origin"]),
        author=fields["author"],
        recorded_at=fields["recorded_at"],
        state=State(fields["state"]),
        signature=fields["signature"],
        evidence=tuple(json.loads(fields["evidence"])),
        why=fields["why"],
        approved_by=fields["approved_by"],
        approved_at=fields["approved_at"],
        retired_at=fields["retired_at"],
    )
