"""What each mode gives the agent: the one table that everything asks (Z26, Zs5).

Nobody else compares modes: which files the prompt is built of, which tools are open, and what is
put before the model are read from here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from stratal.context.request import ToolSpec
from stratal.prompt.sections import SECTIONS, Mode


class Depth(StrEnum):
    """How much of a layer is written out."""

    FULL = "full"
    SIMPLIFIED = "simplified"
    PLANNING = "planning"


class Listed(StrEnum):
    """Which tools TOOLS.md describes."""

    ALL = "all"
    READ_ONLY = "read_only"


class Access(StrEnum):
    """What a group of tools may do."""

    ENABLED = "enabled"
    RESTRICTED = "restricted"  # reading only; the word of Z26
    READ_ONLY = "read_only"  # the same, the word of Zs5
    PLACEHOLDER = "placeholder"  # shown, so that the model can say what another mode could do
    DISABLED = "disabled"


class Injection(StrEnum):
    """Whether something is put before the model without being asked for."""

    INJECTED = "injected"
    LEFT_OUT = "left_out"


class Area(StrEnum):
    """What a tool has to do with, as far as a mode cares."""

    MEMORY = "memory"
    KNOWLEDGE = "knowledge"  # RAG: searching documents
    SANDBOX = "sandbox"
    BROWSER = "browser"  # and the desktop
    WEB_SEARCH = "web_search"
    TODO = "todo"
    OTHER = "other"


class Offered(StrEnum):
    """How one tool is given to the model."""

    OPEN = "open"
    PLACEHOLDER = "placeholder"  # named, not callable
    CLOSED = "closed"


class Matrix(StrEnum):
    """Which of Zeus's two tables holds; its pages differ."""

    ZEUS = "zeus"  # Z26, "Mode-Based Context"; ours too
    ZEUS_TOOLS = "zeus_tools"  # Zs5, its page on tools


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """One column of the table: what a mode is made of; the fields stand in the rows' order."""

    core: Depth = Depth.FULL
    soul: Depth = Depth.FULL
    tools: Listed
    workflow: Depth
    memory: Depth
    mode_prompt: str  # file name without .md; Zeus calls it agent_mode.md
    memory_tools: Access
    write_tools: Access
    rag: Access = Access.ENABLED
    profile: Injection = Injection.INJECTED
    memories: Injection = Injection.INJECTED
    # Zs5 alone speaks of these. In Z26 they are tools like others: the row of write tools decides.
    sandbox: Access = Access.ENABLED
    browser: Access = Access.ENABLED
    web_search: Access = Access.ENABLED
    todo: Access = Access.ENABLED


_AGENT = Composition(
    tools=Listed.ALL,
    workflow=Depth.FULL,
    memory=Depth.FULL,
    mode_prompt="MODE_agent",
    memory_tools=Access.ENABLED,
    write_tools=Access.ENABLED,
)
_ASK = Composition(
    tools=Listed.READ_ONLY,
    workflow=Depth.SIMPLIFIED,
    memory=Depth.SIMPLIFIED,
    mode_prompt="MODE_ask",
    memory_tools=Access.RESTRICTED,
    write_tools=Access.DISABLED,
)
_PLAN = replace(_ASK, workflow=Depth.PLANNING, mode_prompt="MODE_plan")
_NO_MACHINES = replace(_ASK, sandbox=Access.DISABLED, browser=Access.DISABLED)

TABLE: Mapping[Matrix, Mapping[Mode, Composition]] = MappingProxyType(
    {
        Matrix.ZEUS: MappingProxyType({Mode.AGENT: _AGENT, Mode.ASK: _ASK, Mode.PLAN: _PLAN}),
        Matrix.ZEUS_TOOLS: MappingProxyType(
            {
                Mode.AGENT: _AGENT,
                Mode.ASK: replace(
                    _NO_MACHINES,
                    memory_tools=Access.DISABLED,
                    write_tools=Access.PLACEHOLDER,
                ),
                Mode.PLAN: replace(
                    _NO_MACHINES,
                    workflow=Depth.PLANNING,
                    mode_prompt="MODE_plan",
                    memory_tools=Access.READ_ONLY,
                ),
            }
        ),
    }
)
_TEXTS = {
    ("WORKFLOW", Depth.SIMPLIFIED): "WORKFLOW_ask",
    ("WORKFLOW", Depth.PLANNING): "WORKFLOW_plan",
    ("MEMORY", Depth.SIMPLIFIED): "MEMORY_read",
}
_SWITCH = "suggest that the person switch to agent mode"


