"""Stratal: persistent agents whose memory lies in tiers.

The names below are loaded when they are first used, so that `stratal --help` stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stratal.agent import Agent, Options
    from stratal.errors import StratalError
    from stratal.reply import Citation, Finished, Reply, Told, ToolRan, TurnEvent
    from stratal.settings import Settings, load_settings

_HOMES = {
    "Agent": "stratal.agent",
    "Options": "stratal.agent",
    "StratalError": "stratal.errors",
    "Citation": "stratal.reply",
    "Finished": "stratal.reply",
    "Reply": "stratal.reply",
    "Told": "stratal.reply",
    "ToolRan": "stratal.reply",
    "TurnEvent": "stratal.reply",
    "Settings": "stratal.settings",
    "load_settings": "stratal.settings",
}

__all__ = [
    "Agent",
    "Citation",
    "Finished",
    "Options",
    "Reply",
    "Settings",
    "StratalError",
    "Told",
    "ToolRan",
    "TurnEvent",
    "load_settings",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'stratal' has no attribute {name!r}")
