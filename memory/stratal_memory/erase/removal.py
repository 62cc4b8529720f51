"""Doomed rows leave every table, in the order the tables lean on one another."""

from collections import Counter
from collections.abc import Collection

from sqlalchemy import Connection, Table, bindparam, delete, select, update

from stratal_memory.erase import practice
from stratal_memory.erase.doomed import Doomed, pages
from stratal_memory.records import Form
from stratal_memory.truth import (
    schema,
    schema_consolidation,
    schema_jobs,
    schema_usefulness,
    sqlite,
    usefulness,
)
from stratal_memory.truth.schema_skills import approvals
from stratal_memory.truth.schema_tools import todos

ERASED = "[erased]"

# Every table is dealt with here, in `quoting.py`, or holds nothing of anybody's; a test compares
# this with the schema, so that a new table can't be forgotten.
TABLES = {
    "sessions": "rows of the user or the source go",
    "todos": "rows go; those that quote go",
    "turns": "rows go; ledgers that quote are rewritten, attempts at an answer that quote go",
    "messages": "rows go; words in them are blanked",
    "summaries": "rows that cover an erased message go",
    "cuts": "rows that cover an erased message go",
    "ledger_texts": "rows that quote go",
    "memories": "rows go",
    "evidence": "rows go; quotes are blanked",
    "chunks": "rows go",
    "documents": "rows go",
    "vectors": "rows go",
    "outbox": "entries go; the index is built anew",
    "events": "rows of the memory go; words in others are replaced",
    "recalls": "rows go",
    "usefulness": "rows of the user or the memory go; the rest is counted anew",
    "runs": "rows of the user go; words in reports are replaced",
    "slots": "rows of the user go",
    "procedures": "those of the user and those drawn from what goes",
    "procedure_outcomes": "rows of the turns and of the procedures go",
    "procedure_episodes": "rows of the turns go",
    "approvals": "rows of the user go",
    "schedules": "rows of the user go",
    "pauses": "rows of the user go",
    "timers": "of jobs, not of users",
    "run_steps": "rows of the user's runs go",
    "run_changes": "rows of the user's runs go; words in others are replaced",
    "held": "rows of the user go; words in others are replaced",
    "spending": "rows of the user go",
    "spaces": "the user's go, or pass to a member",
    "grants": "the user's go",
    "calibrations": "of models, not of users",
    "generations": "of models, not of users",
    "state": "of the index, not of users",
}


def remove(connection: Connection, doomed: Doomed) -> Counter[str]:
    """How many rows went, by what they were."""
    gone: Counter[str] = Counter()
    told = _told_of(connection, doomed)
    _remove_memories(connection, doomed, gone)
    gone += practice.remove(connection, doomed)
    _remove_history(connection, doomed, gone)
    for user, keys in told.items():
        usefulness.recount(connection, user=user, keys=keys)
    for table, column in ((schema.chunks, "document"), (schema.events, "key")):
        _drop(connection, table, column, doomed.documents)
    _stand_elsewhere(connection, doomed)
    gone["documents"] += _drop(connection, schema.documents, "id", doomed.documents)
    if doomed.user:
        _remove_user(connection, doomed, gone)
    return gone


def _stand_elsewhere(connection: Connection, doomed: Doomed) -> None:
    """Passages that other documents hold rest on one of those now."""
    proof, place = schema.evidence, schema.chunks
    held = select(place.c.document).where(place.c.memory == proof.c.memory)
    other = held.order_by(place.c.document).limit(1).scalar_subquery()
    for page in pages(doomed.shared):
        here = proof.c.memory.in_(page)
        for gone in pages(doomed.documents):
            rested = here & proof.c.ref.in_(gone)
            connection.execute(update(proof).where(rested).values(ref=other))


def _told_of(connection: Connection, doomed: Doomed) -> dict[str, set[str]]:
    """The memories, by user, whose recalls go: what is known of their use rests on the rest."""
    log, spoken, table = schema.recalls.c, schema.turns.c, schema.memories.c
    found: dict[str, set[str]] = {}
    for column, ids in ((log.turn, doomed.turns), (log.memory, doomed.memories)):
        for page in pages(ids):
            rows = connection.execute(
                select(spoken.user, table.key)
                .join(schema.recalls, log.turn == spoken.id)
                .join(schema.memories, table.id == log.memory)
                .where(column.in_(page))
                .distinct()
            )
            for user, key in rows:
                found.setdefault(user, set()).add(key)
    return found


def _drop(connection: Connection, table: Table, column: str, ids: Collection[str]) -> int:
    return sum(
        connection.execute(delete(table).where(table.c[column].in_(page))).rowcount
        for page in pages(ids)
    )


def _remove_memories(connection: Connection, doomed: Doomed, gone: Counter[str]) -> None:
    table = schema.memories
    keys: set[str] = set()
    for page in pages(doomed.memories):
        here = table.c.id.in_(page)
        found = connection.execute(select(table.c.seq, table.c.key, table.c.form).where(here)).all()
        seqs = [row.seq for row in found]
        gone.update(f"{row.form} memories" for row in found)
        sqlite.remove_text(connection, seqs)
        dead = delete(schema.vectors).where(schema.vectors.c.memory.in_(seqs))
        gone["vectors"] += connection.execute(dead).rowcount
        connection.execute(delete(schema.outbox).where(schema.outbox.c.memory.in_(seqs)))
        for child in (schema.chunks, schema.evidence, schema.recalls):
            connection.execute(delete(child).where(child.c.memory.in_(page)))
        keys |= {row.key for row in found}
        connection.execute(delete(table).where(here))
    gone["events"] += _remove_events(connection, doomed.memories, keys)


