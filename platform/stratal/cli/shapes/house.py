"""Skills, settings and health."""

from pathlib import Path

from pydantic import JsonValue

from stratal.cli.shapes.base import Shape


class SkillShape(Shape):
    """A skill, where it comes from, and the folder of the namesake that hides it, if any."""

    name: str
    description: str
    origin: str
    folder: Path
    triggers: tuple[str, ...]
    tags: tuple[str, ...]
    version: str
    priority: int
    enabled: bool
    hidden_by: Path | None


class SkillList(Shape):
    """The skills of all folders, and those that can't be read."""

    skills: tuple[SkillShape, ...]
    problems: tuple[str, ...]


class SkillShown(Shape):
    """A skill and what the model is told to do."""

    skill: SkillShape
    instructions: str


class SkillMatch(Shape):
    """A skill that was considered."""

    name: str
    score: float
    why: str


class SkillTest(Shape):
    """The skill that would be injected for a message; null when none fits."""

    match: SkillMatch | None
    candidates: tuple[SkillMatch, ...]


class Pulled(Shape):
    """Where the embedding model lies now."""

    path: Path


class SettingShape(Shape):
    """One setting in force and where it was set."""

    name: str
    value: JsonValue
    origin: str


class SettingList(Shape):
    """The settings in force; keys never appear."""

    settings: tuple[SettingShape, ...]


class CheckShape(Shape):
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    hint: str


class Checks(Shape):
    """The health of the house."""

    checks: tuple[CheckShape, ...]
