"""What one turn works with: a session's memory, the model, the budget, skills and tools."""

from dataclasses import dataclass

from stratal.context.budget import Budget
from stratal.context.counting import Counter
from stratal.context.sections import Layout
from stratal.prompt.sections import Mode
from stratal.providers.models import ModelString
from stratal.providers.provider import Provider
from stratal.tools.tool import Tool
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Session
from stratal_memory.store import Store
from stratal_procedures.library import Library


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One session with everything its turns need; the agent makes it, the turn reads it."""

    store: Store  # opened inside the session
    session: Session
    provider: Provider
    model: ModelString
    budget: Budget
    counter: Counter
    layout: Layout
    recall: RecallSettings
    library: Library
    skill_threshold: float
    mode: Mode
    agent_name: str
    max_steps: int
    tools: tuple[Tool, ...] = ()  # the caller's own, beside the memory tools
