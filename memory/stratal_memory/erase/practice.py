"""Stored procedures that rest on doomed turns: they go with all their versions and uses."""

import json
from collections import Counter
from collections.abc import Collection, Iterator

from sqlalchemy import Connection, and_, delete, or_, select

from stratal_memory.erase.doomed import Doomed, pages
from stratal_memory.erase.traces import Traces
from stratal_memory.records import Form, Scope, ScopeKind
from stratal_memory.truth.schema import memories, messages
from stratal_memory.truth.schema_procedures import (
    procedure_episodes,
    procedure_outcomes,
    procedures,
)


def add_procedures(connection: Connection, doomed: Doomed) -> None:
    """Mark those of an erased user, and those drawn from a turn that goes or is blanked in part.

    What a procedure is found by is a memory of its description: that goes with it.
    """
    turns = doomed.turns | _blanked(connection, doomed)
    own = {Scope(ScopeKind.USER, doomed.user)} if doomed.user else set[Scope]()
    table = procedures.c
    for row in connection.execute(select(procedures)).all():
        scope = Scope(ScopeKind(row.scope_kind), row.scope_id)
        if scope in own | doomed.spaces or turns.intersection(json.loads(row.evidence)):
            doomed.procedures.add(row.key)
    if doomed.user:
        mine = select(table.key).where(table.author == doomed.user)
        doomed.procedures |= set(connection.execute(mine).scalars())
    _add_descriptions(connection, doomed)


def add_quoting(
    connection: Connection, doomed: Doomed, traces: Traces, users: Collection[str]
) -> None:
    """Mark the procedures by `users` whose text quotes what goes.

    An approved text is never changed: it goes whole.
    """
    add_procedures(connection, doomed)  # more messages may be blanked by now
    table = procedures.c
    found = connection.execute(select(table.key, table.text).where(table.author.in_(users)))
    for row in found.all():
        if any(traces.find(row.text.encode("utf-8", "surrogatepass"))):
            doomed.procedures.add(row.key)
    _add_descriptions(connection, doomed)


def texts(connection: Connection, doomed: Doomed) -> Iterator[str]:
    """Every text of them that goes."""
    columns = (procedures.c.text, procedures.c.name, procedures.c.why)
    for page in pages(doomed.procedures):
        for row in connection.execute(select(*columns).where(procedures.c.key.in_(page))):
            yield from row


def remove(connection: Connection, doomed: Doomed) -> Counter[str]:
    """How many rows went, by what they were; the turns must still be there."""
    gone: Counter[str] = Counter()
    for table in (procedure_episodes, procedure_outcomes):
        for page in pages(doomed.turns):
            dead = connection.execute(delete(table).where(table.c.turn.in_(page)))
            gone["notes of practice"] += dead.rowcount
    for page in pages(doomed.procedures):
        uses = procedure_outcomes.c.procedure.in_(page)
        gone["notes of practice"] += connection.execute(
            delete(procedure_outcomes).where(uses)
        ).rowcount
        dead = connection.execute(delete(procedures).where(procedures.c.key.in_(page)))
        gone["procedures"] += dead.rowcount
    return gone


def _blanked(connection: Connection, doomed: Doomed) -> set[str]:
    """The turns some words of which are blanked."""
    return {
        turn
        for page in pages(doomed.spans)
        for turn in connection.execute(
            select(messages.c.turn).where(messages.c.id.in_(page))
        ).scalars()
    }


def _add_descriptions(connection: Connection, doomed: Doomed) -> None:
    for page in pages(doomed.procedures):
        named = select(procedures).where(procedures.c.key.in_(page))
        for row in connection.execute(named).all():
            here = and_(
                memories.c.form == Form.SKILL,
                memories.c.facet == row.name,
                or_(
                    memories.c.scope_id == row.scope_id,
                    memories.c.scope_id == row.author,
                ),
            )
            found = connection.execute(select(memories.c.id).where(here)).scalars()
            doomed.memories |= set(found)