def _remove_events(connection: Connection, ids: Collection[str], keys: set[str]) -> int:
    """Those of the versions that went, and those of keys that have no version left.

    One look through the log, whose memories have no index.
    """
    table, left = schema.events, schema.memories
    living: set[str] = set()
    for page in pages(keys):
        living |= set(connection.execute(select(left.c.key).where(left.c.key.in_(page))).scalars())
    ended = keys - living
    found = connection.execute(select(table.c.seq, table.c.memory, table.c.key))
    dead = [{"gone": seq} for seq, id, key in found if id in ids or key in ended]
    if dead:
        connection.execute(delete(table).where(table.c.seq == bindparam("gone")), dead)
    return len(dead)


def _remove_history(connection: Connection, doomed: Doomed, gone: Counter[str]) -> None:
    _remove_covering(connection, doomed, gone)
    gone["recalls"] += _drop(connection, schema.recalls, "turn", doomed.turns)
    for table in (schema.ledger_texts, schema.cuts, schema.summaries, todos):
        gone[table.name] += _drop(connection, table, "session", doomed.sessions)
    gone["messages"] += _drop(connection, schema.messages, "id", doomed.messages)
    gone["turns"] += _drop(connection, schema.turns, "id", doomed.turns)
    gone["sessions"] += _drop(connection, schema.sessions, "id", doomed.sessions)


def _remove_covering(connection: Connection, doomed: Doomed, gone: Counter[str]) -> None:
    """Summaries and cuts made of messages that go or are blanked: they are made anew.

    The session is no settled episode any more, so that the next consolidation tells it anew.
    """
    table = schema.messages
    for page in pages({*doomed.messages, *doomed.spans}):
        found = connection.execute(
            select(table.c.session, schema.turns.c.first_seq)
            .join(schema.turns, schema.turns.c.id == table.c.turn)
            .distinct()
            .where(table.c.id.in_(page))
        ).all()
        for session, began in found:
            if session in doomed.sessions:
                continue
            cover = (schema.summaries.c.first_seq <= began) & (schema.summaries.c.last_seq >= began)
            mine = schema.summaries.c.session == session
            dead = connection.execute(delete(schema.summaries).where(mine, cover))
            gone["summaries"] += dead.rowcount
            past = (schema.cuts.c.session == session) & (schema.cuts.c.after >= began)
            gone["cuts"] += connection.execute(delete(schema.cuts).where(past)).rowcount
            here = schema.sessions.c.id == session
            connection.execute(
                update(schema.sessions).where(here).values(episode_of=None, title="")
            )


def _remove_user(connection: Connection, doomed: Doomed, gone: Counter[str]) -> None:
    user = doomed.user
    gone["events"] += _of(connection, schema.events, user)
    runs = select(schema.runs.c.id).where(schema.runs.c.user == user)
    for table in (schema_consolidation.run_steps, schema_consolidation.run_changes):
        connection.execute(delete(table).where(table.c.run.in_(runs)))
    gone["held changes"] += _of(connection, schema_consolidation.held, user)
    _of(connection, schema_consolidation.spending, user)
    gone["runs"] += _of(connection, schema.runs, user)
    for table in (schema_jobs.slots, schema_jobs.schedules, schema_jobs.pauses):
        gone["job slots"] += _of(connection, table, user)
    gone["grants"] += _of(connection, schema.grants, user)
    gone["approvals"] += _of(connection, approvals, user)
    _of(connection, schema_usefulness.usefulness, user)
    for scope in doomed.spaces:
        here = (schema.spaces.c.kind == scope.kind) & (schema.spaces.c.id == scope.id)
        gone["spaces"] += connection.execute(delete(schema.spaces).where(here)).rowcount
    _pass_on(connection, user)
    for table, column in ((schema.documents, "added_by"), (schema.grants, "granted_by")):
        theirs = table.c[column] == user
        connection.execute(update(table).where(theirs).values({column: ERASED}))


def _of(connection: Connection, table: Table, user: str) -> int:
    return connection.execute(delete(table).where(table.c.user == user)).rowcount


def _pass_on(connection: Connection, user: str) -> None:
    """A project that others use goes on: it belongs to the first of them by name now."""
    table = schema.spaces
    for row in connection.execute(select(table).where(table.c.owner == user)).all():
        members = select(schema.grants.c.user).where(
            schema.grants.c.kind == row.kind, schema.grants.c.id == row.id
        )
        heir = connection.execute(members.order_by(schema.grants.c.user).limit(1)).scalar_one()
        here = (table.c.kind == row.kind) & (table.c.id == row.id)
        connection.execute(update(table).where(here).values(owner=heir))
        theirs = (schema.grants.c.kind == row.kind) & (schema.grants.c.id == row.id)
        connection.execute(delete(schema.grants).where(theirs, schema.grants.c.user == heir))


def profiles_of(connection: Connection, doomed: Doomed) -> set[str]:
    """The users, beside an erased one, whose profile rests on what goes."""
    table = schema.memories
    users: set[str] = set()
    for page in pages(doomed.memories):
        slot = (table.c.form == Form.SLOT) & table.c.id.in_(page)
        users |= set(connection.execute(select(table.c.scope_id).distinct().where(slot)).scalars())
    return users - {doomed.user}
