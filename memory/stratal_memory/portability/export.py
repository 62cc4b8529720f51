"""All that memory holds for one principal, as lines of JSON; docs/portability.md describes them."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, and_, func, or_, select

from stratal_memory.portability.reading import Object
from stratal_memory.portability.rows import (
    CHUNK,
    EVIDENCE,
    FORMAT,
    SPECS,
    VERSION,
    Spec,
    written,
)
from stratal_memory.records import ScopeKind
from stratal_memory.store import Store
from stratal_memory.truth.schema import (
    chunks,
    documents,
    events,
    evidence,
    memories,
    messages,
    recalls,
    runs,
    sessions,
    turns,
)

PAGE = 500  # rows read at once
IMPORTED = "memory.imported"  # the one event that an import itself writes
LOG = ("run", "event")
LAST = 2**62  # after every row


def export(
    store: Store, *, log: bool = True, on_row: Callable[[int, int], None] | None = None
) -> Iterator[str]:
    """The lines, in the same order every time; a snapshot, read page by page.

    The user's conversations, and the memories and documents of the scopes the store stands in.
    Without `log` the events and runs are left out. `on_row` is told how many of how many.
    """
    with store.read() as connection:
        parts = [(spec, _mine(store, spec)) for spec in SPECS if log or spec.kind not in LOG]
        counted = (select(func.count()).select_from(query.subquery()) for _, query in parts)
        total = sum(connection.execute(query).scalar_one() for query in counted)
        counts: Counter[str] = Counter()
        yield _line({"record": "header", "format": FORMAT, "version": VERSION, "user": store.user})
        for spec, query in parts:
            for fields in _rows(connection, spec, query):
                counts[spec.kind] += 1
                yield _line({"record": spec.kind, **fields})
                if on_row:
                    on_row(counts.total(), total)
        yield _line({"record": "end", "rows": counts.total()})


def _line(fields: Mapping[str, object]) -> str:
    return json.dumps(fields, separators=(",", ":")) + "\n"


def _rows(connection: Connection, spec: Spec, query: Select[tuple[object]]) -> Iterator[Object]:
    found = connection.execute(query.execution_options(yield_per=PAGE)).mappings()
    for page in found.partitions(PAGE):
        if spec.kind == "memory":
            yield from _memories(connection, spec, page)
        else:
            yield from (fields_of(connection, spec, row) for row in page)


def fields_of(connection: Connection, spec: Spec, row: RowMapping) -> Object:
    """A row as its line shows it, but for what lies in other tables."""
    places = {
        name: _message_at(connection, row["session"], int(row[column] or 0))
        for column, name in spec.places.items()
    }
    return {**written(spec, row), **places}


def _message_at(connection: Connection, session: str, seq: int) -> str:
    """The id of the message that stands at a row of a conversation, or last before it."""
    here = and_(messages.c.session == session, messages.c.seq <= seq)
    found = connection.execute(
        select(messages.c.id).where(here).order_by(messages.c.seq.desc()).limit(1)
    )
    return found.scalar() or ""


def _memories(connection: Connection, spec: Spec, page: Sequence[RowMapping]) -> Iterator[Object]:
    ids = [row["id"] for row in page]
    seen: dict[str, list[Object]] = {id: [] for id in ids}
    proof = select(evidence).where(evidence.c.memory.in_(ids))
    for row in connection.execute(proof.order_by(evidence.c.position)).mappings():
        seen[row["memory"]].append(written(EVIDENCE, row))
    placed: dict[str, list[Object]] = {}
    place = select(chunks).where(chunks.c.memory.in_(ids))
    place = place.order_by(chunks.c.document, chunks.c.ordinal)
    for row in connection.execute(place).mappings():
        placed.setdefault(row["memory"], []).append(written(CHUNK, row))
    for row in page:
        stands: Object = {"chunks": list(placed[row["id"]])} if row["id"] in placed else {}
        yield {**written(spec, row), "evidence": list(seen[row["id"]]), **stands}


def with_parts(connection: Connection, spec: Spec, rows: Sequence[RowMapping]) -> list[Object]:
    """Rows as their lines show them, with what lies in other tables."""
    if spec.kind == "memory":
        return list(_memories(connection, spec, rows))
    return [fields_of(connection, spec, row) for row in rows]


def within(store: Store, kinds: ColumnElement[str], ids: ColumnElement[str]) -> ColumnElement[bool]:
    """Rows of the scopes a store stands in, and of its user's conversations."""
    mine = select(sessions.c.id).where(sessions.c.user == store.user)
    return or_(
        *(and_(kinds == scope.kind, ids == scope.id) for scope in store.reach.scopes),
        and_(kinds == ScopeKind.SESSION, ids.in_(mine)),
    )


def _mine(store: Store, spec: Spec) -> Select[tuple[object]]:
    """The rows of one kind that are the store's, in the order of the file."""
    user = store.user
    own = select(sessions.c.id).where(sessions.c.user == user)
    table = spec.table
    if table is sessions:
        query = select(table).where(table.c.user == user).order_by(table.c.started, table.c.id)
    elif table is turns:
        place = func.coalesce(table.c.first_seq, LAST)
        query = select(table).where(table.c.user == user).order_by(place, table.c.started)
        query = query.order_by(table.c.id)
    elif table is recalls:
        mine = select(table).join(turns, turns.c.id == table.c.turn).where(turns.c.user == user)
        place = func.coalesce(turns.c.first_seq, LAST)
        query = mine.order_by(place, table.c.turn, table.c.memory)
    elif table is runs:
        query = select(table).where(table.c.user == user).order_by(table.c.started, table.c.id)
    elif table is events:
        told = and_(table.c.user == user, table.c.kind != IMPORTED)
        query = select(table).where(told).order_by(table.c.seq)
    elif table is documents:
        here = within(store, table.c.scope_kind, table.c.scope_id)
        query = select(table).where(here).order_by(table.c.added, table.c.id)
    elif table is memories:
        here = within(store, table.c.scope_kind, table.c.scope_id)
        query = select(table).where(here).order_by(table.c.seq)
    else:
        query = select(table).where(table.c.session.in_(own)).order_by(table.c.seq)
    return query
