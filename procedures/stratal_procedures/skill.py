"""One skill as its `SKILL.md` says it: frontmatter fields and the text below them."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from stratal_memory.errors import InputError
from stratal_procedures.errors import SkillError
from stratal_procedures.frontmatter import MAX_HEADER, Fields, split
from stratal_procedures.steps import (
    Parameter,
    Step,
    check_declared,
    parameters_of,
    sentence,
    steps_of,
)
from stratal_procedures.trigger import Trigger
from stratal_procedures.yaml_text import as_text

__all__ = ["Parameter", "Skill", "Step", "load", "parse"]

FILE_NAME = "SKILL.md"
MAX_BYTES = 256 * 1024
# The Agent Skills format's own limits in characters (agentskills.io/specification, 2026); products
# differ, so that what is over them is used all the same, with a warning.
NAME = 64
DESCRIPTION = 1_024
COMPATIBILITY = 500
MAX_NAME = 200
MAX_TRIGGERS = 50
OURS = frozenset(
    {
        *("name", "description", "license", "compatibility", "metadata", "allowed-tools"),
        *("triggers", "steps", "parameters", "tags", "version", "author", "priority", "enabled"),
        "disable-model-invocation",
    }
)

# Would end a head, a tag or a path where the name stands.
_NOT_IN_NAMES = frozenset('[]<>{}"\\`|\N{REPLACEMENT CHARACTER}')
_WELL_NAMED = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_TOOL = re.compile(r"(?:[^\s,(]|\([^)]*\)?)+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One procedure. `content_hash` is the SHA-256 of the file's bytes, in hex.

    `allowed_tools` are kept and shown; they grant nothing. `extra` are the fields of other
    products as they were written, `warnings` what is odd about it and stops nothing.
    """

    name: str
    description: str
    body: str
    folder: Path
    content_hash: str
    triggers: tuple[Trigger, ...] = ()
    steps: tuple[Step, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    tags: tuple[str, ...] = ()
    version: str = "1.0.0"
    author: str = ""
    priority: int = 0  # higher goes first (Zs6)
    enabled: bool = True
    automatic: bool = True  # False: only a person starts it, neither a match nor the model
    license: str = ""
    compatibility: str = ""
    metadata: tuple[tuple[str, str], ...] = ()
    allowed_tools: tuple[str, ...] = ()
    extra: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()

    def instructions(self) -> str:
        """What the model is to follow: the numbered steps, then the text below them."""
        lines = [f"{number}. {sentence(step)}" for number, step in enumerate(self.steps, 1)]
        return "\n\n".join(part for part in ("\n".join(lines), self.body) if part)


def load(path: Path) -> Skill:
    """The skill of a folder, or of one file, whatever its name.

    Raises `SkillError` naming the file, the field and the fix. What other products write is kept,
    so that their folders work unchanged.
    """
    named = path.name.casefold() == FILE_NAME.casefold()
    file = path if named or path.is_file() else file_of(path)
    return parse(_bytes(file), file=file)


def file_of(folder: Path) -> Path:
    """The `SKILL.md` of a folder, or its `skill.md`; it need not be there."""
    small = folder / FILE_NAME.lower()
    return small if not (folder / FILE_NAME).exists() and small.exists() else folder / FILE_NAME


def parse(content: bytes, *, file: Path) -> Skill:
    """The skill in the bytes of a `SKILL.md`; `file` names it in errors and gives the folder."""
    header, body = split(_text(content, file), file=file)
    fields = Fields.read(header, file=file)
    name = _name(fields)
    description = _description(fields)
    steps = steps_of(fields)
    parameters = (
        parameters_of(fields) if steps else fields.lenient(lambda: parameters_of(fields), ())
    )
    check_declared(steps, parameters, fields)
    if not steps and not body:
        raise fields.error("body", "there is nothing to do: no steps and no text", "Write steps.")
    metadata = fields.lenient(lambda: fields.pairs("metadata"), ())
    return Skill(
        name=name,
        description=description,
        body=body,
        folder=file.parent,
        content_hash=hashlib.sha256(content).hexdigest(),
        triggers=_triggers(fields),
        steps=steps,
        parameters=parameters,
        tags=fields.lenient(lambda: fields.lines("tags"), ()),
        version=_text_of(fields, "version") or dict(metadata).get("version", "1.0.0")[:MAX_NAME],
        author=_text_of(fields, "author") or dict(metadata).get("author", "")[:MAX_NAME],
        priority=fields.lenient(lambda: fields.whole("priority"), 0),
        enabled=fields.flag("enabled", default=True),
        automatic=not fields.lenient(
            lambda: fields.flag("disable-model-invocation", default=False), True
        ),
        license=_text_of(fields, "license"),
        compatibility=_text_of(fields, "compatibility", longest=COMPATIBILITY),
        metadata=metadata,
        allowed_tools=fields.lenient(lambda: _tools(fields), ()),
        extra=tuple((key, as_text(each)) for key, each in fields.values.items() if key not in OURS),
        warnings=tuple(fields.warnings),
    )


def _bytes(file: Path) -> bytes:
    try:
        if not file.is_file():
            raise SkillError(
                "there is no such file",
                file=file,
                field="file",
                hint=f"A skill is a folder that holds a {FILE_NAME}.",
            )
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise SkillError(
            f"it can't be read: {error.strerror}",
            file=file,
            field="file",
            hint="Check that it may be read by you.",
        ) from error
    if len(content) > MAX_BYTES:
        raise SkillError(
            f"it is over {MAX_BYTES // 1024} KB",
            file=file,
            field="file",
            hint="Keep the steps here and put long material in references/ beside it.",
        )
    return content


def _text(content: bytes, file: Path) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SkillError(
            f"it is not UTF-8 (byte {error.start})",
            file=file,
            field="file",
            hint="Save it as UTF-8.",
        ) from error
    if "\0" in text:
        raise SkillError(
            "it holds NUL characters", file=file, field="file", hint="Save it as plain UTF-8 text."
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _name(fields: Fields) -> str:
    name = fields.line("name", longest=MAX_NAME)
    if not _NOT_IN_NAMES.isdisjoint(name) or not name.isprintable():
        raise fields.error(
            "name",
            f"{name!r} holds other characters than a name may",
            "Name it like order-supplies.",
        )
    if len(name) > NAME:
        fields.warn("name", f"it has {len(name)} characters, the format allows {NAME}")
    if not _WELL_NAMED.fullmatch(name):
        fields.warn("name", "the format allows small letters a-z, digits and single hyphens")
    if fields.file.parent.name not in {"", name}:
        fields.warn("name", f"its folder is called {fields.file.parent.name!r}")
    return name


def _description(fields: Fields) -> str:
    description = fields.line("description", longest=MAX_HEADER)
    if len(description) > DESCRIPTION:
        fields.warn(
            "description",
            f"it has {len(description):,} characters, the format allows {DESCRIPTION:,}",
        )
    return description


def _text_of(fields: Fields, field: str, *, longest: int = MAX_NAME) -> str:
    """A text that may be missing, and may mean something else elsewhere."""
    return fields.lenient(lambda: fields.line(field, longest=longest, default=""), "")


def _tools(fields: Fields) -> tuple[str, ...]:
    """Names with what they are held to, as `Bash(git add:*)`, in a list or in one text."""
    value = fields.values.get("allowed-tools", "")
    written = [value] if isinstance(value, str) else fields.lines("allowed-tools")
    return tuple(name for text in written for name in _TOOL.findall(text))


def _triggers(fields: Fields) -> tuple[Trigger, ...]:
    patterns = fields.lenient(lambda: fields.lines("triggers"), ())
    if len(patterns) > MAX_TRIGGERS:
        fields.warn("triggers", f"there are {len(patterns)}, the first {MAX_TRIGGERS} are used")
    found: list[Trigger] = []
    for pattern in patterns[:MAX_TRIGGERS]:
        try:
            found.append(Trigger(pattern))
        except InputError as error:
            fields.warn("triggers", f"{error}; it is passed over")
    return tuple(found)
