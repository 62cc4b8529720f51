"""The static part of the system prompt, built from the Markdown of its layers."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from stratal.context.request import ToolSpec
from stratal.prompt.modes import files_of
from stratal.prompt.overrides import packaged
from stratal.prompt.pipeline import system_text
from stratal.prompt.sections import Layer, Mode

NO_TOOLS = "You have no tools in this conversation."
AS_PACKAGED: Mapping[str, str] = MappingProxyType({})  # no file of the agent's own

_PLACEHOLDER = re.compile(r"\{(agent_name|tools_description)\}")


def system_prompt(
    *,
    mode: Mode,
    tools: Sequence[ToolSpec],
    agent_name: str,
    schemas: bool = False,
    overrides: Mapping[str, str] = AS_PACKAGED,
) -> str:
    """The static sections as one text; the same bytes for the same arguments, in any tool order.

    `tools` are those enabled in `mode`. The providers get their schemas natively, so here stand
    their names and first sentences; `schemas` puts in whole descriptions and schemas (Z7, preset
    zeus), which costs their tokens twice. `overrides` are those of `read_overrides`.
    """
    return system_text(
        layers(mode=mode, tools=tools, agent_name=agent_name, schemas=schemas, overrides=overrides)
    )


def layers(
    *,
    mode: Mode,
    tools: Sequence[ToolSpec],
    agent_name: str,
    schemas: bool = False,
    overrides: Mapping[str, str] = AS_PACKAGED,
) -> tuple[Layer, ...]:
    """The static sections one by one, in the order of Zs1, for counting.

    A section whose file the agent has emptied has an empty text.
    """
    values = {
        "agent_name": agent_name,
        "tools_description": tools_description(tools, schemas=schemas),
    }
    texts = {
        section: overrides[file] if file in overrides else packaged(file)
        for section, file in files_of(mode).items()
    }
    return tuple(Layer(section, _filled(text, values)) for section, text in texts.items())


def tools_description(tools: Sequence[ToolSpec], *, schemas: bool) -> str:
    """One entry a tool, by name; what stands for `{tools_description}` in TOOLS.md (Z7)."""
    if not tools:
        return NO_TOOLS
    entry = _whole if schemas else _short
    in_order = sorted(tools, key=lambda tool: (tool.name, tool.description, tool.schema))
    return "\n".join(entry(tool) for tool in in_order)


def _whole(tool: ToolSpec) -> str:
    return f"{_entry(tool.name, tool.description)}\n  Parameters: {tool.schema}"


def _short(tool: ToolSpec) -> str:
    paragraph = " ".join(tool.description.strip().split("\n\n")[0].split())
    return _entry(tool.name, re.split(r"(?<=[.!?])\s+(?=[A-Z`])", paragraph, maxsplit=1)[0])


def _entry(name: str, description: str) -> str:
    """One line, whatever the tool's author wrote: a line of its own would look like ours."""
    said = " ".join(description.split())
    return f"- `{name}`: {said}" if said else f"- `{name}`"


def _filled(template: str, values: Mapping[str, str]) -> str:
    """All placeholders in one pass, so that braces in a value are left alone."""
    return _PLACEHOLDER.sub(lambda found: values[found.group(1)], template)
