"""The names of the files that lie beside a `SKILL.md`."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from stratal_memory.text import storable
from stratal_procedures.bundle import Bundle, Item
from stratal_procedures.skill import FILE_NAME

MAX_LISTED = 100  # files named to a model
MAX_WALKED = 1_000  # files looked at
PASSED_OVER = frozenset({"node_modules", "__pycache__"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """Files of a skill by path with their bytes, and how many more there are."""

    files: tuple[tuple[str, int], ...] = ()
    more: int = 0


NO_FILES = Listed()


def of_bundle(bundle: Bundle) -> Listed:
    """The files of a bundle beside its `SKILL.md`; hidden ones are left out."""
    return _listed((one.path, one.size) for one in bundle.entries if one.item is Item.FILE)


def of_folder(folder: Path) -> Listed:
    """The same of a folder as it stands; what can't be looked into holds nothing."""
    return _listed(_walked(folder))


def _listed(every: Iterable[tuple[str, int]]) -> Listed:
    shown = sorted(one for one in every if not _is_passed_over(one[0]))
    kept = tuple((storable(path), size) for path, size in shown[:MAX_LISTED])
    return Listed(files=kept, more=len(shown) - len(kept))


def _walked(folder: Path) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in PASSED_OVER)
        for name in sorted(names):
            path = Path(here) / name
            if path.is_file() and not path.is_symlink():
                found.append((path.relative_to(folder).as_posix(), path.stat().st_size))
        if len(found) > MAX_WALKED:
            break
    return found


def _is_passed_over(path: str) -> bool:
    parts = PurePosixPath(path).parts
    hidden = any(part.startswith(".") or part in PASSED_OVER for part in parts)
    return hidden or path.casefold() == FILE_NAME.casefold()
