"""The steps of a procedure and their parameters, as a frontmatter writes them (Os17)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from stratal_procedures.frontmatter import Fields

LONGEST = 200  # characters of a parameter's name

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


def steps_of(fields: Fields) -> tuple[Step, ...]:
    """The steps of a frontmatter in their order; a text alone is an instruction."""
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


def parameters_of(fields: Fields) -> tuple[Parameter, ...]:
    """The parameters of a frontmatter; a text alone is a name."""
    return tuple(
        Parameter(
            name=entry.line("name", longest=LONGEST),
            description=entry.line("description", longest=500, default=""),
            required=entry.flag("required", default=True),
        )
        for entry in fields.entries("parameters", main="name")
    )


def check_declared(
    steps: tuple[Step, ...], parameters: tuple[Parameter, ...], fields: Fields
) -> None:
    """Raises `SkillError` for a `{{name}}` in a step that no parameter has."""
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


def sentence(step: Step) -> str:
    """One step as a line for the model."""
    text = step.instruction
    if step.tool:
        given = ", ".join(f"{name}={template}" for name, template in step.arguments)
        text += f" [tool: {step.tool}({given})]"
    if step.condition:
        text += f" (only if {step.condition})"
    return f"{text} (optional)" if step.optional else text
