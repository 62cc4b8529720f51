"""The one transaction of an erase: rows go, what rests on them goes or is made again."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from sqlalchemy import Connection, select

from stratal_memory.erase import accounts, derived, practice, quoting, removal
from stratal_memory.erase.doomed import Doomed, named, pages
from stratal_memory.erase.siblings import Sibling, add_siblings, known_by, staying, still_said
from stratal_memory.erase.target import Target, What
from stratal_memory.erase.traces import Traces, samples
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.text import terms
from stratal_memory.tiers.profile import Profile
from stratal_memory.truth import schema
from stratal_memory.truth.database import Database
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema_tools import todos

HEAD = 32  # bytes of a vector that are looked for
MOST = 20_000  # strings looked for in every file; of more, a spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasable:
    """What an erase finds before it begins."""

    counts: Counter[str]
    texts: tuple[str, ...]  # what is looked for in every file afterwards
    heads: tuple[bytes, ...]  # the first bytes of vectors
    left: tuple[Sibling, ...]  # what stays and still says it


def find(connection: Connection, target: Target) -> Doomed:
    """All rows that go for `target`, derived ones included; raises as `doomed.named` does."""
    doomed = named(connection, target)
    if target.siblings:
        add_siblings(connection, target, doomed)
    practice.add_procedures(connection, doomed)
    derived.follow(connection, doomed)
    return doomed


def look(connection: Connection, target: Target) -> Erasable:
    """What `target` would erase, changing nothing."""
    doomed = find(connection, target)
    counts = _counted(connection, doomed)
    texts = _spread(list(dict.fromkeys(_texts(connection, doomed))))
    looked = dict.fromkeys(part for text in texts for part in samples(text))
    for text in texts:
        looked.update(dict.fromkeys(samples(" ".join(terms(text)))))  # as full text keeps it
    strings = tuple(_spread(list(looked)))
    left = tuple(still_said(connection, target, doomed))
    heads = _heads(connection, doomed)
    return Erasable(counts=counts, texts=strings, heads=heads, left=left)


def _spread(texts: list[str]) -> list[str]:
    """At most 20,000 of them, evenly."""
    return texts[:: max(1, -(-len(texts) // MOST))]


def _counted(connection: Connection, doomed: Doomed) -> Counter[str]:
    counts = Counter[str]()
    table = schema.memories
    for page in pages(doomed.memories):
        found = connection.execute(select(table.c.form).where(table.c.id.in_(page)))
        counts.update(f"{form} memories" for form in found.scalars())
    counts["sessions"] = len(doomed.sessions)
    counts["turns"] = len(doomed.turns)
    counts["messages"] = len(doomed.messages)
    counts["documents"] = len(doomed.documents)
    counts["procedures"] = len(doomed.procedures)
    counts["messages blanked in part"] = len(doomed.spans.keys() - doomed.messages)
    counts["facts made again without it"] = len(doomed.weakened)
    return +counts


def _texts(connection: Connection, doomed: Doomed) -> Iterator[str]:
    """Every text that goes."""
    kept = (
        (schema.memories, "id", doomed.memories, ("text",)),
        (schema.evidence, "memory", doomed.memories, ("quote",)),
        (schema.messages, "id", doomed.messages, ("text", "reasoning", "opaque", "tool_calls")),
        (schema.summaries, "session", doomed.sessions, ("text",)),
        (schema.cuts, "session", doomed.sessions, ("summary",)),
        (schema.sessions, "id", doomed.sessions, ("title",)),
        (todos, "session", doomed.sessions, ("text",)),
        (schema.documents, "id", doomed.documents, ("title", "path")),
    )
    for table, by, ids, names in kept:
        columns = [table.c[name] for name in names]
        for page in pages(ids):
            for row in connection.execute(select(*columns).where(table.c[by].in_(page))):
                yield from row
    yield from practice.texts(connection, doomed)
    m = schema.messages.c
    for id, spans in doomed.spans.items():
        said = connection.execute(select(m.text).where(m.id == id)).scalar_one()
        yield from (said[start:end] for start, end in spans)


def _heads(connection: Connection, doomed: Doomed) -> tuple[bytes, ...]:
    found: list[bytes] = []
    v, table = schema.vectors.c, schema.memories.c
    for page in pages(doomed.memories):
        query = select(v.vector).join(schema.memories, table.seq == v.memory)
        blobs = connection.execute(query.where(table.id.in_(page))).scalars()
        found += [bytes(blob[:HEAD]) for blob in blobs if any(blob[:HEAD])]
    step = max(1, -(-len(found) // MOST))
    return tuple(found[::step])


def erase_rows(
    database: Database, target: Target, *, at: datetime
) -> tuple[Counter[str], list[Sibling]]:
    """What went, by kind and count, and what stays and still says it.

    All of it in one transaction, gone from every read at once.
    """
    with database.write() as connection:
        doomed = find(connection, target)
        left, known = still_said(connection, target, doomed), known_by(connection, doomed)
        said = list(dict.fromkeys(_texts(connection, doomed)))
        users = removal.profiles_of(connection, doomed)
        supersedes = _supersedes(connection, doomed)
        sessions = _quoting_sessions(connection, doomed, target)
        turns = _later_turns(connection, doomed)
        parts = quoting.pieces(said)
        parts -= quoting.known_elsewhere(connection, parts, doomed)
        traces = Traces(part.encode() for part in parts)
        digests = _digests(connection, doomed)
        quoting.add_quotes(connection, doomed, traces, sessions)
        practice.add_quoting(connection, doomed, traces, {target.principal.user})
        quoted = quoting.drop_todos(connection, traces, sessions)
        attempts = quoting.drop_attempts(connection, traces, sessions)
        needles = parts | set(derived.remake(connection, doomed)) | doomed.memories | digests
        ledgers = accounts.blank_ledgers(
            connection, sessions=sessions, turns=turns, needles=needles
        )
        derived.follow(connection, doomed)  # episodes of messages in which quotes were found
        gone = removal.remove(connection, doomed)
        gone["ledgers blanked"] += ledgers
        gone["todos"] += quoted
        gone["attempts at an answer"] += attempts
        gone["messages blanked in part"] += quoting.blank_messages(connection, doomed)
        speakers = _speakers(connection, sessions) | users | {target.principal.user} - {doomed.user}
        gone["events"] += quoting.blank_log(connection, sorted(speakers), traces, _refusals(said))
        derived.reopen(connection, doomed, supersedes)
        gone["facts made again without it"] += len(doomed.weakened)
        _rebuild_profiles(database, connection, users, at=at)
        left = staying(connection, left, known)
    return +gone, left


def _supersedes(connection: Connection, doomed: Doomed) -> dict[str, str]:
    table = schema.memories.c
    return {
        row.id: row.supersedes
        for page in pages(doomed.memories)
        for row in connection.execute(
            select(table.id, table.supersedes).where(table.id.in_(page), table.supersedes != "")
        )
    }


def _quoting_sessions(connection: Connection, doomed: Doomed, target: Target) -> set[str]:
    """Conversations that stay and may quote: where it was recalled or said; the asker's own."""
    found: set[str] = set()
    r, t, m = schema.recalls.c, schema.turns.c, schema.messages.c
    for page in pages(doomed.memories):
        recalled = select(t.session).join(schema.recalls, r.turn == t.id).where(r.memory.in_(page))
        found |= set(connection.execute(recalled.distinct()).scalars())
    for page in pages(doomed.spans):
        found |= set(connection.execute(select(m.session).where(m.id.in_(page))).scalars())
    if target.what is not What.USER:
        s = schema.sessions.c
        mine = select(s.id).where(s.user == target.principal.user)
        found |= set(connection.execute(mine).scalars())
    return found - doomed.sessions


