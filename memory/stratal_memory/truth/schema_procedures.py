"""The tables of stored procedures: their versions, what became of them, and what they rest on."""

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
)

from stratal_memory.truth.schema import Utc, metadata

# One row a version. Only what stands under "decided" ever changes: text and digest never do.
procedures = Table(
    "procedures",
    metadata,
    Column("key", Text, primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("scope_kind", String(10), nullable=False),
    Column("scope_id", Text, nullable=False),
    Column("agent", Text, nullable=False, default=""),  # empty: all agents of the scope
    Column("name", Text, nullable=False),
    Column("text", Text, nullable=False),  # of a SKILL.md
    Column("digest", Text, nullable=False),  # SHA-256 of the text in UTF-8, in hex
    Column("origin", String(10), nullable=False),  # learned or written
    Column("author", Text, nullable=False),  # the user who wrote it; of a learned one, whose turns
    Column("signature", Text, nullable=False, default=""),
    Column("evidence", Text, nullable=False, default="[]"),  # JSON: ids of turns
    Column("recorded_at", Utc, nullable=False),
    # decided
    Column("state", String(10), nullable=False),
    Column("why", Text, nullable=False, default=""),  # of its state: a person's note, or a reason
    Column("approved_by", Text, nullable=False, default=""),
    Column("approved_at", Utc),
    Column("retired_at", Utc),  # when a newer version took its place
    Index(None, "scope_kind", "scope_id", "state"),
)

# One row a turn into which a stored procedure was put.
procedure_outcomes = Table(
    "procedure_outcomes",
    metadata,
    Column("turn", ForeignKey("turns.id"), primary_key=True),
    Column("procedure", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("outcome", String(10), nullable=False),  # pending until the user's next message
    Column("why", Text, nullable=False),
    Column("at", Utc, nullable=False),
    Index(None, "procedure", "version"),
    Index(None, "outcome"),
)

# One row a turn of several tool calls. What was said and given stays in the messages.
procedure_episodes = Table(
    "procedure_episodes",
    metadata,
    Column("turn", ForeignKey("turns.id"), primary_key=True),
    Column("tools", Text, nullable=False),  # their names in order
    Column("signature", Text, nullable=False),  # of the bucket it fell in
    Column("steps", Text, nullable=False),  # JSON: tools, argument names and types; no values
    Column("ok", Boolean),  # empty until the user's next message
    Column("why", Text, nullable=False, default=""),
    Column("at", Utc, nullable=False),
    Index(None, "tools"),
    Index(None, "signature"),
    Index(None, "ok"),
)
