"""Whether who takes changes back may write, now, to every row they were made to."""

from collections.abc import Sequence

from sqlalchemy import Connection, select

from stratal_memory.errors import NotFound, UndoRefused
from stratal_memory.records import Event, Scope, ScopeKind
from stratal_memory.truth import access, documents
from stratal_memory.truth.access import Reach
from stratal_memory.truth.journal import SETTLED
from stratal_memory.truth.schema import documents as document_table
from stratal_memory.truth.schema import memories, sessions

PAGE = 500  # ids of one IN (...) list


def check_rows(connection: Connection, recorded: Sequence[Event], *, reach: Reach) -> None:
    """Raises where a row that these events changed is not within `reach` any more.

    `AccessDenied` for a project or org that was taken away, `NotFound` for what never was theirs,
    `UndoRefused` for a project or org that only has to be named. What is gone is passed over.
    """
    for scope in sorted(_scopes(connection, recorded), key=str):
        _check_scope(connection, scope, reach=reach)


def _scopes(connection: Connection, recorded: Sequence[Event]) -> set[Scope]:
    """Where the memories, documents and sessions of these events lie."""
    of_documents = [event for event in recorded if event.kind.startswith("document.")]
    versions = [dict(event.detail).get(documents.BEFORE, "") for event in of_documents]
    settled = [dict(event.detail)["session"] for event in recorded if event.kind == SETTLED]
    found = {Scope(ScopeKind.SESSION, id) for id in settled}
    for table, ids in (
        (memories, {event.memory for event in recorded}),
        (document_table, {*versions, *(event.key for event in of_documents)}),
    ):
        named = sorted(ids - {""})
        for start in range(0, len(named), PAGE):
            page = table.c.id.in_(named[start : start + PAGE])
            query = select(table.c.scope_kind, table.c.scope_id).distinct().where(page)
            found.update(Scope(ScopeKind(kind), id) for kind, id in connection.execute(query))
    return found


def _check_scope(connection: Connection, scope: Scope, *, reach: Reach) -> None:
    user = reach.principal.user
    if scope.kind in access.SHARED:
        access.check_member(connection, scope, user=user)
    elif _owner(connection, scope) not in (None, user):
        raise NotFound(
            "a change of it is none of yours", hint="`stratal memory history KEY` shows yours."
        )
    if scope.kind in access.SHARED and scope not in reach.scopes:
        raise UndoRefused(
            f"it changed {scope}, where you don't stand now",
            keys=(),
            hint=f"Say where: --{scope.kind.value} {scope.id}",
        )


def _owner(connection: Connection, scope: Scope) -> str | None:
    """Whose a personal scope or a session is; None for a session that is gone."""
    if scope.kind is ScopeKind.USER:
        return scope.id
    return connection.execute(select(sessions.c.user).where(sessions.c.id == scope.id)).scalar()
