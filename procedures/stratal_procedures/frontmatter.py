"""The YAML head of a `SKILL.md`: split from the text, and its fields read with their types."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from stratal_procedures import yaml_text
from stratal_procedures.errors import SkillError

Built = TypeVar("Built")
Other = TypeVar("Other")
MAX_HEADER = 32_000  # characters
MAX_ENTRIES = 200  # items of one list

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_FENCE = re.compile(r"^---[ \t]*$", re.MULTILINE)
_TRUE, _FALSE = {"true", "yes", "on"}, {"false", "no", "off"}
_EMPTY = {"", "~", "null"}


def split(text: str, *, file: Path) -> tuple[str, str]:
    """The YAML between the first two `---` lines, and the text after them without outer blanks."""
    fences = list(_FENCE.finditer(text))
    if not fences or text[: fences[0].start()].strip():
        raise SkillError(
            "the file does not begin with it",
            file=file,
            field="frontmatter",
            hint="Begin with a line ---, then name: and description:, then a line ---.",
        )
    if len(fences) < 2:
        raise SkillError(
            "it is never closed",
            file=file,
            field="frontmatter",
            hint="Put a line --- after the last field.",
        )
    return text[fences[0].end() : fences[1].start()], text[fences[1].end() :].strip()


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of one YAML mapping; every reader raises `SkillError` on a wrong type.

    `warnings` grows with what was passed over.
    """

    values: Mapping[str, object]
    file: Path
    inside: str = ""  # "steps[2]" for an entry of a list
    warnings: list[str] = field(default_factory=list[str])

    @classmethod
    def read(cls, header: str, *, file: Path) -> "Fields":
        """The fields in YAML text, or in what is nearly that; see `yaml_text.read`."""
        if len(header) > MAX_HEADER:
            raise SkillError(
                f"it has {len(header):,} characters, {MAX_HEADER:,} are allowed",
                file=file,
                field="frontmatter",
                hint="Keep fields short and write the rest below the second ---.",
            )
        try:
            found = yaml_text.read(header)
        except yaml_text.NotYaml as error:
            raise SkillError(
                f"it is not YAML: {error}",
                file=file,
                field="frontmatter",
                hint='Put text that holds ": " or begins with [ { * & ! in quotes.',
            ) from error
        if not found.values:
            raise SkillError(
                "it holds no fields",
                file=file,
                field="frontmatter",
                hint="Write name: and description: in it.",
            )
        made = cls(found.values, file)
        made.warnings.extend(f"{name}: it is not YAML; taken as text" for name in found.mended)
        return made

    def warn(self, field: str, problem: str) -> None:
        """Note what is odd and stops nothing."""
        self.warnings.append(f"{field}: {problem}")

    def lenient(self, reader: Callable[[], Built], default: Other) -> Built | Other:
        """What `reader` gives, or `default` with a warning: other products mean other things."""
        try:
            return reader()
        except SkillError as error:
            self.warn(error.field, f"{error.problem}; it is passed over")
            return default

    def error(self, field: str, problem: str, hint: str) -> SkillError:
        """The error to raise about `field`."""
        where = f"{self.inside}.{field}" if self.inside else field
        return SkillError(problem, file=self.file, field=where, hint=hint)

    def line(self, field: str, *, longest: int, default: str | None = None) -> str:
        """A text as one line of at most `longest` characters; required without a `default`."""
        value = self.values.get(field, "")
        if not isinstance(value, str):
            raise self.error(
                field, f"it is a {_kind(value)}, not a text", f"Write {field}: some text."
            )
        text = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", " ".join(value.split()))
        if text.lower() in _EMPTY:
            if default is None:
                raise self.error(field, "it is missing or empty", f"Write {field}: some text.")
            return default
        if len(text) > longest:
            raise self.error(
                field,
                f"it has {len(text):,} characters, {longest:,} are allowed",
                "Shorten it; details belong below the second ---.",
            )
        return text

    def flag(self, field: str, *, default: bool) -> bool:
        """A yes or no."""
        text = self.line(field, longest=40, default=str(default)).lower()
        if text not in _TRUE | _FALSE:
            raise self.error(field, f"{text!r} is neither true nor false", f"Write {field}: true.")
        return text in _TRUE

    def whole(self, field: str) -> int:
        """A whole number, 0 when it is missing."""
        text = self.line(field, longest=40, default="0")
        if not re.fullmatch(r"[+-]?[0-9]{1,6}", text):
            raise self.error(field, f"{text!r} is not a whole number", f"Write {field}: 0.")
        return int(text)

    def lines(self, field: str) -> tuple[str, ...]:
        """A list of texts; one text alone is a list of one."""
        found: list[str] = []
        for value in self._list(field):
            if not isinstance(value, str) or not value.strip():
                raise self.error(
                    field, f"it holds a {_kind(value)}, not a text", f"Write {field}: [one, two]."
                )
            found.append(value.strip())
        return tuple(found)

    def entries(self, field: str, *, main: str) -> Iterator["Fields"]:
        """A list of mappings; a text stands for a mapping that has only the field `main`."""
        for number, value in enumerate(self._list(field), 1):
            inside = f"{field}[{number}]"
            if isinstance(value, str):
                yield Fields({main: value}, self.file, inside)
            elif isinstance(value, Mapping):
                yield Fields({str(key): each for key, each in value.items()}, self.file, inside)
            else:
                raise self.error(
                    field, f"entry {number} is a {_kind(value)}", f"Write `- {main}: some text`."
                )

    def pairs(self, field: str) -> tuple[tuple[str, str], ...]:
        """A mapping of texts, in the order written; what is nested in it is on one line."""
        value = self.values.get(field, {})
        if isinstance(value, str) and value.lower() in _EMPTY:
            return ()
        if not isinstance(value, Mapping):
            raise self.error(field, f"it is a {_kind(value)}", f"Write {field}: {{name: value}}.")
        return tuple((str(key), yaml_text.as_text(each)) for key, each in value.items())

    def _list(self, field: str) -> list[object]:
        value = self.values.get(field, [])
        if isinstance(value, str):
            return [] if value.lower() in _EMPTY else [value]
        if not isinstance(value, list):
            raise self.error(field, f"it is a {_kind(value)}, not a list", f"Write {field}: [one].")
        if len(value) > MAX_ENTRIES:
            raise self.error(
                field, f"it has {len(value)} entries, {MAX_ENTRIES} are allowed", "Use fewer."
            )
        return list(value)


def _kind(value: object) -> str:
    if isinstance(value, str):
        return "blank"
    return "list" if isinstance(value, list) else "mapping"
