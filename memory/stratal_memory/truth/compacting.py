"""The database file rewritten without what was deleted from it."""

import sqlite3

from stratal_memory.errors import StorageError
from stratal_memory.truth.database import Database

_STATEMENTS = (
    "INSERT INTO full_text(full_text) VALUES ('optimize')",  # merges away deleted terms
    "VACUUM",
    "PRAGMA wal_checkpoint(TRUNCATE)",
)


def rewrite(database: Database) -> None:
    """Leave no deleted byte in the database's files; the caller holds the directory alone.

    Needs free disk about twice the size of the database: the new pages go through a temporary
    file and through the log. Raises `StorageError`; the database is as it was then.
    """
    database.engine.dispose()  # a reader of ours would keep the log from being cut
    connection = database.engine.raw_connection()
    try:
        for statement in _STATEMENTS:
            connection.cursor().execute(statement)
        busy = connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    except sqlite3.Error as error:
        raise StorageError(
            f"the database in {database.folder} can't be rewritten: {error}",
            hint="Free some disk space and run the erase again: it goes on where it stopped.",
        ) from error
    finally:
        connection.close()
    if busy:
        raise StorageError(
            f"the log of the database in {database.folder} is still being read",
            hint="Stop what reads it and run the erase again: it goes on where it stopped.",
        )
