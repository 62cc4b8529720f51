"""One skill as its `SKILL.md` says it: frontmatter fields and the text below them."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stratal_procedures.errors import SkillError
from stratal_procedures.frontmatter import Fields, split
from stratal_procedures.trigger import Trigger

FILE_NAME = "SKILL.md"
MAX_BYTES = 256 * 1024
MAX_NAME = 64  # characters; this and the next are the Agent Skills format's own limits
MAX_DESCRIPTION = 1_024  # characters
MAX_TRIGGERS = 50

_PLACEHOLDER = re.compile(r"\{\{\s*([^{}]{1,100}?)\s*\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A value the steps need, written `{{name}}` in them."""

    name: str
    description: str = ""
    required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a procedure (Os17). Arguments are (name, template) pairs."""

    instruction: str
    tool: str = ""
    arguments: tuple[tuple[str, str], ...] = ()
    condition: str = ""  # when to do it; empty: always
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One procedure. `content_hash` is the SHA-256 of the file's bytes, in hex."""

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

    def instructions(self) -> str:
        """What the model is to follow: the numbered steps, then the text below them."""
        lines = [f"{number}. {_sentence(step)}" for number, step in enumerate(self.steps, 1)]
        return "\n\n".join(part for part in ("\n".join(lines), self.body) if part)


def load(path: Path) -> Skill:
    """The skill of a folder, or of a `SKILL.md` file.

    Raises `SkillError` naming the file, the field and the fix. Fields we don't know are left alone,
    so folders written for other programs work unchanged.
    """
    file = path if path.name == FILE_NAME else path / FILE_NAME
    return parse(_bytes(file), file=file)


def parse(content: bytes, *, file: Path) -> Skill:
    """The skill in the bytes of a `SKILL.md`; `file` names it in errors and gives the folder."""
    header, body = split(_text(content, file), file=file)
    fields = Fields.read(header, file=file)
    name = _name(fields)
    description = fields.line("description", longest=MAX_DESCRIPTION)
    steps = _steps(fields)
    parameters = _parameters(fields)
    _all_declared(steps, parameters, fields)
    if not steps and not body:
        raise fields.error("body", "there is nothing to do: no steps and no text", "Write steps.")
    return Skill(
        name=name,
        description=description,
        body=body,
        folder=file.parent,
        content_hash=hashlib.sha256(content).hexdigest(),
        triggers=_triggers(fields),
        steps=steps,
        parameters=parameters,
        tags=fields.lines("tags"),
        version=fields.line("version", longest=40, default="1.0.0"),
        author=fields.line("author", longest=200, default=""),
        priority=fields.whole("priority"),
        enabled=fields.flag("enabled", default=True),
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
    if not all(character.isalnum() or character in " -_." for character in name):
        raise fields.error(
            "name",
            f"{name!r} holds other characters than letters, digits, blanks and - _ .",
            "Name it like order-supplies.",
        )
    return name


def _triggers(fields: Fields) -> tuple[Trigger, ...]:
    patterns = fields.lines("triggers")
    if len(patterns) > MAX_TRIGGERS:
        raise fields.error(
            "triggers",
            f"there are {len(patterns)}, {MAX_TRIGGERS} are allowed",
            "Join them with |, or let the description match by meaning.",
        )
    return tuple(fields.built(Trigger, pattern, field="triggers") for pattern in patterns)


def _steps(fields: Fields) -> tuple[Step, ...]:
    return tuple(
        Step(
            instruction=step.line("instruction", longest=2_000),
            tool=step.line("tool", longest=100, default=""),
            arguments=step.pairs("arguments"),
            condition=step.line("condition", longest=500, default=""),
            optional=step.flag("optional", default=False),
        )
        for step in fields.entries("steps", main="instruction")
    )


def _parameters(fields: Fields) -> tuple[Parameter, ...]:
    return tuple(
        Parameter(
            name=entry.line("name", longest=MAX_NAME),
            description=entry.line("description", longest=500, default=""),
            required=entry.flag("required", default=True),
        )
        for entry in fields.entries("parameters", main="name")
    )


def _all_declared(
    steps: tuple[Step, ...], parameters: tuple[Parameter, ...], fields: Fields
) -> None:
    known = {parameter.name for parameter in parameters}
    for number, step in enumerate(steps, 1):
        texts = (step.instruction, step.condition, *(template for _, template in step.arguments))
        for name in _placeholders(*texts):
            if name not in known:
                raise fields.error(
                    "steps",
                    f"step {number} uses {{{{{name}}}}}, which is not among the parameters",
                    f"Add `- {name}` to parameters.",
                )


def _placeholders(*texts: str) -> Iterator[str]:
    """The names written `{{name}}` in `texts`."""
    for text in texts:
        yield from _PLACEHOLDER.findall(text)


def _sentence(step: Step) -> str:
    """One step as a line for the model."""
    text = step.instruction
    if step.tool:
        given = ", ".join(f"{name}={template}" for name, template in step.arguments)
        text += f" [tool: {step.tool}({given})]"
    if step.condition:
        text += f" (only if {step.condition})"
    return f"{text} (optional)" if step.optional else text
