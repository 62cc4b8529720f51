"""What is SQLite's own: how a connection is set up, transactions, and full text by FTS5.

PostgreSQL gets a module of the same functions; callers never see SQL of a dialect.
"""

import hashlib
import json
import math
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Integer,
    Select,
    TableValuedAlias,
    Text,
    bindparam,
    column,
    create_engine,
    event,
    func,
    literal_column,
    select,
    table,
    text,
)
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

from stratal_memory.records import Scope
from stratal_memory.text import terms

BUSY_TIMEOUT = 10_000  # milliseconds a writer waits for another process's short write
JOURNAL_LIMIT = 64 * 1024 * 1024  # bytes the WAL file is cut back to after a checkpoint
FREE_ROWS = 200  # below this many rows no term is too common to search for
COMMON_SHARE = 0.10  # terms in more rows than this are dropped: 180 ms against 0.8 at 100k rows
MAX_TERMS = 24  # rarest terms kept of a long query
PAGE = 500  # terms of one IN (...) list

CACHE = 64 * 1024  # KiB of pages a connection keeps
MAPPED = 256 * 1024 * 1024  # bytes of the file that are read without copying

_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    f"busy_timeout = {BUSY_TIMEOUT}",
    f"journal_size_limit = {JOURNAL_LIMIT}",
    "secure_delete = ON",
    f"cache_size = -{CACHE}",
    f"mmap_size = {MAPPED}",
)

_FULL_TEXT = (
    # "ascii" splits at blanks and takes every other character as it is: `terms` has done the
    # rest, and unicode61 would fold accents, so that no term with one were found in the vocabulary.
    'CREATE VIRTUAL TABLE full_text USING fts5(owner, body, tokenize = "ascii")',
    "CREATE VIRTUAL TABLE full_text_terms USING fts5vocab(full_text, row)",
)


_JOIN = re.compile(r"(?<! OUTER) JOIN ")
_DIALECT = SQLiteDialect_pysqlite(paramstyle="named")
_LISTED, _AFTER = "listed_values", "after_this"


class Fault(StrEnum):
    """What SQLite's error code says went wrong, as far as a person can act on it."""

    FULL = "full"
    BUSY = "busy"
    DAMAGED = "damaged"
    OTHER = "other"


_FAULTS = {
    sqlite3.SQLITE_FULL: Fault.FULL,
    sqlite3.SQLITE_BUSY: Fault.BUSY,
    sqlite3.SQLITE_LOCKED: Fault.BUSY,
    sqlite3.SQLITE_CORRUPT: Fault.DAMAGED,
    sqlite3.SQLITE_NOTADB: Fault.DAMAGED,
}


def fault_of(error: DBAPIError) -> Fault:
    """The fault behind an error, by its code; its words name tables, so they tell nothing."""
    if isinstance(error.orig, sqlite3.Error):
        code = getattr(error.orig, "sqlite_errorcode", 0)
        return _FAULTS.get(code & 0xFF, Fault.OTHER)  # the low byte is the primary code
    return Fault.OTHER


