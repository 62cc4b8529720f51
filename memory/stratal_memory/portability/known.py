"""What is here already of the rows of an import, read at once, and whose it is."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, RowMapping, select

from stratal_memory.portability.reading import Object, objects
from stratal_memory.portability.report import TAKEN, Refused
from stratal_memory.portability.rows import Spec, Value
from stratal_memory.portability.trespass import Log, others_keys
from stratal_memory.records import Form, Role, Scope, ScopeKind, Trust
from stratal_memory.scopes import checked_id
from stratal_memory.store import Store
from stratal_memory.tiers.profile import SLOTS_OF
from stratal_memory.truth.schema import documents, memories, sessions, turns

KEYS = "keys"  # of memories that this import added, beside the ids of tables
TOO_TRUSTED = "nothing that is imported is trusted as the system is"
HISTORY = (Role.USER, Role.ASSISTANT, Role.TOOL)
OWNED = ("session", "turn", "run", "event")  # have a user of their own
SCOPED = ("memory", "document")
# Rows that belong to a conversation or a turn, which must be the user's own.
IN_SESSION = ("turn", "message", "summary", "cut")
IN_TURN = ("message", "recall")
Identity = tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row of an export, as it is read."""

    where: str  # "line 12"
    spec: Spec
    fields: Object
    values: dict[str, Value]  # its columns

    @property
    def identity(self) -> Identity:
        """What no two rows of its table share."""
        return tuple(self.values[name] for name in self.spec.identity)

    @property
    def scope(self) -> Scope:
        """Where a memory or a document lies."""
        return _scope(str(self.values["scope_kind"]), str(self.values["scope_id"]))


class Known:
    """What is here that a run of lines of one kind names."""

    def __init__(
        self,
        store: Store,
        connection: Connection,
        run: Sequence[Line],
        *,
        added: Collection[tuple[str, str]],
    ) -> None:
        """`added` is what the import wrote before, or a dry run would have, by table and id."""
        self._store = store
        self._added = added
        spec = run[0].spec
        self.existing = _existing(connection, spec, run)
        named = [line.values for line in run]
        self._sessions = _users(
            connection, sessions, {*_texts(named, "session"), *_sessions_of(run)}
        )
        self._turns = _users(connection, turns, _texts(named, "turn"))
        self._keys = _scopes(connection, memories, "key", _texts(named, "key"))
        self.documents = _scopes(connection, documents, "id", _documents_of(run))
        self._log = Log(store, connection, [one.values for one in run if one.spec.kind == "event"])
        self._others = others_keys(store, connection, self._keys)

    def check(self, line: Line) -> None:
        """Whether a row would be the user's own. Raises `Refused` and `ScopeError`."""
        spec, values = line.spec, line.values
        if "id" in spec.table.c and spec.kind != "cut":
            checked_id(values["id"], what=f"id of a {spec.kind}")
        if spec.kind in OWNED and values["user"] != self._store.user:
            raise Refused("it belongs to somebody else")
        self._check_place(spec, values)
        if spec.kind in SCOPED:
            self._check_scope(line)
        if spec.kind == "message" and values["role"] not in HISTORY:
            raise Refused("history holds only what user, assistant and tools said")
        if spec.kind == "event":
            self._log.check(values)
        self._check_id(line)
        key = str(values.get("key", ""))
        new = line.identity not in self.existing
        if new and key in self._others and (KEYS, key) not in self._added:
            raise Refused("its key is somebody else's")

    def is_skill(self, line: Line) -> bool:
        """Whether it is what a skill of the user's own is found by: that is the system's word."""
        return line.values["form"] == Form.SKILL and line.scope.kind is ScopeKind.USER

    def _check_place(self, spec: Spec, values: dict[str, Value]) -> None:
        in_session, in_turn = spec.kind in IN_SESSION, spec.kind in IN_TURN
        if in_session and not self._mine(self._sessions, "sessions", values["session"]):
            raise Refused("the session it names is not here")
        if in_turn and not self._mine(self._turns, "turns", values["turn"]):
            raise Refused("the turn it names is not here")

    def _mine(self, users: dict[str, str], table: str, id: Value) -> bool:
        return users.get(str(id)) == self._store.user or (table, str(id)) in self._added

    def _check_scope(self, line: Line) -> None:
        scope, memory = line.scope, line.spec.kind == "memory"
        if line.values["trust"] == Trust.SYSTEM and not (memory and self.is_skill(line)):
            raise Refused(TOO_TRUSTED)
        if memory and line.values["form"] == Form.SLOT and not _is_line(line):
            raise Refused("the profile has no such line")
        in_session = scope.kind is ScopeKind.SESSION
        session = scope.id if in_session else str(line.values.get("session") or "")
        theirs = session and not self._mine(self._sessions, "sessions", session)
        if theirs and (in_session or session in self._sessions):
            raise Refused("the session it names is not here")
        if not in_session and scope not in self._store.reach.scopes:
            raise Refused(f"it lies in {scope}, which this import does not stand in")
        key = str(line.values.get("key", ""))
        if self._keys.get(key, {scope}) != {scope}:  # versions of one never lie in two scopes
            raise Refused("its key is taken")

    def _check_id(self, line: Line) -> None:
        """Somebody else's row of the same id is not compared, and nothing of it is told."""
        row = self.existing.get(line.identity)
        if row is None:
            return
        kind = line.spec.kind
        taken = False
        if kind in OWNED:
            taken = row["user"] != self._store.user
        elif kind in SCOPED:
            taken = _scope(row["scope_kind"], row["scope_id"]) != line.scope
        elif kind in ("message", "summary"):
            taken = row["session"] != line.values["session"]
        if taken:
            raise Refused(TAKEN)

    def has_document(self, id: str, scope: Scope) -> bool:
        """Whether a passage of `scope` may name this document."""
        return scope in self.documents.get(id, ()) or (documents.name, id) in self._added

    def would_add(self, table: str, id: str) -> bool:
        """Whether a dry run would have written it before."""
        return (table, id) in self._added

    def add(self, line: Line) -> None:
        """A row that is going to be written: the lines after it count on it."""
        if line.spec.kind == "memory":
            self._keys.setdefault(str(line.values["key"]), set()).add(line.scope)


