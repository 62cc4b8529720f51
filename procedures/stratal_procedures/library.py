"""The skills of several folders, first folder first (Cs13)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from stratal_memory.errors import NotFound
from stratal_procedures.errors import SkillError
from stratal_procedures.skill import FILE_NAME, Skill, load


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFolder:
    """A folder of skill folders; `origin` is `user`, `project` or `built-in`, for people."""

    origin: str
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A skill and where it came from; `hidden_by` is the folder of its namesake that won."""

    skill: Skill
    origin: str
    hidden_by: Path | None = None


class Library:
    """What the folders held when it was made; make a new one to see changes.

    A folder that isn't there holds nothing. A skill that can't be read is in `problems`; the
    others work. A disabled skill still hides one of the same name: so a built-in one is switched
    off. Names are compared without case.
    """

    def __init__(self, folders: Sequence[SkillFolder]) -> None:
        """`folders` in order of precedence: user, project, built-in."""
        problems: list[SkillError] = []
        self.found: tuple[Found, ...] = tuple(_first_wins(_read(folders, problems)))
        self.problems: tuple[SkillError, ...] = tuple(problems)

    @property
    def skills(self) -> tuple[Skill, ...]:
        """The enabled skills that won, by folder and then by name of their own folder."""
        return tuple(
            found.skill for found in self.found if found.hidden_by is None and found.skill.enabled
        )

    @property
    def hidden(self) -> tuple[Found, ...]:
        """The skills that another of the same name hides."""
        return tuple(found for found in self.found if found.hidden_by is not None)

    def get(self, name: str) -> Skill:
        """The skill of that name, disabled or not; `NotFound` when there is none."""
        for found in self.found:
            if found.hidden_by is None and found.skill.name.casefold() == name.casefold():
                return found.skill
        known = ", ".join(sorted(skill.name for skill in self.skills)) or "none"
        raise NotFound(f"there is no skill {name!r}", hint=f"The skills are: {known}.")


def _read(folders: Iterable[SkillFolder], problems: list[SkillError]) -> Iterable[Found]:
    for folder in folders:
        try:
            paths = sorted(folder.path.iterdir()) if folder.path.is_dir() else []
        except OSError as error:
            problems.append(_unreadable(folder.path, error))
            continue
        for path in paths:
            try:
                if not path.name.startswith(".") and path.is_dir() and (path / FILE_NAME).exists():
                    yield Found(skill=load(path), origin=folder.origin)
            except SkillError as error:
                problems.append(error)
            except OSError as error:
                problems.append(_unreadable(path, error))


def _unreadable(path: Path, error: OSError) -> SkillError:
    return SkillError(
        f"it can't be read: {error.strerror}",
        file=path,
        field="folder",
        hint="Check that it may be read by you.",
    )


def _first_wins(all_found: Iterable[Found]) -> Iterable[Found]:
    winners: dict[str, Path] = {}
    for found in all_found:
        key = found.skill.name.casefold()
        if key in winners:
            yield replace(found, hidden_by=winners[key])
        else:
            winners[key] = found.skill.folder
            yield found
