"""The static part of the system prompt, built from the Markdown files beside this module."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from stratal.context.request import ToolSpec
from stratal.prompt.sections import SECTIONS, Mode

NO_TOOLS = "You have no tools in this conversation."

# Z26: full workflow and memory in agent mode, shorter ones in the others.
_FILES: dict[str, dict[Mode, str]] = {
    "WORKFLOW": {Mode.ASK: "WORKFLOW_ask", Mode.PLAN: "WORKFLOW_plan"},
    "MEMORY": {Mode.ASK: "MEMORY_read", Mode.PLAN: "MEMORY_read"},
    "MODE": {mode: f"MODE_{mode.value}" for mode in Mode},
}
_PLACEHOLDER = re.compile(r"\{(agent_name|tools_description)\}")


@dataclass(frozen=True, slots=True)
class Layer:
    """One static section and its text."""

    name: str
    text: str


def system_prompt(
    *, mode: Mode, tools: Sequence[ToolSpec], agent_name: str, schemas: bool = False
) -> str:
    """The static sections as one text; the same bytes for the same arguments, in any tool order.

    `tools` are those enabled in `mode`. The providers get their schemas natively, so here stand
    their names and first sentences; `schemas` puts in whole descriptions and schemas (Z7, preset
    zeus), which costs their tokens twice.
    """
    built = layers(mode=mode, tools=tools, agent_name=agent_name, schemas=schemas)
    return "\n\n".join(layer.text for layer in built)


def layers(
    *, mode: Mode, tools: Sequence[ToolSpec], agent_name: str, schemas: bool = False
) -> tuple[Layer, ...]:
    """The static sections one by one, in the order of Zs1, for counting."""
    values = {
        "agent_name": agent_name,
        "tools_description": tools_description(tools, schemas=schemas),
    }
    return tuple(
        Layer(section.name, _filled(_layer(_file(section.name, mode)), values))
        for section in SECTIONS
        if section.static
    )


def tools_description(tools: Sequence[ToolSpec], *, schemas: bool) -> str:
    """One entry a tool, by name; what stands for `{tools_description}` in TOOLS.md (Z7)."""
    if not tools:
        return NO_TOOLS
    entry = _whole if schemas else _short
    return "\n".join(entry(tool) for tool in sorted(tools, key=lambda tool: tool.name))


def _whole(tool: ToolSpec) -> str:
    return f"- `{tool.name}`: {' '.join(tool.description.split())}\n  Parameters: {tool.schema}"


def _short(tool: ToolSpec) -> str:
    paragraph = " ".join(tool.description.strip().split("\n\n")[0].split())
    sentence = re.split(r"(?<=[.!?])\s+(?=[A-Z`])", paragraph, maxsplit=1)[0]
    return f"- `{tool.name}`: {sentence}"


def _file(section: str, mode: Mode) -> str:
    return _FILES.get(section, {}).get(mode, section)


def _filled(template: str, values: dict[str, str]) -> str:
    """All placeholders in one pass, so that braces in a value are left alone."""
    return _PLACEHOLDER.sub(lambda found: values[found.group(1)], template)


@cache
def _layer(name: str) -> str:
    """The text of a layer file without outer blanks; always with LF line ends."""
    text = files("stratal.prompt").joinpath("layers", f"{name}.md").read_text(encoding="utf-8")
    return "\n".join(text.splitlines()).strip()
