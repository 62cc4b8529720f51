from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, text

from stratal_memory.errors import SchemaTooNew
from stratal_memory.truth import locks, migration
from stratal_memory.truth.database import Database
from stratal_memory.truth.schema import metadata
from tests.memory.worlds import World


def test_migrating_makes_exactly_the_tables_of_the_schema(world: World) -> None:
    def ours(item: object, name: str | None, kind: str, reflected: bool, other: object) -> bool:
        return not (kind == "table" and reflected and str(name).startswith("full_text"))

    with world.database.read() as connection:
        context = MigrationContext.configure(
            connection, opts={"include_object": ours, "compare_type": True}
        )
        difference = compare_metadata(context, metadata)

    assert difference == []


def test_head_is_the_newest_revision() -> None:
    scripts = ScriptDirectory(str(migration.SCRIPTS))

    assert scripts.get_heads() == [migration.HEAD]


def test_a_new_directory_has_the_newest_schema(world: World) -> None:
    with world.database.read() as connection:
        assert migration.schema_version(connection) == migration.HEAD
    assert migration.is_current(world.database.engine)


def test_what_a_newer_stratal_wrote_is_left_alone(tmp_path: Path) -> None:
    with Database.open(tmp_path) as database, database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(SchemaTooNew, match="schema 9999, this Stratal knows up to"):
        Database.open(tmp_path)

    assert not list((tmp_path / "open").glob("*.lock"))


def test_nobody_is_registered_while_the_schema_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two who open at once would else wait for each other: both must migrate alone."""
    present: list[list[Path]] = []

    def watched(engine: Engine) -> None:
        present.append(list((tmp_path / locks.OPEN_FOLDER).glob("*.lock")))
        migration.upgrade(engine)

    monkeypatch.setattr("stratal_memory.truth.database.upgrade", watched)
    Database.open(tmp_path).close()
    Database.open(tmp_path).close()

    assert present == [[]]