def composition(mode: Mode, matrix: Matrix = Matrix.ZEUS) -> Composition:
    """What `mode` is made of, by the table `matrix`."""
    return TABLE[matrix][mode]


def files_of(mode: Mode) -> Mapping[str, str]:
    """The file of each static section, without `.md`, in the order of Zs1; both tables agree.

    >>> files_of(Mode.PLAN)["WORKFLOW"]
    'WORKFLOW_plan'
    """
    made = composition(mode)
    depths = {"CORE": made.core, "SOUL": made.soul, "WORKFLOW": made.workflow}
    depths["MEMORY"] = made.memory
    named = {name: _TEXTS.get((name, depth), name) for name, depth in depths.items()}
    named |= {"TOOLS": "TOOLS", "MODE": made.mode_prompt}
    return {section.name: named[section.name] for section in SECTIONS if section.static}


def offered(
    mode: Mode, *, writes: bool, area: Area = Area.OTHER, matrix: Matrix = Matrix.ZEUS
) -> Offered:
    """How a tool of `area` that `writes` or not is given to the model: the strictest row decides.

    A to-do list is the agent's own, so writing to it changes nothing that a mode protects.
    """
    made = composition(mode, matrix)
    rows = [_access(made, area)]
    if writes and area is not Area.TODO:
        rows.append(made.write_tools)
    given = {_given(access, writes=writes) for access in rows}
    return next(
        (way for way in (Offered.CLOSED, Offered.PLACEHOLDER) if way in given), Offered.OPEN
    )


def allows(mode: Mode, *, writes: bool, memory: bool, matrix: Matrix = Matrix.ZEUS) -> bool:
    """Whether a tool may run: one that `writes`, one of the `memory` tools."""
    area = Area.MEMORY if memory else Area.OTHER
    return offered(mode, writes=writes, area=area, matrix=matrix) is Offered.OPEN


def placeholder(tool: ToolSpec, mode: Mode) -> ToolSpec:
    """What stands for `tool` where it is a placeholder (Zs5): name, a way out, what it would do.

    The model learns that the tool exists without its schema, which is most of its tokens.
    """
    notice = f"Not available in {mode.value} mode: if this is needed, {_SWITCH}."
    first = " ".join(tool.description.strip().partition("\n\n")[0].split())
    return ToolSpec(
        name=tool.name,
        description=f"{notice} {first}".rstrip(),
        schema='{"properties":{},"type":"object"}',
    )


def refusal(name: str, mode: Mode) -> str:
    """What the model is told when it calls a tool that is not open, a placeholder or none."""
    return (
        f"{name} is not available in {mode.value} mode; nothing was done. If it is needed, "
        f"{_SWITCH}."
    )


def _access(made: Composition, area: Area) -> Access:
    rows = {
        Area.MEMORY: made.memory_tools,
        Area.KNOWLEDGE: made.rag,
        Area.SANDBOX: made.sandbox,
        Area.BROWSER: made.browser,
        Area.WEB_SEARCH: made.web_search,
        Area.TODO: made.todo,
        Area.OTHER: Access.ENABLED,
    }
    return rows[area]


def _given(access: Access, *, writes: bool) -> Offered:
    match access:
        case Access.ENABLED:
            return Offered.OPEN
        case Access.RESTRICTED | Access.READ_ONLY:
            return Offered.CLOSED if writes else Offered.OPEN
        case Access.PLACEHOLDER:
            return Offered.PLACEHOLDER
        case Access.DISABLED:
            return Offered.CLOSED
