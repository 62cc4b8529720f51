"""Our own lines taken in again: ids are kept, what is here stays, nobody else's is touched."""

import json
from collections.abc import Callable, Iterable, Mapping
from itertools import islice

from sqlalchemy import ColumnElement, Connection, and_, insert, select, update
from sqlalchemy.exc import IntegrityError

from stratal_memory.errors import ScopeError
from stratal_memory.portability.export import IMPORTED, with_parts
from stratal_memory.portability.reading import Object, Piece, object_of, objects, text_of
from stratal_memory.portability.report import Imported, Refused
from stratal_memory.portability.rows import (
    BY_KIND,
    CHUNK,
    EVIDENCE,
    FORMAT,
    VERSION,
    Spec,
    Value,
    read,
)
from stratal_memory.records import Role, Scope, ScopeKind
from stratal_memory.scopes import checked_id
from stratal_memory.store import Store
from stratal_memory.text import content_hash, text_hash
from stratal_memory.truth import memories as memory_rows
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import (
    chunks,
    documents,
    evidence,
    memories,
    messages,
    sessions,
    turns,
)
from stratal_memory.truth.sqlite import index_text

BATCH = 500  # lines a transaction
# Who a row belongs to, by the column that names a row of one's own.
LEANS = {
    "turn": {"session": sessions},
    "message": {"session": sessions, "turn": turns},
    "summary": {"session": sessions},
    "cut": {"session": sessions},
    "recall": {"turn": turns},
}
HISTORY = (Role.USER, Role.ASSISTANT, Role.TOOL)
OWNED = {"session", "turn", "run", "event"}  # have a user of their own


def restore(
    store: Store,
    pieces: Iterable[Piece],
    *,
    dry_run: bool = False,
    on_row: Callable[[int], None] | None = None,
) -> Imported:
    """What became of every line of an export.

    A row that is here already, the same, is left alone; one that differs from what is here is
    refused. A row of a scope the store does not stand in is refused: an import never reaches
    another user. Vectors are made afterwards, from the texts.
    """
    report = Imported(format="stratal")
    importer = _Importer(store, report, dry_run=dry_run)
    rest = iter(pieces)
    done = 0
    while batch := list(islice(rest, BATCH)):
        with store.write() as journal:
            for where, value in batch:
                importer.take(journal, where, value)
            importer.note(journal)
        done += len(batch)
        if on_row:
            on_row(done)
    importer.end()
    return report


