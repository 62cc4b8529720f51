"""What one turn works with: a session's memory, the model, the budget, skills and tools."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from stratal.background import Background
from stratal.cancel import Cancel
from stratal.context.budget import Budget
from stratal.context.compression.keep import Keep
from stratal.context.compression.triggers import Measure, Triggers
from stratal.context.counting import Counter
from stratal.context.history import HistoryRules
from stratal.context.request import Request
from stratal.context.sections import Layout
from stratal.prompt.modes import Matrix
from stratal.prompt.sections import Mode
from stratal.providers.models import ModelInfo, ModelString
from stratal.providers.provider import Provider
from stratal.spending import Limits
from stratal.tools.approval import Approve
from stratal.tools.subagent import Answer, Task
from stratal.tools.tool import Tool
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Session
from stratal_memory.store import Store
from stratal_procedures.disclosure import LIST_TOKENS
from stratal_procedures.library import Library

Complete = Callable[[str], str]  # prompt in, text out


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRules:
    """When older messages are summarised, by whom, and what stays."""

    enabled: bool = True
    triggers: Triggers = field(default_factory=lambda: Triggers(fraction=0.7))
    measure: Measure = Measure.FULL
    keep: Keep = field(default_factory=lambda: Keep(turns=1))
    at_once: bool = False  # a summary replaces what it stands for as soon as it is made
    tokens: int = 1_000  # how long it may be
    window: int = 64_000  # tokens of the model that writes it
    complete: Callable[[], Complete | None] = lambda: None  # the model that writes it, if any


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheRules:
    """Prompt caching, where the provider lets us steer it."""

    marks: bool = True
    ttl: Literal["5m", "1h"] = "5m"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRules:
    """Which skills stand before the model, how many tokens their list takes (Zs6), new ones."""

    match: bool = True  # the one that fits the message
    active: tuple[str, ...] = ()  # names of those that always do
    max_active: int = 3
    list_tokens: int = LIST_TOKENS
    learn: bool = True  # what is done with tools again and again becomes a draft (Os19)


class Calibrates(Protocol):
    """What a turn learns from the usage it is billed; see `stratal.calibrating.Calibrator`."""

    @property
    def counter(self) -> Counter:
        """The counter as it is corrected now."""
        ...

    def budget(self, budget: Budget, session: str) -> Budget:
        """`budget` with the margin and the overhead that were measured."""
        ...

    def learn(self, session: str, request: Request, *, reported: int) -> None:
        """Correct the counts by what was billed for `request`."""
        ...

    def limit(self, tokens: int) -> None:
        """Never take more than this again, the answer included."""
        ...

    def refused(self, request: Request, *, sent: int) -> None:
        """Learn from a refusal that named the tokens it counted."""
        ...

    def expected(self, session: str, request: Request) -> int:
        """The input tokens that will be billed for `request`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One session with everything its turns need; the agent makes it, the turn reads it."""

    store: Store  # opened inside the session
    session: Session
    provider: Provider
    model: ModelString
    info: ModelInfo
    budget: Budget
    counter: Counter
    calibrator: Calibrates | None  # None: nothing is ever billed
    layout: Layout
    rules: HistoryRules
    summary: SummaryRules
    cache: CacheRules
    background: Background
    reader: Complete | None  # the model that reads messages for facts, if any
    recall: RecallSettings
    library: Library
    skill_threshold: float
    mode: Mode
    matrix: Matrix  # which table of modes decides
    overrides: Mapping[str, str]  # texts of the agent's own in place of the prompt's layers
    agent_name: str
    limits: Limits
    approve: Approve  # a person's word on a call, where untrusted text was read
    skills: SkillRules = SkillRules()
    tools: tuple[Tool, ...] = ()  # the caller's own, beside the memory tools
    cancel: Cancel | None = None  # ends the turn from outside
    remote: tuple[Tool, ...] = ()  # of MCP servers
    strangers: frozenset[str] = frozenset()  # of `remote`, names: their servers are not trusted
    # What is said of each tool of a server that changed and waits for a person, by its name.
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])
    only: frozenset[str] | None = None  # of a sub-agent: the names of its tools; None: all
    ask: "Callable[[Conversation, Task], Answer] | None" = None  # None: no sub-agents
