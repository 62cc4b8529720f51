"""Rows of memories as they are read, and the words they are found by; `writing` changes them.

What is embedded and searched is `searchable(memory)`, so that the place of a passage counts too.
"""

from collections.abc import Sequence
from functools import lru_cache

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    func,
    select,
)

from stratal_memory.facets import found_by
from stratal_memory.records import (
    Evidence,
    Form,
    Kind,
    Memory,
    Scope,
    ScopeKind,
    Status,
    Trust,
)
from stratal_memory.truth.schema import evidence, memories
from stratal_memory.truth.vectors import LIVE

PAGE = 500  # ids of one IN (...) list
# Statuses of what was true once, or was thought to be.
ENDED = (Status.SUPERSEDED, Status.RETRACTED)
# How an episode that rules told begins, and where its questions do.
SAID = "The user said:"
QUESTIONS = " The user asked: "

# By value: asking the class takes longer than all else of a field.
_KIND = {one.value: one for one in Kind}
_FORM = {one.value: one for one in Form}
_TRUST = {one.value: one for one in Trust}
_STATUS = {one.value: one for one in Status}


def worded(form: Form, status: Status) -> bool:
    """Whether full text holds it: what is live, and what was true once, for questions of the past.

    A passage of an older version of a document is not what somebody asks for.
    """
    return status in LIVE or (status in ENDED and form is Form.FACT)


def embeddable(memory: Memory) -> str:
    """What the vector of a memory is made of.

    A passage has its document's title and headings before it; a fact what it is about, and the
    user's own words rather than ours.
    """
    if memory.form is Form.CHUNK:
        return f"{memory.source}\n{memory.text}"
    if memory.form is Form.EPISODE:
        return memory.text.partition(QUESTIONS)[0]  # what was asked finds only itself again
    if memory.form is Form.FACT:
        quote = memory.evidence[0].quote if memory.evidence else ""
        return found_by(memory.facet, memory.text, quote)
    return memory.text


def searchable(memory: Memory) -> str:
    """The words a memory is found by: those of its vector, and its text."""
    if memory.form is Form.FACT:
        return f"{embeddable(memory)}\n{memory.text}"
    return embeddable(memory)


def seq_of(connection: Connection, id: str) -> int:
    """The row number of a version."""
    return int(connection.execute(select(memories.c.seq).where(memories.c.id == id)).scalar_one())


def select_memories(
    connection: Connection,
    where: ColumnElement[bool],
    *,
    limit: int | None = None,
    newest_first: bool = False,
) -> list[Memory]:
    """The versions that `where` allows, in the order they were recorded (or newest first)."""
    order = memories.c.seq.desc() if newest_first else memories.c.seq
    found = connection.execute(select(memories).where(where).order_by(order).limit(limit))
    rows = found.mappings().all()
    return _with_evidence(connection, rows)


def by_seq(
    connection: Connection, seqs: Sequence[int], where: ColumnElement[bool]
) -> dict[int, Memory]:
    """Those of `seqs` that `where` allows, by row number: how every index answer is read back."""
    found: dict[int, Memory] = {}
    for start in range(0, len(seqs), PAGE):
        page = list(seqs[start : start + PAGE])
        answer = connection.execute(select(memories).where(memories.c.seq.in_(page), where))
        rows = answer.mappings().all()
        found.update(
            zip((row["seq"] for row in rows), _with_evidence(connection, rows), strict=True)
        )
    return found


def next_version(connection: Connection, key: str) -> int:
    """The number of the next version of a memory; 1 when there is none."""
    newest = connection.execute(select(func.max(memories.c.version)).where(memories.c.key == key))
    return (newest.scalar() or 0) + 1


def count(connection: Connection, where: ColumnElement[bool]) -> int:
    """How many versions `where` allows."""
    return int(
        connection.execute(select(func.count()).select_from(memories).where(where)).scalar_one()
    )


def _with_evidence(connection: Connection, rows: Sequence[RowMapping]) -> list[Memory]:
    ids = [row["id"] for row in rows]
    seen: dict[str, list[Evidence]] = {id: [] for id in ids}
    for first in range(0, len(ids), PAGE):
        found = connection.execute(
            select(evidence)
            .where(evidence.c.memory.in_(ids[first : first + PAGE]))
            .order_by(evidence.c.memory, evidence.c.position)
        )
        for memory, _, ref, start, end, quote, at, trust, source in found.all():
            seen[memory].append(
                Evidence(
                    ref=ref,
                    start=start,
                    end=end,
                    quote=quote,
                    at=at,
                    trust=_TRUST[trust] if trust else None,
                    source=source,
                )
            )
    return [_memory(row, tuple(seen[row["id"]])) for row in rows]


@lru_cache(maxsize=1_024)
def _scope(kind: str, id: str) -> Scope:
    return Scope(ScopeKind(kind), id)


def _memory(fields: RowMapping, seen: tuple[Evidence, ...]) -> Memory:
    return Memory(
        id=fields["id"],
        key=fields["key"],
        version=fields["version"],
        text=fields["text"],
        kind=_KIND[fields["kind"]],
        form=_FORM[fields["form"]],
        scope=_scope(fields["scope_kind"], fields["scope_id"]),
        agent=fields["agent"],
        session=fields["session"],
        trust=_TRUST[fields["trust"]],
        status=_STATUS[fields["status"]],
        confidence=fields["confidence"],
        support=fields["support"],
        pinned=fields["pinned"],
        source=fields["source"],
        facet=fields["facet"],
        value=fields["value"],
        supersedes=fields["supersedes"],
        recorded_at=fields["recorded_at"],
        retired_at=fields["retired_at"],
        valid_from=fields["valid_from"],
        valid_to=fields["valid_to"],
        evidence=seen,
    )
