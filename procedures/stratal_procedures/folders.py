"""Which folders below a folder of skills hold one."""

from collections.abc import Iterator
from pathlib import Path

from stratal_procedures.errors import SkillError
from stratal_procedures.listing import PASSED_OVER
from stratal_procedures.skill import file_of

MAX_DEPTH = 4  # folders inside a folder of skills; some products group them
MAX_FOLDERS = 2_000  # looked at below one folder of skills


def folders_below(root: Path, problems: list[SkillError]) -> Iterator[Path]:
    """The folders that hold a `SKILL.md`, by path: `root` itself, its children, grouped ones.

    What can't be looked into is added to `problems`.
    """
    looked = 0
    waiting = [(root, 0)]
    while waiting:
        folder, depth = waiting.pop()
        looked += 1
        if looked > MAX_FOLDERS:
            problems.append(_too_many(root))
            return
        try:
            if not folder.is_dir():
                continue
            if file_of(folder).exists():
                yield folder
                continue
            inside = sorted(folder.iterdir(), reverse=True) if depth < MAX_DEPTH else []
        except OSError as error:
            problems.append(unreadable(folder, error))
            continue
        waiting += [(one, depth + 1) for one in inside if _may_hold_skills(one)]


def _may_hold_skills(path: Path) -> bool:
    return not path.name.startswith(".") and path.name not in PASSED_OVER and path.is_dir()


def unreadable(path: Path, error: OSError) -> SkillError:
    """The complaint about a folder that can't be looked into."""
    return SkillError(
        f"it can't be read: {error.strerror}",
        file=path,
        field="folder",
        hint="Check that it may be read by you.",
    )


def _too_many(root: Path) -> SkillError:
    return SkillError(
        f"it holds over {MAX_FOLDERS:,} folders; the rest is not looked at",
        file=root,
        field="folder",
        hint="Name the folder that holds the skills themselves.",
    )
