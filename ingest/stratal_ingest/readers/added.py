"""Readers that other packages add, by the entry point group `stratal.readers`.

A package names a reader for a file suffix in its `pyproject.toml`:

    [project.entry-points."stratal.readers"]
    abw = "my_package.abiword:AbiWordReader"
"""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import PurePath
from typing import cast

from stratal_ingest.readers.reader import Reader

GROUP = "stratal.readers"


@cache
def added() -> Mapping[str, EntryPoint]:
    """What installed packages add, by suffix without its dot; looked up once a process."""
    return {found.name.lower(): found for found in entry_points(group=GROUP)}


def added_reader(name: str) -> Reader | None:
    """The added reader for a file called `name`; None where no package has one.

    It comes before our own for its suffix. Raises what importing it raises.
    """
    found = added().get(PurePath(name).suffix.lower().removeprefix("."))
    if found is None:
        return None
    loaded = found.load()
    return cast(Reader, loaded() if isinstance(loaded, type) else loaded)
