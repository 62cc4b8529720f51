"""The tables of the truth. Migrations follow them; a test compares the two."""

from datetime import UTC, datetime

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Utc(TypeDecorator[datetime]):
    """An aware time as fixed-width UTC text, so that order by text is order in time."""

    impl = String(27)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        """The text that is stored; a naive time is a programming error."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a time without a zone can't be stored: {value!r}")
        bare = value.astimezone(UTC).replace(tzinfo=None)
        return bare.isoformat(timespec="microseconds") + "Z"  # strftime pads no year before 1000

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        """The aware time in UTC."""
        return None if value is None else datetime.fromisoformat(value)


spaces = Table(
    "spaces",
    metadata,
    Column("kind", String(10), primary_key=True),  # project or org
    Column("id", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("created", Utc, nullable=False),
)

grants = Table(
    "grants",
    metadata,
    Column("kind", String(10), primary_key=True),
    Column("id", Text, primary_key=True),
    Column("user", Text, primary_key=True),
    Column("granted_by", Text, nullable=False),
    Column("created", Utc, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("user", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("title", Text, nullable=False, default=""),
    Column("started", Utc, nullable=False),
    Column("last_active", Utc, nullable=False),
    Column("episode_of", Utc),  # last_active at the time it was turned into an episode
    Column("lowest_read", String(10), nullable=False, default="system"),  # a Trust
    Column("parent", Text, nullable=False, default=""),  # of a sub-agent: where it was asked
    Index(None, "user", "agent", "last_active"),
)

turns = Table(
    "turns",
    metadata,
    Column("id", Text, primary_key=True),
    Column("session", ForeignKey("sessions.id"), nullable=False),
    Column("user", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("request_id", Text, nullable=False),
    Column("state", String(10), nullable=False),
    Column("model", Text, nullable=False),
    Column("owner", Text, nullable=False),  # the presence of the process that works on it
    Column("started", Utc, nullable=False),
    Column("ended", Utc),
    Column("ledger", Text),  # JSON of the last request of the turn
    Column("usage", Text),
    Column("first_seq", Integer),  # the row of its first message; none until there is one
    Column("attempt", Text),  # the beginning of an answer that was cut off; never the answer
    UniqueConstraint("user", "agent", "request_id"),
    Index(None, "session", "first_seq"),
    Index(None, "session", "state"),
)

messages = Table(
    "messages",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False, unique=True),
    Column("session", ForeignKey("sessions.id"), nullable=False),
    Column("turn", ForeignKey("turns.id"), nullable=False, index=True),
    Column("role", String(10), nullable=False),
    Column("text", Text, nullable=False),
    Column("content_hash", Text, nullable=False, default=""),
    Column("tool_calls", Text, nullable=False, default="[]"),
    Column("tool_call_id", Text, nullable=False, default=""),
    Column("tool_failed", Boolean, nullable=False, default=False),
    Column("reasoning", Text, nullable=False, default=""),
    Column("opaque", Text, nullable=False, default=""),
    Column("media", Text, nullable=False, default="[]"),
    Column("remembered", Boolean, nullable=False, default=False),  # searchable, or needs not be
    Column("created", Utc, nullable=False),
    Index(None, "session", "seq"),
    Index(None, "session", "content_hash"),
    Index(None, "remembered"),
    sqlite_autoincrement=True,
)

summaries = Table(
    "summaries",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False, unique=True),
    Column("session", ForeignKey("sessions.id"), nullable=False, index=True),
    Column("first_seq", Integer, nullable=False),  # where the first turn of the range began
    Column("last_seq", Integer, nullable=False),  # where its last turn began
    Column("text", Text, nullable=False),
    Column("method", Text, nullable=False, default="note"),
    Column("created", Utc, nullable=False),
    sqlite_autoincrement=True,
)

cuts = Table(
    "cuts",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("session", ForeignKey("sessions.id"), nullable=False, index=True),
    Column("after", Integer, nullable=False),
    Column("aged", Integer, nullable=False),
    Column("summary", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Utc, nullable=False),
    sqlite_autoincrement=True,
)

ledger_texts = Table(
    "ledger_texts",
    metadata,
    Column("session", ForeignKey("sessions.id"), primary_key=True),
    Column("digest", Text, primary_key=True),
    Column("text", LargeBinary, nullable=False),  # UTF-8 with lone surrogates: any text, exactly
)

calibrations = Table(
    "calibrations",
    metadata,
    Column("model", Text, primary_key=True),
    Column("counter", Text, primary_key=True),
    Column("values", Text, nullable=False),
    Column("updated", Utc, nullable=False),
)

documents = Table(
    "documents",
    metadata,
    Column("id", Text, primary_key=True),
    Column("scope_kind", String(10), nullable=False),
    Column("scope_id", Text, nullable=False),
    Column("added_by", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("format", Text, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("characters", Integer, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("chunks", Integer, nullable=False),
    Column("trust", String(10), nullable=False),
    Column("added", Utc, nullable=False),
    Column("retired", Utc),
    Column("root", Text, nullable=False, default=""),  # the folder or pattern it was found by
    Column("parent", Text, nullable=False, default=""),  # the document it lies in
    Column("version_of", Text, nullable=False, default=""),  # what an earlier version became
    Column("refused", Text, nullable=False, default="[]"),  # what in it could not be read
    Index(None, "scope_kind", "scope_id", "path"),
    Index(None, "scope_kind", "scope_id", "content_hash"),
    Index(None, "parent"),
    Index(None, "version_of"),
)

memories = Table(
    "memories",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False, unique=True),
    Column("key", Text, nullable=False, index=True),
    Column("version", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("text_hash", Text, nullable=False),
    Column("kind", String(12), nullable=False),
    Column("form", String(10), nullable=False),
    Column("scope_kind", String(10), nullable=False),
    Column("scope_id", Text, nullable=False),
    Column("agent", Text, nullable=False, default=""),
    Column("session", Text, nullable=False, default=""),
    Column("trust", String(10), nullable=False),
    Column("status", String(12), nullable=False),
    Column("confidence", Float, nullable=False),
    Column("support", Integer, nullable=False),
    Column("pinned", Boolean, nullable=False, default=False),
    Column("source", Text, nullable=False),
    Column("facet", Text, nullable=False, default=""),
    Column("value", Text, nullable=False, default=""),
    Column("supersedes", Text, nullable=False, default=""),
    Column("recorded_at", Utc, nullable=False),
    Column("retired_at", Utc),
    Column("valid_from", Utc, nullable=False),
    Column("valid_to", Utc),
    Index(None, "scope_kind", "scope_id", "status", "form"),
    Index(None, "scope_kind", "scope_id", "text_hash"),
    Index(None, "scope_kind", "scope_id", "facet"),
    # What is pinned is looked for at every recall; there is little of it.
    Index(
        "ix_memories_pinned",
        "scope_kind",
        "scope_id",
        "status",
        "form",
        sqlite_where=text("pinned = 1"),
    ),
    sqlite_autoincrement=True,
)

evidence = Table(
    "evidence",
    metadata,
    Column("memory", ForeignKey("memories.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("ref", Text, nullable=False, index=True),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("quote", Text, nullable=False),
    Column("at", Utc),  # empty: from when on the memory is true
    Column("trust", String(10), nullable=False, default=""),  # empty: the memory's
    Column("source", Text, nullable=False, default=""),  # empty: the memory's
)

chunks = Table(
    "chunks",  # where a passage stands; the same passage may stand in several documents
    metadata,
    Column("document", ForeignKey("documents.id"), primary_key=True),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("memory", ForeignKey("memories.id"), nullable=False, index=True),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("page", Integer, nullable=False),
    Column("heading", Text, nullable=False),
)

generations = Table(
    "generations",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False, unique=True),
    Column("dimension", Integer, nullable=False),
    Column("created", Utc, nullable=False),
    sqlite_autoincrement=True,
)

vectors = Table(
    "vectors",
    metadata,
    Column("memory", ForeignKey("memories.seq"), primary_key=True),
    Column("generation", ForeignKey("generations.number"), primary_key=True),
    Column("vector", LargeBinary, nullable=False),  # float32, little endian, unit length
)

outbox = Table(
    "outbox",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("memory", Integer, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("operation", String(6), nullable=False),  # upsert or delete
    sqlite_autoincrement=True,
)

events = Table(
    "events",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False, unique=True),
    Column("at", Utc, nullable=False),
    Column("kind", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("memory", Text, nullable=False, default=""),
    Column("key", Text, nullable=False, default="", index=True),
    Column("run", Text, nullable=False, default="", index=True),
    Column("detail", Text, nullable=False, default="[]"),
    Column("undone", Utc),
    Column("imported", Boolean, nullable=False, default=False),  # history only: never undone here
    Index(None, "user", "seq"),
    sqlite_autoincrement=True,
)

recalls = Table(
    "recalls",
    metadata,
    Column("turn", ForeignKey("turns.id"), primary_key=True),
    Column("memory", Text, primary_key=True),
    Column("score", Float, nullable=False),
    Column("outcome", String(10), nullable=False, default=""),  # empty: not known, or not shown
    Column("overlap", Float, nullable=False, default=0.0),  # with the answer, 0..1
    Column("decided_at", Utc),
    Index(None, "memory"),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("started", Utc, nullable=False),
    Column("ended", Utc),
    Column("undone", Utc),
    Column("report", Text, nullable=False, default="{}"),
    Column("agent", Text, nullable=False, default=""),
    Column("state", String(10), nullable=False, default="done"),  # done, open or paused
    Column("watermark", Integer, nullable=False, default=0),  # the last event it saw when it began
    Column("wake", Utc),  # when time alone gives the next run something to do
    Column("owner", Text, nullable=False, default=""),  # the presence of who works on it
    Column("lease_until", Utc),
    Column("fence", Integer, nullable=False, default=0),  # grows with each who takes it up
    Index(None, "user", "started"),
    # One run of a user and agent that is not over; a second dialect says its own `where`.
    Index(
        "uq_runs_unfinished",
        "user",
        "agent",
        unique=True,
        sqlite_where=text("state <> 'done'"),
    ),
)

state = Table(
    "state",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
