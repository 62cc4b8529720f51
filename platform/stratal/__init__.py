"""Stratal: persistent agents whose memory lies in tiers.

The names below are loaded when they are first used, so that `stratal --help` stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stratal.agent import Agent
    from stratal.cancel import Cancel
    from stratal.errors import StratalError
    from stratal.options import Options
    from stratal.prompt.sections import Mode
    from stratal.reply import Citation, Finished, Reply, Told, ToolRan, ToolStarted, TurnEvent
    from stratal.settings import Settings, load_settings
    from stratal.tools.approval import PendingCall
    from stratal.tools.invocation import Effect, Invocation
    from stratal.tools.tool import Tool, tool


_HOMES = {
    "Agent": "stratal.agent",
    "Cancel": "stratal.cancel",
    "StratalError": "stratal.errors",
    "Options": "stratal.options",
    "Mode": "stratal.prompt.sections",
    "Citation": "stratal.reply",
    "Finished": "stratal.reply",
    "Reply": "stratal.reply",
    "Told": "stratal.reply",
    "ToolRan": "stratal.reply",
    "ToolStarted": "stratal.reply",
    "TurnEvent": "stratal.reply",
    "Settings": "stratal.settings",
    "load_settings": "stratal.settings",
    "Effect": "stratal.tools.invocation",
    "Invocation": "stratal.tools.invocation",
    "Tool": "stratal.tools.tool",
    "tool": "stratal.tools.tool",
    "PendingCall": "stratal.tools.approval",
}

__all__ = [
    "Agent",
    "Cancel",
    "Citation",
    "Effect",
    "Finished",
    "Invocation",
    "Mode",
    "Options",
    "PendingCall",
    "Reply",
    "Settings",
    "StratalError",
    "Told",
    "Tool",
    "ToolRan",
    "ToolStarted",
    "TurnEvent",
    "load_settings",
    "tool",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'stratal' has no attribute {name!r}")
