"""Rows of an import as their tables take them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from sqlalchemy import Connection, Table, and_, func, insert, select, update

from stratal_memory.portability.known import TOO_TRUSTED, Known, Line
from stratal_memory.portability.reading import objects, text_of
from stratal_memory.portability.report import Refused
from stratal_memory.portability.rows import CHUNK, EVIDENCE, Value, read
from stratal_memory.records import Trust
from stratal_memory.text import content_hash, text_hash
from stratal_memory.truth import memories as memory_rows
from stratal_memory.truth.schema import chunks, evidence, memories, messages, turns
from stratal_memory.truth.sqlite import index_text

Values = dict[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A row that may be written, with the rows that belong to it."""

    line: Line
    values: Values
    proof: tuple[Values, ...] = ()  # the evidence of a memory
    chunks: tuple[Values, ...] = ()  # where a passage stands


def ready(connection: Connection, line: Line, known: Known) -> Ready:
    """The row with what is made anew on the way in. Raises `Refused`."""
    if line.spec.kind == "memory":
        return _memory(line, known)
    session = str(line.values.get("session", ""))
    places: Values = {
        column: _place(connection, text_of(line.fields.get(name)), session, known)
        for column, name in line.spec.places.items()
    }
    more: Values = {}
    if line.spec.kind == "turn":
        more = {"owner": ""}
    elif line.spec.kind == "message":
        more = {"content_hash": content_hash(str(line.values["text"]))}
    elif line.spec.kind == "event":
        more = {"imported": True}
    return Ready(line=line, values={**line.values, **places, **more})


def _place(connection: Connection, message: str, session: str, known: Known) -> int:
    """The row of a message of a conversation; 0, before all, when none is named."""
    if not message:
        return 0
    here = and_(messages.c.id == message, messages.c.session == session)
    found = connection.execute(select(messages.c.seq).where(here)).scalar()
    if found is None and not known.would_add(messages.name, message):
        raise Refused("the message it names is not here")
    return int(found or 0)


def _memory(line: Line, known: Known) -> Ready:
    id = line.values["id"]
    proof = [read(EVIDENCE, one) for one in objects(line.fields.get("evidence"))]
    places = [read(CHUNK, one) for one in objects(line.fields.get("chunks"))]
    if not known.is_skill(line) and any(one.get("trust") == Trust.SYSTEM for one in proof):
        raise Refused(TOO_TRUSTED)
    if not all(known.has_document(str(one["document"]), line.scope) for one in places):
        raise Refused("the document it names is not here")
    return Ready(
        line=line,
        values={**line.values, "text_hash": text_hash(str(line.values["text"]))},
        proof=tuple(
            {**one, "memory": id, "position": position} for position, one in enumerate(proof)
        ),
        chunks=tuple({**one, "memory": id} for one in places),
    )


def insert_all(connection: Connection, rows: Sequence[Ready]) -> None:
    """Write rows of one kind, in their order."""
    spec = rows[0].line.spec
    _insert(connection, spec.table, [one.values for one in rows])
    if spec.table is messages:
        _begin_turns(connection, rows)
    elif spec.table is memories:
        _add_parts(connection, rows)


def _insert(connection: Connection, table: Table, rows: Sequence[Values]) -> None:
    """Rows that name the same columns are written by one statement."""
    for _, alike in groupby(rows, key=frozenset):
        connection.execute(insert(table), list(alike))


def _begin_turns(connection: Connection, rows: Sequence[Ready]) -> None:
    """A turn begins with its first message."""
    named = {str(one.values["turn"]) for one in rows}
    first = select(func.min(messages.c.seq)).where(messages.c.turn == turns.c.id)
    fresh = and_(turns.c.id.in_(named), turns.c.first_seq.is_(None))
    connection.execute(update(turns).where(fresh).values(first_seq=first.scalar_subquery()))


def _add_parts(connection: Connection, rows: Sequence[Ready]) -> None:
    """Evidence, places in documents, and the words the new memories are found by."""
    _insert(connection, evidence, [part for one in rows for part in one.proof])
    _insert(connection, chunks, [place for one in rows for place in one.chunks])
    ids = [one.values["id"] for one in rows]
    found = connection.execute(select(memories.c.seq).where(memories.c.id.in_(ids))).scalars()
    made = memory_rows.by_seq(connection, sorted(found), memories.c.id.in_(ids))
    for seq, memory in made.items():
        if memory_rows.worded(memory.form, memory.status):
            body = memory_rows.searchable(memory)
            index_text(connection, seq=seq, scope=memory.scope, body=body)
