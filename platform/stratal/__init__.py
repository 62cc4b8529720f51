"""Stratal: persistent agents whose memory lies in tiers."""

from stratal.agent import Agent, Options
from stratal.errors import StratalError
from stratal.reply import Citation, Finished, Reply, Told, ToolRan, TurnEvent

__all__ = [
    "Agent",
    "Citation",
    "Finished",
    "Options",
    "Reply",
    "StratalError",
    "Told",
    "ToolRan",
    "TurnEvent",
]
