"""Alembic's entry: migrations run on the connection they are given, in its transaction."""

from alembic import context

from stratal_memory.truth.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
)
context.run_migrations()
