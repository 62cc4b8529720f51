"""The schema's version, and the way from an older one to today's."""

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from stratal_memory.errors import SchemaTooNew

HEAD = "0009"  # the newest revision under migrations/versions; a test compares
SCRIPTS = Path(__file__).parent / "migrations"


def schema_version(connection: Connection) -> str | None:
    """The revision the database was brought to; None when it is empty."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)


def is_current(engine: Engine) -> bool:
    """Whether the database has the newest schema; False when it must be migrated first.

    Raises `SchemaTooNew` when a newer Stratal wrote it.
    """
    with engine.connect() as connection:
        version = schema_version(connection)
    if version is not None and version > HEAD:
        raise SchemaTooNew(
            f"the database has schema {version}, this Stratal knows up to {HEAD}",
            hint="Update Stratal, or use another data directory.",
        )
    return version == HEAD


def upgrade(engine: Engine) -> None:
    """Migrate to `HEAD`, all of it or nothing; the caller holds the directory alone."""
    # Alembic takes 0.2 s to import and is needed once in a directory's life.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    with engine.connect() as connection:
        writing = connection.execution_options(write=True)
        with writing.begin():
            if schema_version(writing) == HEAD:  # another process was faster
                return
            config.attributes["connection"] = writing
            command.upgrade(config, "head")
