"""The table of what the tools keep: the to-do lists of conversations."""

from sqlalchemy import Column, ForeignKey, Integer, String, Table, Text

from stratal_memory.truth.schema import Utc, metadata

todos = Table(
    "todos",
    metadata,
    Column("session", ForeignKey("sessions.id"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("text", Text, nullable=False),
    Column("state", String(10), nullable=False),
    Column("at", Utc, nullable=False),
)
