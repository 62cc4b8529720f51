"""Turns, their ledgers, and past conversations."""

from datetime import datetime

from pydantic import RootModel

from stratal.cli.shapes.base import Shape
from stratal.context.ledger import Ledger
from stratal.context.request import Request
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
    cost: str | None  # US dollars, exact; none where no prices are known
    warnings: tuple[str, ...]
    ledger: Ledger


class Compacted(Shape):
    """What a compaction did to a conversation's view; its messages are as they were."""

    before: int  # tokens of history and summary
    after: int
    turns: int  # that the summary stands for now
    method: str  # model, extractive or note
    summary: str


class Account(RootModel[Ledger]):
    """What went into a request and what did not."""


class Replayed(Shape):
    """A request as the provider is given it; `context` messages stand where recall is shown."""

    digest: str  # of the request that was sent; empty where none was stored
    verified: bool  # whether the request has this digest; one with another is never shown
    request: Request


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
