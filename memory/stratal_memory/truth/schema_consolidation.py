"""The tables of consolidation: how far a run came, what it changed, what waits for a person."""

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, String, Table, Text

from stratal_memory.truth.schema import Utc, metadata

run_steps = Table(
    "run_steps",  # the steps of a run that are over; gone once the run is
    metadata,
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("step", Text, nullable=False),  # JSON of the step's report
)

run_changes = Table(
    "run_changes",  # each in the transaction that made it; gone once the run's report holds them
    metadata,
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("change", Text, nullable=False),  # JSON
)

held = Table(
    "held",  # changes that a person decides on
    metadata,
    Column("id", Text, primary_key=True),
    Column("run", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("step", Text, nullable=False),
    Column("operation", Text, nullable=False),  # JSON
    Column("change", Text, nullable=False),  # JSON: what accepting it would do
    Column("risk", Text, nullable=False),
    Column("at", Utc, nullable=False),
    Column("decided", Utc),
    Column("decision", String(10), nullable=False, default=""),  # accepted, rejected or gone
    Index(None, "user", "decision"),
)

spending = Table(
    "spending",  # what consolidation spent at models for a user on one day, UTC
    metadata,
    Column("user", Text, primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("calls", Integer, nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("usd", Float, nullable=False),
)
