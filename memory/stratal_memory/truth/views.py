"""What one scope holds for recall, and what changed of it: all that is kept is read here.

The scope stands in every WHERE clause, by `visible`, as in every other read of memories.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Connection,
    String,
    and_,
    func,
    select,
    type_coerce,
)

from stratal_memory.records import Scope, Status
from stratal_memory.scopes import Principal
from stratal_memory.truth import sqlite
from stratal_memory.truth.access import Reach, visible
from stratal_memory.truth.schema import events, memories, vectors
from stratal_memory.truth.sqlite import Prepared, Stamp
from stratal_memory.truth.vectors import LIVE

KEPT = (*LIVE, Status.SUPERSEDED, Status.RETRACTED)  # what recall may see, of now or of the past
PAGE = 500  # row numbers of one IN (...) list
PAGE_OF_ROWS = 5_000  # rows with their vectors held twice while they are read
# Events that change more than the one memory they name: after them a scope is read anew.
SWEEPING = ("run.undone", "event.undone")


@dataclass(frozen=True, slots=True)
class Row:
    """One memory as an index needs it."""

    seq: int
    form: str
    status: str
    session: str
    trust: str
    valid_from: str
    text: str
    vector: bytes | None  # float32; None when it has none of the generation
    words: str | None  # its terms, divided by blanks; None when full text does not hold it


def size(connection: Connection, scope: Scope) -> int:
    """About how many memories a scope holds, whatever their status and agent."""
    counted = select(func.count()).select_from(memories).where(_in(scope))
    return int(connection.execute(counted).scalar_one())


def rows(
    connection: Connection, scope: Scope, agent: str, *, generation: int
) -> Iterator[list[Row]]:
    """What `agent` may see of a scope, now or in the past, in pages, in the order recorded."""
    return _rows(connection, _of(scope, agent, KEPT), generation=generation)


def changed(
    connection: Connection,
    scope: Scope,
    agent: str,
    *,
    generation: int,
    ids: Sequence[str],
    after: int,
) -> list[Row]:
    """Those of the memories `ids` and of all behind row `after` that are in the scope; any status.

    In the order they were recorded.
    """
    within = _of(scope, agent, tuple(Status))
    parts = [memories.c.seq > after]
    for start in range(0, len(ids), PAGE):
        parts.append(memories.c.id.in_(ids[start : start + PAGE]) & (memories.c.seq <= after))
    found = [
        row
        for part in parts
        for page in _rows(connection, within & part, generation=generation)
        for row in page
    ]
    return sorted(found, key=lambda row: row.seq)


def _of(scope: Scope, agent: str, statuses: Sequence[Status]) -> ColumnElement[bool]:
    alone = Reach(Principal(user="nobody", agent=agent), (scope,))
    return visible(alone, statuses=statuses)


def _rows(
    connection: Connection, where: ColumnElement[bool], *, generation: int
) -> Iterator[list[Row]]:
    words = sqlite.words_of(memories.c.seq)
    vector = and_(vectors.c.memory == memories.c.seq, vectors.c.generation == generation)
    found = connection.execute(
        select(
            memories.c.seq,
            memories.c.form,
            memories.c.status,
            memories.c.session,
            memories.c.trust,
            type_coerce(memories.c.valid_from, String),
            memories.c.text,
            vectors.c.vector,
            words,
        )
        .join(vectors, vector, isouter=True)
        .where(where)
        .order_by(memories.c.seq)
    )
    for page in found.partitions(PAGE_OF_ROWS):
        yield [Row(*row) for row in page]


def late_vectors(
    connection: Connection, seqs: Sequence[int], *, generation: int
) -> dict[int, bytes]:
    """The vectors that these memories got since, by row number."""
    found: dict[int, bytes] = {}
    for start in range(0, len(seqs), PAGE):
        page = list(seqs[start : start + PAGE])
        here = vectors.c.memory.in_(page), vectors.c.generation == generation
        answer = connection.execute(select(vectors.c.memory, vectors.c.vector).where(*here))
        found.update((seq, vector) for seq, vector in answer)
    return found


def touched(connection: Connection, before: Stamp, now: Stamp, *, most: int) -> list[str] | None:
    """The ids of the memories that changed between two stamps, by the events.

    None when the events don't tell: something was erased or undone, or there are over `most`.
    """
    since = now.events - before.events
    if before.schema != now.schema or not 0 <= since <= most:
        return None
    found = connection.execute(
        select(events.c.kind, events.c.memory).where(
            events.c.seq > before.events, events.c.seq <= now.events
        )
    ).all()
    if len(found) != since or any(kind in SWEEPING for kind, _ in found):
        return None
    return sorted({memory for _, memory in found if memory})


def allowed(
    connection: Connection,
    where: ColumnElement[bool],
    scope: Scope,
    seqs: Sequence[int] | None = None,
) -> list[int]:
    """The row numbers in `scope` that `where` allows, of all or of `seqs`."""
    within = and_(where, _in(scope))
    if seqs is None:
        return list(connection.execute(select(memories.c.seq).where(within)).scalars())
    found: list[int] = []
    for start in range(0, len(seqs), PAGE):
        page = memories.c.seq.in_(seqs[start : start + PAGE])
        found += connection.execute(select(memories.c.seq).where(page, within)).scalars()
    return found


def confirming(where: ColumnElement[bool], scope: Scope) -> Prepared:
    """Asks which row numbers of some `where` allows in `scope`: so is read back what is kept."""
    within = and_(sqlite.among(memories.c.seq), where, _in(scope))
    return Prepared(select(memories.c.seq).where(within))


def _in(scope: Scope) -> ColumnElement[bool]:
    return and_(memories.c.scope_kind == scope.kind, memories.c.scope_id == scope.id)