def _later_turns(connection: Connection, doomed: Doomed) -> set[str]:
    """Turns whose request showed what goes: those that recalled it, and those said after it."""
    t, m, r = schema.turns.c, schema.messages.c, schema.recalls.c
    found: set[str] = set()
    for page in pages(doomed.memories):
        found |= set(connection.execute(select(r.turn).where(r.memory.in_(page))).scalars())
    for page in pages({*doomed.messages, *doomed.spans}):
        began = (
            select(t.session, t.first_seq)
            .join(schema.messages, m.turn == t.id)
            .where(m.id.in_(page))
        )
        for session, seq in connection.execute(began.distinct()).all():
            if session not in doomed.sessions:
                later = select(t.id).where(t.session == session, t.first_seq >= seq)
                found |= set(connection.execute(later).scalars())
    return found - doomed.turns


def _digests(connection: Connection, doomed: Doomed) -> set[str]:
    m = schema.messages.c
    return {
        digest
        for page in pages({*doomed.messages, *doomed.spans})
        for digest in connection.execute(select(m.content_hash).where(m.id.in_(page))).scalars()
        if digest
    }


def _speakers(connection: Connection, sessions: Iterable[str]) -> set[str]:
    s = schema.sessions.c
    return {
        user
        for page in pages(set(sessions))
        for user in connection.execute(select(s.user).where(s.id.in_(page))).scalars()
    }


def _refusals(said: Iterable[str]) -> Callable[[str], bool]:
    """Whether a refused candidate may have been drawn from what goes: it has no other words."""

    @cache
    def known() -> list[frozenset[str]]:  # read when the first one asks: there may be none
        return [words for words in (frozenset(terms(text)) for text in said) if words]

    def refused(text: str) -> bool:
        words = frozenset(terms(text)) - {"user"}
        return bool(words) and any(words <= one for one in known())

    return refused


def _rebuild_profiles(
    database: Database, connection: Connection, users: Iterable[str], *, at: datetime
) -> None:
    for user in sorted(users):
        store = Store.open(database, Principal(user=user))
        Profile(store).rebuild(Journal(connection=connection, user=user, at=at))