def _is_line(line: Line) -> bool:
    """Whether a slot is one of the profile's own, which the facts can then be asked about."""
    names = {slot.name for slot in SLOTS_OF.get(line.scope.kind, ())}
    return line.values.get("facet") in names and not line.values.get("agent")


def _scope(kind: str, id: str) -> Scope:
    return Scope(ScopeKind(kind), id)


def _texts(named: Sequence[dict[str, Value]], column: str) -> set[str]:
    return {str(values[column]) for values in named if values.get(column)}


def _sessions_of(run: Sequence[Line]) -> set[str]:
    """The conversations that memories lie in."""
    scoped = (line.scope for line in run if line.spec.kind in SCOPED)
    return {scope.id for scope in scoped if scope.kind is ScopeKind.SESSION}


def _documents_of(run: Sequence[Line]) -> set[str]:
    found = (chunk for line in run for chunk in objects(line.fields.get("chunks")))
    return {str(chunk.get("document")) for chunk in found}


def _existing(
    connection: Connection, spec: Spec, run: Sequence[Line]
) -> dict[Identity, RowMapping]:
    first = spec.table.c[spec.identity[0]]
    wanted = {line.identity[0] for line in run}
    found = connection.execute(select(spec.table).where(first.in_(wanted))).mappings()
    return {tuple(row[name] for name in spec.identity): row for row in found}


def _users(connection: Connection, table: object, ids: Collection[str]) -> dict[str, str]:
    """Whose the conversations or turns of these ids are."""
    assert table is sessions or table is turns
    column = sessions.c if table is sessions else turns.c
    if not ids:
        return {}
    found = connection.execute(select(column.id, column.user).where(column.id.in_(ids)))
    return {row.id: row.user for row in found}


def _scopes(
    connection: Connection, table: object, by: str, names: Collection[str]
) -> dict[str, set[Scope]]:
    """The scopes in which keys or documents of these names are."""
    assert table is memories or table is documents
    column = memories.c if table is memories else documents.c
    if not names:
        return {}
    query = select(column[by], column.scope_kind, column.scope_id).distinct()
    scopes: dict[str, set[Scope]] = {}
    for name, kind, id in connection.execute(query.where(column[by].in_(names))):
        scopes.setdefault(name, set()).add(_scope(kind, id))
    return scopes
