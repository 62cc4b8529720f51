"""The tables of the timer: due times, who works on them, how far all is planned, what is paused."""

from sqlalchemy import Column, Index, Integer, String, Table, Text, UniqueConstraint

from stratal_memory.truth.schema import Utc, metadata

slots = Table(
    "slots",  # one due time of a job for a user's agent, and what came of it
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("job", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("due", Utc, nullable=False),
    Column("state", String(10), nullable=False),  # waiting, running, done, failed or skipped
    Column("ready", Utc, nullable=False),  # no slice begins before
    Column("served", Utc, nullable=False),  # when the user last had a slice of anything
    Column("fence", Integer, nullable=False, default=0),  # grows with every claim
    Column("owner", Text, nullable=False, default=""),  # the presence of who works on it
    Column("lease_until", Utc),
    Column("attempts", Integer, nullable=False, default=0),  # that failed
    Column("slices", Integer, nullable=False, default=0),  # that ended with something left to do
    Column("started", Utc),
    Column("ended", Utc),
    Column("changes", Integer, nullable=False, default=0),
    Column("covers", Integer, nullable=False, default=1),  # due times; more only when skipped
    Column("run", Text, nullable=False, default=""),
    Column("outcome", Text, nullable=False, default=""),
    UniqueConstraint("job", "user", "agent", "due"),
    Index(None, "state", "served", "due"),  # the order they are claimed in
    Index(None, "user", "state"),
    Index(None, "due"),
    sqlite_autoincrement=True,  # an erased slot's number never comes back to who held it
)

schedules = Table(
    "schedules",  # how far the due times of a user's agent have become slots
    metadata,
    Column("user", Text, primary_key=True),
    Column("agent", Text, primary_key=True),
    Column("job", Text, primary_key=True),
    Column("planned_to", Utc, nullable=False),
    Column("served", Utc, nullable=False),
)

timers = Table(
    "timers",  # how far a job was planned for everybody
    metadata,
    Column("job", Text, primary_key=True),
    Column("since", Utc, nullable=False),  # first served then: nothing was due before
    Column("swept", Utc, nullable=False),
)

pauses = Table(
    "pauses",
    metadata,
    Column("job", Text, primary_key=True),
    Column("user", Text, primary_key=True),  # empty: everybody
    Column("since", Utc, nullable=False),
)