def open_engine(path: Path) -> Engine:
    """An engine on the file at `path`; transactions begin as the caller's `write` option says."""
    engine = create_engine(
        f"sqlite:///{path}", connect_args={"timeout": BUSY_TIMEOUT / 1000}, hide_parameters=True
    )
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def _set_up(connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:
    assert isinstance(connection, sqlite3.Connection)
    connection.isolation_level = None  # we say BEGIN ourselves
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    write = connection.get_execution_options().get("write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


_INDEX_TEXT = text("INSERT INTO full_text(rowid, owner, body) VALUES (:seq, :owner, :body)")


class Prepared:
    """A query that is compiled once and run often: building it takes longer than the answer.

    For WHERE clauses of plain text and numbers; a list goes in through `listed`. Tables are read
    in the order they are joined in: SQLite knows no better how much a user has.
    """

    def __init__(self, query: Select[Any] | Select[Any, Any] | Select[Any, Any, Any]) -> None:
        made = query.compile(dialect=_DIALECT, compile_kwargs={"render_postcompile": True})
        self._sql = _JOIN.sub(" CROSS JOIN ", str(made))  # which is SQLite's word for it
        self._values = dict(made.params)

    def run(
        self, connection: Connection, listed: Sequence[int] | Sequence[str] = (), *, after: int = 0
    ) -> Sequence[tuple[Any, ...]]:
        """Its rows, as the database has them; `listed` is what `listed()` stands for."""
        values = {**self._values, _LISTED: json.dumps(listed), _AFTER: after}
        return connection.exec_driver_sql(self._sql, values).all()


def listed() -> TableValuedAlias:
    """What a `Prepared` is run with, as a table of one column `value`; to be joined first."""
    return func.json_each(bindparam(_LISTED, "[]", type_=Text)).table_valued("value")


def behind(column_: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether a column is larger than what a `Prepared` is run with.

    SQLite is told that it is of few rows: it begins with those, not with all a user has.
    """
    after = bindparam(_AFTER, 0, type_=Integer)
    return func.likelihood(column_ > after, literal_column("0.000001"))


def create_full_text(connection: Connection) -> None:
    """The full-text table and its view of term frequencies."""
    for statement in _FULL_TEXT:
        connection.exec_driver_sql(statement)


def owner_token(scope: Scope) -> str:
    """One full-text token that stands for a scope: filters inside the index, not after it."""
    return "o" + hashlib.sha256(str(scope).encode("utf-8", "replace")).hexdigest()[:24]


def index_text(connection: Connection, *, seq: int, scope: Scope, body: str) -> None:
    """Make the memory `seq` findable by the words of `body`."""
    connection.execute(
        _INDEX_TEXT,
        {"seq": seq, "owner": owner_token(scope), "body": " ".join(terms(body))},
    )


def index_texts(connection: Connection, found: Sequence[tuple[int, Scope, str]]) -> None:
    """Make memories findable: row number, scope and words of each."""
    rows = [
        {"seq": seq, "owner": owner_token(scope), "body": " ".join(terms(body))}
        for seq, scope, body in found
    ]
    if rows:
        connection.execute(_INDEX_TEXT, rows)


def terms_of(connection: Connection, seqs: Sequence[int]) -> dict[int, str]:
    """The indexed terms of these memories, divided by blanks, by row number."""
    if not seqs:
        return {}
    statement = text("SELECT rowid, body FROM full_text WHERE rowid IN :seqs").bindparams(
        bindparam("seqs", expanding=True)
    )
    found = connection.execute(statement, {"seqs": list(seqs)})
    return {row.rowid: row.body for row in found}


def remove_text(connection: Connection, seqs: Iterable[int]) -> None:
    """Take memories out of full text."""
    rows = [{"seq": seq} for seq in seqs]
    if rows:
        connection.execute(text("DELETE FROM full_text WHERE rowid = :seq"), rows)


@dataclass(frozen=True, slots=True, order=True)
class Stamp:
    """Where the truth stands: it moves on whenever a memory or a vector changes."""

    events: int  # numbers of the last rows written
    outbox: int
    memories: int
    schema: int  # raised by VACUUM too, with which every erase ends


_STAMP = (
    "SELECT name, seq FROM sqlite_sequence"
    " UNION ALL SELECT 'schema version', schema_version FROM pragma_schema_version"
)


def stamp(connection: Connection) -> Stamp:
    """Where the truth stands in this snapshot: every change leaves an event or an entry."""
    rows = connection.exec_driver_sql(_STAMP).all()
    found = {str(name): int(number) for name, number in rows}
    return Stamp(
        events=found.get("events", 0),
        outbox=found.get("outbox", 0),
        memories=found.get("memories", 0),
        schema=found["schema version"],
    )


def words_of(seq: ColumnElement[int]) -> ColumnElement[str | None]:
    """The indexed terms of the row `seq` of another table, divided by blanks; None without any."""
    stored = table("full_text_content", column("id", Integer), column("c1", Text))
    return select(stored.c.c1).where(stored.c.id == seq).scalar_subquery()


@dataclass(frozen=True, slots=True)
class TextMatch:
    """A memory that shares words with the query."""

    seq: int
    bm25: float  # higher is better
    matched: frozenset[str]  # the query terms it holds


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The terms a query is searched by, with how rare each is (natural-log idf)."""

    idf: dict[str, float]

    @property
    def total(self) -> float:
        """The idf of all of them together."""
        return sum(self.idf.values())


def query_terms(connection: Connection, query: str) -> QueryTerms:
    """The distinct terms of `query`, rarest first, with very common and surplus ones dropped.

    Terms that no row holds stay, as rare as one that a single row holds: they count against a
    candidate that can't match them, but no more than a word that is there.
    """
    wanted = list(dict.fromkeys(terms(query)))
    return _rarest(_rare_terms(connection, wanted), wanted)


def weighed_terms(held: Mapping[str, int], rows: int) -> QueryTerms:
    """The terms of a query as `query_terms` weighs them, where `held` of `rows` hold each."""
    return _rarest(_idfs(held, rows), list(held))


def rarity(connection: Connection, bodies: Sequence[str]) -> list[float]:
    """How much each text says: the total of what `query_terms` would keep of it.

    All at once: one look at the vocabulary for a message of twenty thousand sentences.
    """
    wanted = [list(dict.fromkeys(terms(body))) for body in bodies]
    idf = _rare_terms(connection, list({term for some in wanted for term in some}))
    return [_rarest(idf, some).total for some in wanted]


def _rarest(idf: dict[str, float], wanted: Sequence[str]) -> QueryTerms:
    held = sorted((term for term in wanted if term in idf), key=lambda term: -idf[term])
    return QueryTerms({term: idf[term] for term in held[:MAX_TERMS]})


def _rare_terms(connection: Connection, wanted: Sequence[str]) -> dict[str, float]:
    """The idf of those of `wanted` that are not too common to say anything."""
    if not wanted:
        return {}
    rows = connection.execute(text("SELECT count(*) FROM full_text_docsize")).scalar_one()
    statement = text("SELECT term, doc FROM full_text_terms WHERE term IN :terms").bindparams(
        bindparam("terms", expanding=True)
    )
    known: dict[str, int] = {}
    for start in range(0, len(wanted), PAGE):
        page = connection.execute(statement, {"terms": list(wanted[start : start + PAGE])})
        known |= {row.term: row.doc for row in page}
    return _idfs({term: known.get(term, 0) for term in wanted}, rows)


def _idfs(held: Mapping[str, int], rows: int) -> dict[str, float]:
    return {
        term: _idf(count, rows)
        for term, count in held.items()
        if rows < FREE_ROWS or count <= COMMON_SHARE * rows
    }


def _idf(held: int, rows: int) -> float:
    """BM25's inverse document frequency of a term that `held` of `rows` hold."""
    seen = max(held, 1)
    return math.log(1 + (max(rows, seen) - seen + 0.5) / (seen + 0.5))


def search_text(
    connection: Connection, *, query: QueryTerms, scopes: Sequence[Scope], limit: int
) -> list[TextMatch]:
    """The best `limit` rows by BM25 inside `scopes`, best first; a tie goes to the newer row."""
    if not query.idf or not scopes:
        return []
    owners = " OR ".join(owner_token(scope) for scope in scopes)
    words = " OR ".join(f'"{term}"' for term in query.idf)
    found = connection.execute(
        text(
            "SELECT rowid, -bm25(full_text, 0.0, 1.0) AS score, body FROM full_text"
            " WHERE full_text MATCH :match ORDER BY score DESC, rowid DESC LIMIT :limit"
        ),
        {"match": f"owner:({owners}) AND body:({words})", "limit": limit},
    )
    wanted = set(query.idf)
    return [
        TextMatch(seq, score, frozenset(wanted.intersection(body.split(" "))))
        for seq, score, body in found
    ]
