"""The derived index without what was erased, in a new folder."""

import shutil

from sqlalchemy import delete, select

from stratal_memory.erase.target import EraseFailed
from stratal_memory.index.door import FOLDER, Door
from stratal_memory.truth import generations
from stratal_memory.truth.database import Database
from stratal_memory.truth.outbox import DELETE
from stratal_memory.truth.schema import outbox, state


def renew(database: Database) -> None:
    """Chroma in a new folder without the erased vectors, the old folders removed."""
    root = database.folder / FOLDER
    folders = [path for path in root.glob("*") if path.is_dir()]
    with database.write() as connection:
        served = generations.serving(connection)
        if not folders or served is None:
            connection.execute(delete(outbox).where(outbox.c.operation == DELETE))
    if folders and served is not None:
        _rebuild(database, generation=served.number)
    kept = _current(database)
    for path in folders:
        if served is None or path.name != kept:
            shutil.rmtree(path, ignore_errors=True)
    left = [path.name for path in folders if path.exists() and path.name != kept]
    if left:
        raise EraseFailed(
            f"the old index {root / left[0]} can't be removed",
            hint="Let it be written to and run the erase again: it goes on where it stopped.",
        )


def _rebuild(database: Database, *, generation: int) -> None:
    before = _current(database)
    door = Door(database, generation=generation)
    try:
        door.rebuild()
    finally:
        door.close()
    if _current(database) == before:
        raise EraseFailed(
            "the index is in use by another part of this program",
            hint="Close its stores and run the erase again: it goes on where it stopped.",
        )


def _current(database: Database) -> str:
    with database.read() as connection:
        found = connection.execute(select(state.c.value).where(state.c.name == "index.folder"))
        return found.scalar() or "1"
