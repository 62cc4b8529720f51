"""The table of usefulness: what the log of recalls comes to, for each user and memory.

It can be counted anew from the log at any time; the log stands in `recalls`.
"""

from sqlalchemy import Column, Integer, Table, Text

from stratal_memory.truth.schema import metadata

usefulness = Table(
    "usefulness",
    metadata,
    Column("user", Text, primary_key=True),  # whose turns: what one user does ranks for nobody else
    Column("key", Text, primary_key=True),  # of a memory, over all its versions
    Column("used", Integer, nullable=False, default=0),
    Column("ignored", Integer, nullable=False, default=0),
    Column("corrected", Integer, nullable=False, default=0),
    Column("wrong", Text, nullable=False, default=""),  # the version `corrected` speaks of
    # What the confidence of the memory was moved by already.
    Column("fed_used", Integer, nullable=False, default=0),
    Column("fed_corrected", Integer, nullable=False, default=0),
)
