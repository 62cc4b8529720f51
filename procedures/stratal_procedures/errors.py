"""Errors of the skills room; the root of the tree is in `stratal_memory.errors`.

StratalError
└── SkillError    one skill could not be read; the others are
"""

from pathlib import Path

from stratal_memory.errors import StratalError


class SkillError(StratalError):
    """One `SKILL.md` can't be used. `file` is where, `field` is what, `hint` is the fix."""

    def __init__(self, problem: str, *, file: Path, field: str, hint: str) -> None:
        """`field` names a frontmatter field, `frontmatter`, `body` or `file`."""
        super().__init__(f"{file}: {field}: {problem}", hint=hint)
        self.problem = problem
        self.file = file
        self.field = field
