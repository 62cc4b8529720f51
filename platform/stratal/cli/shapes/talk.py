"""Turns, their ledgers, and past conversations."""

from datetime import datetime

from pydantic import RootModel

from stratal.cli.shapes.base import Shape
from stratal.context.ledger import Ledger
from stratal.providers.provider import Usage
from stratal.reply import Citation
from stratal_memory.learning.gate import Decision
from stratal_memory.records import Role, ToolCall


class Answered(Shape):
    """One turn."""

    reply: str
    session: str
    turn: str
    model: str
    citations: tuple[Citation, ...]
    usage: Usage
    learned: tuple[Decision, ...]
    procedure: str
    redacted: tuple[str, ...]  # kinds of secrets that were taken out of the message
    ledger: Ledger


class Account(RootModel[Ledger]):
    """What went into a request and what did not."""


class SessionShape(Shape):
    """One conversation."""

    id: str
    user: str
    agent: str
    started: datetime
    last_active: datetime
    messages: int
    title: str


class SessionList(Shape):
    """Conversations, latest first."""

    sessions: tuple[SessionShape, ...]


class MessageShape(Shape):
    """One message as it was stored."""

    id: str
    role: Role
    text: str
    created: datetime | None
    tool_calls: tuple[ToolCall, ...]
    tool_call_id: str
    tool_failed: bool


class SessionShown(Shape):
    """A conversation with its messages, oldest first."""

    session: SessionShape
    messages: tuple[MessageShape, ...]
