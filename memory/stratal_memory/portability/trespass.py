"""What of an import would speak of rows that are not the importer's: events, and others' keys."""

import json
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, select

from stratal_memory.portability.report import Refused
from stratal_memory.portability.rows import Value
from stratal_memory.records import Scope, ScopeKind
from stratal_memory.store import Store
from stratal_memory.truth import access
from stratal_memory.truth.journal import ADDED, BEFORE, SETTLED
from stratal_memory.truth.mutable import Mutable
from stratal_memory.truth.schema import documents, events, memories, sessions

Values = Mapping[str, Value]


class Log:
    """Events of an import, and where what they speak of lies here."""

    def __init__(self, store: Store, connection: Connection, run: Sequence[Values]) -> None:
        self._user = store.user
        self._within = frozenset(store.reach.scopes)
        self._places: dict[str, set[Scope]] = {}
        keys, ids = _texts(run, "key"), _texts(run, "memory")
        versions = {_detail(one).get("version", "") for one in run}
        for column, named in (
            (memories.c.key, keys),
            (memories.c.id, ids),
            (documents.c.id, {*keys, *versions} - {""}),
        ):
            scope = (column.table.c.scope_kind, column.table.c.scope_id)
            query = select(column, *scope).distinct().where(column.in_(named))
            for row in connection.execute(query).mappings() if named else ():
                place = Scope(ScopeKind(row["scope_kind"]), row["scope_id"])
                self._places.setdefault(row[column.name], set()).add(place)
        lie = {one.id for here in self._places.values() for one in here}
        asked = {*lie, *(_detail(one).get("session", "") for one in run)}
        query = select(sessions.c.id, sessions.c.user).where(sessions.c.id.in_(asked))
        self._sessions = {row.id: row.user for row in connection.execute(query)} if run else {}

    def check(self, values: Values) -> None:
        """Raises `Refused` for an event about what is not the importer's, and for nonsense."""
        detail = _detail(values)
        named = (values.get("key"), values.get("memory"), detail.get("version"))
        lies = {one for name in named for one in self._places.get(str(name or ""), ())}
        if not all(map(self._mine, lies)):
            raise Refused("it speaks of what is not yours")
        session = detail.get("session", "")
        if values["kind"] == SETTLED and self._sessions.get(session, self._user) != self._user:
            raise Refused("the session it names is not here")
        if BEFORE in detail and values.get("memory"):
            _check_before(detail[BEFORE])

    def _mine(self, scope: Scope) -> bool:
        if scope.kind is ScopeKind.SESSION:
            return self._sessions.get(scope.id) == self._user
        return scope in self._within


def _texts(run: Sequence[Values], column: str) -> set[str]:
    return {str(values[column]) for values in run if values.get(column)}


def _detail(values: Values) -> dict[str, str]:
    return dict(json.loads(str(values.get("detail") or "[]")))


def _check_before(text: str) -> None:
    try:
        Mutable.from_json(text)
    except ValueError as error:
        raise Refused("what it says was before can't be read") from error


def others_keys(
    store: Store, connection: Connection, keys: Mapping[str, set[Scope]]
) -> frozenset[str]:
    """Those of `keys` that lie in a project or org of somebody else and that others began."""
    scopes = {one for places in keys.values() for one in places if one.kind in access.SHARED}
    foreign = {one for one in scopes if access.owner_of(connection, one) != store.user}
    shared = {key for key, places in keys.items() if places & foreign}
    if not shared:
        return frozenset()
    began = select(events.c.key).where(
        events.c.key.in_(shared),
        events.c.user == store.user,
        events.c.kind == ADDED,
        events.c.imported.is_(False),
    )
    return frozenset(shared.difference(connection.execute(began).scalars()))