class _Importer:
    """Takes line after line; remembers what a dry run would have added."""

    def __init__(self, store: Store, report: Imported, *, dry_run: bool) -> None:
        self._store = store
        self._report = report
        self._dry_run = dry_run
        self._added: set[tuple[str, str]] = set()  # (table, id), in a dry run
        self._headed = False
        self._rows = 0
        self._ended = False
        self._noted = 0
        self._fresh: dict[str, int] = {}  # memories whose words can't be found yet, with their rows

    def take(self, journal: Journal, where: str, value: object) -> None:
        """One line; what is wrong with it goes into the report."""
        if isinstance(value, Refused):
            self._report.refuse(where, "", str(value))
            return
        fields = object_of(value)
        try:
            self._take(journal, fields)
        except (Refused, ScopeError) as error:
            self._report.refuse(where, fields.get("id"), str(error))

    def _take(self, journal: Journal, fields: Object) -> None:
        record = text_of(fields.get("record"))
        if record == "header":
            self._head(fields)
        elif not self._headed:
            raise Refused("it stands before the header of the export")
        elif record == "end":
            self._ended = True
        elif record in BY_KIND:
            self._row(journal, BY_KIND[record], fields)
        else:
            raise Refused(f"nobody knows the record {record[:40]!r}")

    def _head(self, fields: Object) -> None:
        version = fields.get("version")
        if fields.get("format") != FORMAT or not isinstance(version, int) or version > VERSION:
            raise Refused(f"it is no export of version {VERSION} or before")
        if fields.get("user") != self._store.user:
            name = text_of(fields.get("user"))[:80]
            raise Refused(f"it is the memory of {name!r}, not of {self._store.user!r}")
        self._headed = True

    def _row(self, journal: Journal, spec: Spec, fields: Object) -> None:
        self._rows += 1
        connection = journal.connection
        beside = frozenset({*spec.places.values(), "evidence", "chunk"})
        values = read(spec, fields, beside=beside if spec.kind != "session" else frozenset())
        self._check(connection, spec, values)
        here = and_(*(spec.table.c[name] == values[name] for name in spec.identity))
        old = connection.execute(select(spec.table).where(here)).mappings().first()
        if old is not None:
            self._compare(with_parts(connection, spec, old), spec, fields)
            return
        try:
            with connection.begin_nested():
                self._insert(connection, spec, values, fields)
        except IntegrityError as error:
            raise Refused("it can't stand beside what is here") from error
        self._report.added[spec.kind] += 1
        self._added.add((spec.table.name, str(values.get("id"))))

    def _compare(self, here: Object, spec: Spec, fields: Object) -> None:
        theirs = {name: value for name, value in fields.items() if name != "record"}
        if json.dumps(here, sort_keys=True) != json.dumps({**here, **theirs}, sort_keys=True):
            raise Refused("it differs from what is here under the same id, which stays")
        self._report.unchanged[spec.kind] += 1

    def _check(self, connection: Connection, spec: Spec, values: Mapping[str, Value]) -> None:
        """Whether a row would be the user's own. Raises `Refused` and `ScopeError`."""
        if "id" in spec.table.c and spec.kind != "cut":
            checked_id(values["id"], what=f"id of a {spec.kind}")
        if spec.kind in OWNED and values["user"] != self._store.user:
            raise Refused("it belongs to somebody else")
        for column, table in LEANS.get(spec.kind, {}).items():
            self._own(connection, table, str(values[column]))
        if spec.kind in ("memory", "document"):
            self._in_scope(connection, values)
        if spec.kind == "memory":
            self._free_key(connection, values)
        self._not_taken(connection, spec, values)

    def _own(self, connection: Connection, table: object, id: str) -> None:
        assert table is sessions or table is turns
        column = sessions if table is sessions else turns
        found = connection.execute(select(column.c.user).where(column.c.id == id)).scalar()
        if found != self._store.user and (column.name, id) not in self._added:
            raise Refused(f"the {column.name.removesuffix('s')} it names is not here")

    def _in_scope(self, connection: Connection, values: Mapping[str, Value]) -> None:
        scope = Scope(ScopeKind(str(values["scope_kind"])), str(values["scope_id"]))
        session = scope.id if scope.kind is ScopeKind.SESSION else str(values.get("session") or "")
        if session:
            owner = connection.execute(
                select(sessions.c.user).where(sessions.c.id == session)
            ).scalar()
            mine = owner == self._store.user or (sessions.name, session) in self._added
            if not mine and (owner is not None or scope.kind is ScopeKind.SESSION):
                raise Refused("the session it names is not here")
        if scope.kind is not ScopeKind.SESSION and scope not in self._store.reach.scopes:
            raise Refused(f"it lies in {scope}, which this import does not stand in")

    def _free_key(self, connection: Connection, values: Mapping[str, Value]) -> None:
        """A key is one memory: versions of one never lie in two scopes."""
        elsewhere = and_(
            memories.c.key == values["key"],
            (memories.c.scope_kind != values["scope_kind"])
            | (memories.c.scope_id != values["scope_id"]),
        )
        if connection.execute(select(memories.c.seq).where(elsewhere).limit(1)).first():
            raise Refused("its key is taken")

    def _not_taken(self, connection: Connection, spec: Spec, values: Mapping[str, Value]) -> None:
        """Somebody else's row of the same id is not compared, and nothing of it is told."""
        if spec.kind in OWNED:
            here = and_(
                *(spec.table.c[name] == values[name] for name in spec.identity),
                spec.table.c.user != self._store.user,
            )
        elif spec.kind in ("memory", "document"):
            here = and_(
                spec.table.c.id == values["id"],
                (spec.table.c.scope_kind != values["scope_kind"])
                | (spec.table.c.scope_id != values["scope_id"]),
            )
        elif spec.kind in ("message", "summary"):
            here = (spec.table.c.id == values["id"]) & (spec.table.c.session != values["session"])
        else:
            return
        if connection.execute(select(spec.table).where(here).limit(1)).first():
            raise Refused("its id is taken")

    def _insert(
        self, connection: Connection, spec: Spec, values: dict[str, Value], fields: Object
    ) -> None:
        if spec.kind == "memory":
            self._memory(connection, values, fields)
            return
        if spec.kind == "message" and values["role"] not in HISTORY:
            raise Refused("history holds only what user, assistant and tools said")
        places = {
            column: self._place(connection, text_of(fields.get(name)), str(values["session"]))
            for column, name in spec.places.items()
        }
        if self._dry_run:
            return
        more: dict[str, Value] = {"owner": ""} if spec.table is turns else {}
        if spec.kind == "message":
            more = {"content_hash": content_hash(str(values["text"]))}
        made = connection.execute(insert(spec.table).values({**values, **places, **more}))
        if spec.kind == "message":
            first = and_(turns.c.id == values["turn"], turns.c.first_seq.is_(None))
            connection.execute(update(turns).where(first).values(first_seq=made.lastrowid))

    def _place(self, connection: Connection, message: str, session: str) -> int:
        """The row of a message of a conversation; 0, before all, when none is named."""
        if not message or ((messages.name, message) in self._added and self._dry_run):
            return 0
        here = and_(messages.c.id == message, messages.c.session == session)
        found = connection.execute(select(messages.c.seq).where(here)).scalar()
        if found is None:
            raise Refused("the message it names is not here")
        return int(found)

    def _memory(self, connection: Connection, values: dict[str, Value], fields: Object) -> None:
        proof = [read(EVIDENCE, one) for one in objects(fields.get("evidence"))]
        place = object_of(fields.get("chunk"))
        chunk = read(CHUNK, place) if place else {}
        if chunk:
            self._document(connection, str(chunk["document"]), values)
        if self._dry_run:
            return
        id, hashed = str(values["id"]), text_hash(str(values["text"]))
        made = connection.execute(insert(memories).values({**values, "text_hash": hashed}))
        rows = [{**one, "memory": id, "position": place} for place, one in enumerate(proof)]
        for row in rows:
            connection.execute(insert(evidence).values(row))
        if chunk:
            connection.execute(insert(chunks).values({**chunk, "memory": id}))
        self._fresh[id] = int(made.lastrowid)

    def _document(self, connection: Connection, id: str, values: Mapping[str, Value]) -> None:
        here: ColumnElement[bool] = and_(
            documents.c.id == id,
            documents.c.scope_kind == values["scope_kind"],
            documents.c.scope_id == values["scope_id"],
        )
        found = connection.execute(select(documents.c.id).where(here)).first()
        if found is None and (documents.name, id) not in self._added:
            raise Refused("the document it names is not here")

    def note(self, journal: Journal) -> None:
        """Make the new memories findable by their words; one event for all that was added."""
        fresh = memories.c.id.in_(self._fresh)
        for memory in memory_rows.select_memories(journal.connection, fresh):
            if memory_rows.worded(memory.form, memory.status):
                body = memory_rows.searchable(memory)
                seq = self._fresh[memory.id]
                index_text(journal.connection, seq=seq, scope=memory.scope, body=body)
        self._fresh.clear()
        added = self._report.added.total() - self._noted
        if added and not self._dry_run:
            journal.note(IMPORTED, reason=f"{added} rows of an export")
            self._noted += added

    def end(self) -> None:
        """Say so when the file ended before its end."""
        if self._headed and not self._ended:
            self._report.refuse("the end", "", "the file ends early: rows may be missing")
