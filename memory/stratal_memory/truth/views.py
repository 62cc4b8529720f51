"""What one scope holds for recall, and what changed of it: all that is kept is read here.

The scope stands in every WHERE clause, by `visible`, as in every other read of memories.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Select,
    String,
    TableValuedAlias,
    and_,
    func,
    select,
    type_coerce,
)

from stratal_memory.records import Scope, Status
from stratal_memory.scopes import Principal
from stratal_memory.truth import sqlite
from stratal_memory.truth.access import Reach, visible
from stratal_memory.truth.schema import memories, vectors
from stratal_memory.truth.sqlite import Prepared, Stamp
from stratal_memory.truth.vectors import LIVE

KEPT = (*LIVE, Status.SUPERSEDED, Status.RETRACTED)  # what recall may see, of now or of the past
PAGE = 500  # row numbers of one IN (...) list
PAGE_OF_ROWS = 5_000  # rows with their vectors held twice while they are read
# Events that change more than the one memory they name: after them a scope is read anew.
SWEEPING = ("run.undone", "event.undone")


class Row(NamedTuple):
    """One memory as an index needs it."""

    seq: int
    form: str
    session: str
    trust: str
    pinned: int
    valid_from: str
    text: str
    words: str | None  # its terms, divided by blanks; None when full text does not hold it


class Page(NamedTuple):
    """Memories beside their vectors, in the order recorded."""

    rows: list[Row]
    vectors: list[bytes | None]  # float32; None where there is none of the generation


def size(connection: Connection, scope: Scope) -> int:
    """About how many memories a scope holds, whatever their status and agent."""
    counted = select(func.count()).select_from(memories).where(_in(scope))
    return int(connection.execute(counted).scalar_one())


def rows(connection: Connection, scope: Scope, agent: str, *, generation: int) -> Iterator[Page]:
    """What `agent` may see of a scope, now or in the past, in pages, in the order recorded."""
    every = _select(_of(scope, agent, KEPT), generation=generation).order_by(memories.c.seq)
    for found in connection.execute(every).partitions(PAGE_OF_ROWS):
        yield _page(found)


def changed(
    connection: Connection,
    scope: Scope,
    agent: str,
    *,
    generation: int,
    ids: Sequence[str],
    after: int,
) -> Page:
    """Those of the memories `ids` and of all behind row `after` that are in the scope; any status.

    In the order they were recorded.
    """
    new, known = _changed(scope, agent, generation)
    found = [*new.run(connection, after=after)]
    for start in range(0, len(ids), PAGE):
        page = known.run(connection, ids[start : start + PAGE])
        found += [row for row in page if row[0] <= after]
    return _page(sorted(found))


@lru_cache(maxsize=1_024)
def _changed(scope: Scope, agent: str, generation: int) -> tuple[Prepared, Prepared]:
    """The rows behind one of a scope, and those that have some ids."""
    within = _of(scope, agent, tuple(Status))
    return (
        Prepared(_select(within, generation=generation).where(sqlite.behind(memories.c.seq))),
        Prepared(_select(within, generation=generation, listed=sqlite.listed())),
    )


def _of(scope: Scope, agent: str, statuses: Sequence[Status]) -> ColumnElement[bool]:
    alone = Reach(Principal(user="nobody", agent=agent), (scope,))
    return visible(alone, statuses=statuses)


def _select(
    where: ColumnElement[bool], *, generation: int, listed: TableValuedAlias | None = None
) -> Select[*tuple[Any, ...]]:
    """What a `Row` is made of, and the vector behind it; of the `listed` ids, or of all."""
    rows = memories if listed is None else listed.join(memories, memories.c.id == listed.c.value)
    words = sqlite.words_of(memories.c.seq)
    vector = and_(vectors.c.memory == memories.c.seq, vectors.c.generation == generation)
    return (
        select(
            memories.c.seq,
            memories.c.form,
            memories.c.session,
            memories.c.trust,
            type_coerce(memories.c.pinned, Integer),
            type_coerce(memories.c.valid_from, String),
            memories.c.text,
            words,
            vectors.c.vector,
        )
        .select_from(rows.join(vectors, vector, isouter=True))
        .where(where)
    )


def _page(found: Sequence[Sequence[Any]]) -> Page:
    return Page([Row._make(row[:-1]) for row in found], [row[-1] for row in found])


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


_EVENTS = "SELECT kind, memory FROM events WHERE seq > ? AND seq <= ?"


def touched(connection: Connection, before: Stamp, now: Stamp, *, most: int) -> list[str] | None:
    """The ids of the memories that changed between two stamps, by the events.

    None when the events don't tell: something was erased or undone, or there are over `most`.
    """
    since = now.events - before.events
    if before.schema != now.schema or not 0 <= since <= most:
        return None
    found = connection.exec_driver_sql(_EVENTS, (before.events, now.events)).all()
    if len(found) != since or any(kind in SWEEPING for kind, _ in found):
        return None
    return sorted({memory for _, memory in found if memory})


def allowed(connection: Connection, where: ColumnElement[bool], scope: Scope) -> list[int]:
    """The row numbers in `scope` that `where` allows."""
    within = select(memories.c.seq).where(where, _in(scope))
    return list(connection.execute(within).scalars())


def confirming(where: ColumnElement[bool]) -> Prepared:
    """Asks which row numbers of some `where` allows: so is read back what is kept."""
    listed = sqlite.listed()
    some = listed.join(memories, memories.c.seq == listed.c.value)
    return Prepared(select(memories.c.seq).select_from(some).where(where))


def _in(scope: Scope) -> ColumnElement[bool]:
    return and_(memories.c.scope_kind == scope.kind, memories.c.scope_id == scope.id)
