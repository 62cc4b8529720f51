"""The table of what a person said to skills that others wrote."""

from sqlalchemy import Column, Index, Integer, String, Table, Text

from stratal_memory.truth.schema import Utc, metadata

approvals = Table(
    "approvals",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False, unique=True),
    Column("at", Utc, nullable=False),
    Column("user", Text, nullable=False),  # whose agents it holds for
    Column("name", Text, nullable=False),
    Column("folder", Text, nullable=False),
    Column("digest", Text, nullable=False),  # SHA-256 of all bytes below the folder, in hex
    Column("verdict", String(10), nullable=False),
    Column("note", Text, nullable=False, default=""),
    Column("by", Text, nullable=False),
    Index(None, "user", "seq"),
    sqlite_autoincrement=True,
)
