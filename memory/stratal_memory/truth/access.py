"""Who may use which scope: projects and orgs belong to their creator, others by grant."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, or_, select

from stratal_memory.errors import AccessDenied, NotFound, ScopeError
from stratal_memory.records import Form, Scope, ScopeKind, Status
from stratal_memory.scopes import Principal, checked_id
from stratal_memory.truth.schema import grants, memories, sessions, spaces

SHARED = (ScopeKind.PROJECT, ScopeKind.ORG)


@dataclass(frozen=True, slots=True)
class Reach:
    """What one principal may read and write, after its projects and orgs were checked."""

    principal: Principal
    scopes: tuple[Scope, ...]  # narrowest first


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """A project or an org: who owns it and who else may use it."""

    scope: Scope
    owner: str
    members: tuple[str, ...]


def reach(connection: Connection, principal: Principal, *, now: datetime) -> Reach:
    """The scopes of `principal`; a project or org nobody has yet becomes theirs.

    Raises `AccessDenied` for somebody else's, and for a session they don't have. `connection`
    must be writable when the principal names a project or org.
    """
    for scope in principal.scopes():
        if scope.kind in SHARED:
            _claim(connection, scope, user=principal.user, now=now)
        elif scope.kind is ScopeKind.SESSION and _speaker(connection, scope) != principal.user:
            raise _no_session(scope)
    return Reach(principal, principal.scopes())


def inside_session(connection: Connection, principal: Principal) -> Reach:
    """The scopes of a principal whose projects and orgs were checked, now with a session.

    Raises `AccessDenied` for somebody else's session; one that is not stored yet is new.
    """
    session = principal.scope(ScopeKind.SESSION)
    if _speaker(connection, session) not in (None, principal.user):
        raise _no_session(session)
    return Reach(principal, principal.scopes())


def _speaker(connection: Connection, session: Scope) -> str | None:
    return connection.execute(select(sessions.c.user).where(sessions.c.id == session.id)).scalar()


def _no_session(session: Scope) -> AccessDenied:
    return AccessDenied(
        f"you have no session {session.id!r}", hint="`stratal session list` shows yours."
    )


def _claim(connection: Connection, scope: Scope, *, user: str, now: datetime) -> None:
    if owner_of(connection, scope) is None:
        connection.execute(
            insert(spaces).values(kind=scope.kind, id=scope.id, owner=user, created=now)
        )
    else:
        check_member(connection, scope, user=user)


def _denied(scope: Scope, user: str) -> AccessDenied:
    return AccessDenied(
        f"{scope.kind} {scope.id!r} belongs to somebody else",
        hint=f"Ask its owner for: stratal scope grant {scope.kind}:{scope.id} {user}",
    )


def check(connection: Connection, principal: Principal) -> None:
    """Raises `AccessDenied` when a project or org of `principal` is not theirs to use any more."""
    for scope in principal.scopes():
        if scope.kind in SHARED:
            check_member(connection, scope, user=principal.user)


def check_member(connection: Connection, scope: Scope, *, user: str) -> None:
    """Raises `AccessDenied` when a project or org is not `user`'s to use, now."""
    if owner_of(connection, scope) != user and user not in _members(connection, scope):
        raise _denied(scope, user)


def owner_of(connection: Connection, scope: Scope) -> str | None:
    """The user who created a project or org; None when nobody has."""
    return connection.execute(
        select(spaces.c.owner).where(spaces.c.kind == scope.kind, spaces.c.id == scope.id)
    ).scalar()


def _members(connection: Connection, scope: Scope) -> tuple[str, ...]:
    found = connection.execute(
        select(grants.c.user)
        .where(grants.c.kind == scope.kind, grants.c.id == scope.id)
        .order_by(grants.c.user)
    )
    return tuple(found.scalars())


def _owned(connection: Connection, named: Scope, *, by: str) -> Scope:
    """The scope with its id as it is stored, if `by` owns it.

    Raises otherwise, and says the same for missing and for somebody else's.
    """
    scope = Scope(named.kind, checked_id(named.id, what=named.kind))
    if scope.kind not in SHARED:
        raise ScopeError(
            f"{scope} can't be shared", hint="Only projects and orgs can: project:NAME, org:NAME."
        )
    if owner_of(connection, scope) != by:
        raise NotFound(
            f"you own no {scope.kind} {scope.id!r}", hint="`stratal scope list` shows yours."
        )
    return scope


def grant(connection: Connection, scope: Scope, *, by: str, to: str, now: datetime) -> None:
    """Let `to` use a project or org of `by`; granting twice changes nothing."""
    scope = _owned(connection, scope, by=by)
    user = checked_id(to, what="user")
    if user in _members(connection, scope):
        return
    connection.execute(
        insert(grants).values(kind=scope.kind, id=scope.id, user=user, granted_by=by, created=now)
    )


def revoke(connection: Connection, scope: Scope, *, by: str, user: str) -> bool:
    """End `user`'s use of a project or org of `by`; False when there was none."""
    scope = _owned(connection, scope, by=by)
    user = checked_id(user, what="user")
    gone = connection.execute(
        delete(grants).where(
            grants.c.kind == scope.kind, grants.c.id == scope.id, grants.c.user == user
        )
    )
    return gone.rowcount > 0


def spaces_of(connection: Connection, user: str) -> list[Space]:
    """The projects and orgs `user` may use, by kind and name."""
    shared = select(grants.c.kind, grants.c.id).where(grants.c.user == user)
    found = connection.execute(
        select(spaces.c.kind, spaces.c.id, spaces.c.owner).order_by(spaces.c.kind, spaces.c.id)
    )
    granted = {(row.kind, row.id) for row in connection.execute(shared)}
    return [
        Space(
            scope=Scope(ScopeKind(kind), id),
            owner=owner,
            members=_members(connection, Scope(ScopeKind(kind), id)),
        )
        for kind, id, owner in found
        if owner == user or (kind, id) in granted
    ]


def visible(
    reach: Reach,
    *,
    forms: Sequence[Form] = tuple(Form),
    statuses: Sequence[Status] = (Status.ACTIVE,),
) -> ColumnElement[bool]:
    """The WHERE clause of every read of memories: there is no other way to them.

    Raises `ScopeError` when `reach` has no scope: nobody's view is not everybody's.
    """
    if not reach.scopes:
        raise ScopeError("no scope to read in", hint="Open the store for a principal.")
    agent = reach.principal.agent
    return _visible(reach.scopes, agent, tuple(forms), tuple(statuses))


@lru_cache(maxsize=1_024)
def _visible(
    scopes: tuple[Scope, ...], agent: str, forms: tuple[Form, ...], statuses: tuple[Status, ...]
) -> ColumnElement[bool]:
    by_scope = or_(
        *(
            and_(memories.c.scope_kind == scope.kind, memories.c.scope_id == scope.id)
            for scope in scopes
        )
    )
    return and_(
        by_scope,
        memories.c.agent.in_(("", agent)),
        memories.c.status.in_(statuses),
        memories.c.form.in_(forms),
    )
