"""The fifteen sections of the system prompt in their order (Zs1), and the modes."""

from dataclasses import dataclass
from enum import StrEnum


class Mode(StrEnum):
    """What the agent may do (Z26): everything, answer only, or plan only."""

    AGENT = "agent"
    ASK = "ask"
    PLAN = "plan"


@dataclass(frozen=True, slots=True)
class Section:
    """One section; a static one has the same text in every turn, so it may be cached (Z24)."""

    name: str
    static: bool


@dataclass(frozen=True, slots=True)
class Layer:
    """One section and its text."""

    name: str
    text: str


SECTIONS = (
    Section("CORE", static=True),
    Section("SOUL", static=True),
    Section("TOOLS", static=True),
    Section("WORKFLOW", static=True),
    Section("MEMORY", static=True),
    Section("MODE", static=True),
    Section("Time", static=False),
    Section("Skills", static=False),
    Section("Connector", static=False),
    Section("MCP Prompts", static=False),
    Section("Profile", static=False),
    Section("Memories", static=False),
    Section("Resources", static=False),
    Section("Sandbox", static=False),
    Section("Attachments", static=False),
)
