"""Skills: which there are, what stands in one, what was said of it, and which fits a message."""

from datetime import datetime
from pathlib import Path

from stratal.cli.shapes.base import Shape


class LearnedShape(Shape):
    """A version of a learned skill: its uses since it was approved, and the rate it has proven.

    `good` and `bad` are the uses whose end is known; `needed` of them prove it if all further
    ones are good. `bound` is the rate of success that is all but certain, 0..1.
    """

    key: str
    version: int
    uses: int
    good: int
    bad: int
    needed: int
    bound: float
    why: str


class SkillShape(Shape):
    """A skill, where it comes from, whether it is used, and the namesake that hides it, if any.

    `learned` is null for a skill of a folder.
    """

    name: str
    description: str
    origin: str
    state: str
    folder: Path
    triggers: tuple[str, ...]
    tags: tuple[str, ...]
    version: str
    priority: int
    enabled: bool
    hidden_by: Path | None
    learned: LearnedShape | None
    warnings: tuple[str, ...]


class SkillList(Shape):
    """The skills of all folders and the learned ones, and what can't be read."""

    skills: tuple[SkillShape, ...]
    problems: tuple[str, ...]


class FileShape(Shape):
    """A file of a skill; the text is null for what is no text."""

    path: str
    item: str
    size: int
    digest: str
    text: str | None


class SkillShown(Shape):
    """A skill, what the model is told to do, and every byte of it by its digest."""

    skill: SkillShape
    digest: str
    instructions: str
    license: str
    compatibility: str
    allowed_tools: tuple[str, ...]
    metadata: dict[str, str]
    extra: dict[str, str]
    files: tuple[FileShape, ...]
    problem: str


class SkillMatch(Shape):
    """A skill that was considered."""

    name: str
    score: float
    why: str


class SkillPassedOver(Shape):
    """A skill out of use that a trigger would have brought."""

    name: str
    state: str
    why: str


class SkillTest(Shape):
    """The skill that would be injected for a message; null when none fits, `note` says why."""

    match: SkillMatch | None
    threshold: float
    candidates: tuple[SkillMatch, ...]
    waiting: tuple[str, ...]
    out_of_use: tuple[SkillPassedOver, ...]
    note: str


class SkillAdded(Shape):
    """A skill that was put into the user's folder."""

    name: str
    folder: Path
    digest: str
    files: int
    replaced: bool
    warnings: tuple[str, ...]


class SkillsAdded(Shape):
    """What was added, and why others were not."""

    added: tuple[SkillAdded, ...]
    problems: tuple[str, ...]


class SkillDecided(Shape):
    """A person's word on a skill."""

    name: str
    verdict: str
    digest: str
    note: str


class SkillEvent(Shape):
    """One line of the history of skills; `version` is 0 for a skill of a folder."""

    at: datetime
    name: str
    version: int
    what: str
    by: str
    digest: str
    note: str
    where: str


class SkillHistory(Shape):
    """What was said of skills, newest first."""

    events: tuple[SkillEvent, ...]


class SkillExported(Shape):
    """Where a copy of a skill lies now."""

    name: str
    folder: Path
