"""Whether evidence, full text, vectors and the index still agree with the memories."""

from collections.abc import Iterator

from sqlalchemy import ColumnElement, Connection, and_, func, select

from stratal_memory.findings import Finding, Rule, Severity, finding
from stratal_memory.records import Form
from stratal_memory.store import Store
from stratal_memory.truth import full_text
from stratal_memory.truth.schema import documents, evidence, memories, messages, vectors
from stratal_memory.truth.vectors import LIVE

# What the prefix of a reference names; a note is made by hand and names nothing that is stored.
_SOURCES = (
    ("msg_", messages.c.id),
    ("mem_", memories.c.id),
    ("doc_", documents.c.id),
)


def orphans(connection: Connection, mine: ColumnElement[bool]) -> Iterator[Finding]:
    """Live memories that rest on something that is not there."""
    for prefix, source in _SOURCES:
        there = select(source).where(source == evidence.c.ref)
        if prefix == "mem_":
            other = memories.alias()
            there = select(other.c.id).where(other.c.id == evidence.c.ref)
        found = connection.execute(
            select(memories.c.id, memories.c.key, evidence.c.ref)
            .join(evidence, evidence.c.memory == memories.c.id)
            .where(
                mine,
                memories.c.status.in_(LIVE),
                evidence.c.ref.startswith(prefix, autoescape=True),
                ~there.exists(),
            )
            .order_by(memories.c.seq)
        )
        for row in found:
            message = f"it rests on {row.ref}, which is not there"
            fix = f"stratal memory erase --key {row.key}"
            yield finding(Rule.ORPHAN, Severity.ERROR, row.id, message, fix)


def unproven(connection: Connection, mine: ColumnElement[bool]) -> Iterator[Finding]:
    """Live memories that name no source (M1); a skill's source is its folder."""
    proof = select(evidence.c.memory).where(evidence.c.memory == memories.c.id)
    found = connection.execute(
        select(memories.c.id, memories.c.key).where(
            mine,
            memories.c.status.in_(LIVE),
            memories.c.form != Form.SKILL,
            ~proof.exists(),
        )
    )
    for row in found:
        fix = f"stratal memory erase --key {row.key}"
        yield finding(Rule.UNPROVEN, Severity.ERROR, row.id, "nothing says where it is from", fix)


def words(connection: Connection) -> Iterator[Finding]:
    """Whether full text holds what it should, and nothing else; everybody's."""
    found = full_text.drift(connection)
    for count, what in (
        (found.missing, "are not found by their words"),
        (found.surplus, "are found and are there no more"),
    ):
        if count:
            message = f"full text: {count:,} memories {what}"
            yield finding(Rule.DRIFT, Severity.ERROR, "", message, "stratal doctor --rebuild-index")


def vectors_of(
    store: Store, connection: Connection, mine: ColumnElement[bool]
) -> Iterator[Finding]:
    """Whether what lives has a vector of the model in use."""
    if not store.generation:
        return
    here = and_(vectors.c.memory == memories.c.seq, vectors.c.generation == store.generation)
    waiting = connection.execute(
        select(func.count())
        .select_from(memories)
        .where(
            mine,
            memories.c.status.in_(LIVE),
            memories.c.form != Form.SLOT,
            ~select(vectors.c.memory).where(here).exists(),
        )
    ).scalar_one()
    if waiting:
        message = f"{waiting:,} memories have no vector of the model in use"
        yield finding(Rule.DRIFT, Severity.WARNING, "", message, "stratal doctor")


def index(store: Store) -> Iterator[Finding]:
    """Whether the derived index is sound."""
    if store.door is None:
        return
    health = store.door.check()
    if health.owned and not health.sound:
        message = f"the index: {health.detail}"
        fix = "stratal doctor --rebuild-index"
        yield finding(Rule.DRIFT, Severity.ERROR, "", message, fix)
