"""The sections of the settings: what can be chosen, with range, default and meaning."""

import os
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from stratal.context.budget import Budget
from stratal.context.sections import Layout
from stratal.presets import Window
from stratal.prompt.modes import Matrix
from stratal.providers.circuit import CircuitPolicy
from stratal.providers.models import ModelInfo
from stratal_memory.recall.cross_encoder import reranker_of
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import ScopeKind


class Part(BaseModel):
    """A section that knows its keys; the line under a field is its documentation."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,  # a key in the wrong place is not shown back
        use_attribute_docstrings=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _none(cls, values: object) -> object:
        """`none` switches a value off where it may be off; TOML and the environment lack a word."""
        if not isinstance(values, dict):
            return values
        off = {
            name
            for name, field in cls.model_fields.items()
            if values.get(name) == "none" and type(None) in get_args(field.annotation)
        }
        return {name: None if name in off else value for name, value in values.items()}


def _split(value: object) -> object:
    """The environment writes several folders as a PATH does."""
    return value.split(os.pathsep) if isinstance(value, str) else value


def _at_home(value: list[Path]) -> list[Path]:
    """`~` is the user's home; no shell expands what stands in a file."""
    return [folder.expanduser() for folder in value]


Folders = Annotated[list[Path], BeforeValidator(_split), AfterValidator(_at_home)]


class ContextPart(Part):
    """The window and how it is shared out; tokens unless the name says otherwise."""

    layout: Layout = Layout.CACHE_FRIENDLY
    """Where recall stands: `cache_friendly` beside the message, `octopus` before the history."""
    counter: Literal["auto", "octopus", "picoclaw", "provider"] = "auto"
    """How tokens are counted; `auto` follows the model and what it bills, `provider` asks it."""
    window: int | None = Field(default=None, gt=0)
    """The context window; none: the model's own."""
    window_per_output: int | None = Field(default=None, gt=1)
    """Where no window is configured: this many times `output_reserve` (Picoclaw)."""
    working_budget: int | None = Field(default=None, gt=0)
    """How much of the window is used at most; none: all of it."""
    compress_at: float = Field(default=1.0, gt=0, le=1)
    """The share of it above which history is cut."""
    output_reserve: int = Field(default=4_096, gt=0)
    """Kept for the answer, at most what the model can write."""
    min_history: int = Field(default=4_000, ge=0)
    """What history gets before optional sections do."""
    knowledge: int = Field(default=3_000, ge=0)
    """The cap of passages of documents."""
    episodes: int = Field(default=1_000, ge=0)
    """The cap of past conversations."""
    profile: int = Field(default=500, ge=0)
    """The cap of the profile."""
    procedure: int = Field(default=1_000, ge=0)
    """The cap of a matched skill's steps; a longer one becomes a pointer, 0 shows none."""

    def budget(self, model: ModelInfo, *, known: Window | None, recall: "RecallPart") -> Budget:
        """The budget for `model`: the window that is configured, `known` to the preset, its own."""
        window = self.window or (known and known.window)
        if window is None and self.window_per_output is not None:
            window = self.window_per_output * self.output_reserve
        return Budget(
            window=window or model.window,
            working_budget=self.working_budget or (known.working_budget if known else None),
            max_input=model.max_input if window is None else None,
            output_reserve=min(self.output_reserve, model.max_output),
            min_history=self.min_history,
            knowledge=self.knowledge,
            episodes=self.episodes,
            profile=self.profile,
            procedure=self.procedure,
            memory_chars=recall.memory_characters,
            memory_items=recall.top_k,
            compress_at=self.compress_at,
        )


class PromptPart(Part):
    """Where the layers of the prompt come from, and which table of modes decides."""

    folders: Folders = Field(default_factory=list[Path])
    """Folders of layers (`CORE.md`, `SOUL.md`, ...) before those of the agent; as a PATH."""
    matrix: Matrix = Matrix.ZEUS
    """`zeus`: as its page on context; `zeus_tools`: as its page on tools, memory closed in ask."""


class RecallPart(Part):
    """How memories are scored and capped (Z10, Z11, Z13)."""

    similarity_weight: float = Field(default=0.5, ge=0)
    """How much the similarity to the message counts."""
    confidence_weight: float = Field(default=0.3, ge=0)
    """How much it counts how sure a memory is."""
    scope_weight: float = Field(default=0.2, ge=0)
    """How much the scope counts: session before project before user before org."""
    session_priority: float = Field(default=1.0, ge=0, le=1)
    """What a memory of the conversation itself counts for its scope."""
    project_priority: float = Field(default=0.8, ge=0, le=1)
    """What a memory of the project counts for its scope."""
    user_priority: float = Field(default=0.6, ge=0, le=1)
    """What a memory of the user counts for its scope."""
    org_priority: float = Field(default=0.4, ge=0, le=1)
    """What a memory of the org counts for its scope."""
    minimum_similarity: float | None = Field(default=None, ge=0, le=1)
    """The relevance gate, 0 to 1; none: calibrated on the embedding model."""
    plain_cosine: bool = False
    """Take the bare cosine for similarity, as the preset zeus does."""
    top_k: int = Field(default=5, ge=0)
    """How many memories a request holds at most."""
    memory_characters: int = Field(default=2_000, ge=0)
    """How many characters these memories have at most."""
    knowledge_items: int = Field(default=5, ge=0)
    """How many passages of documents a request holds at most."""
    episode_items: int = Field(default=3, ge=0)
    """How many past conversations a request holds at most."""
    reranker: str = ""
    """`st:MODEL`, a cross-encoder on this machine that reads the best again; empty: none does."""

    @field_validator("reranker")
    @classmethod
    def _model(cls, value: str) -> str:
        """The one kind there is."""
        if value and not (value.startswith("st:") and value.removeprefix("st:")):
            raise ValueError("write st:MODEL")
        return value

    def for_recall(self, context: ContextPart) -> RecallSettings:
        """The same as the memory room reads it."""
        return RecallSettings(
            similarity_weight=self.similarity_weight,
            confidence_weight=self.confidence_weight,
            scope_weight=self.scope_weight,
            scope_priority={
                ScopeKind.SESSION: self.session_priority,
                ScopeKind.PROJECT: self.project_priority,
                ScopeKind.USER: self.user_priority,
                ScopeKind.ORG: self.org_priority,
            },
            minimum_similarity=self.minimum_similarity,
            plain_cosine=self.plain_cosine,
            memory_items=self.top_k,
            memory_characters=self.memory_characters,
            knowledge_items=self.knowledge_items,
            knowledge_tokens=context.knowledge,
            episode_items=self.episode_items,
            episode_tokens=context.episodes,
            reranker=reranker_of(self.reranker),
        )


def _listed(value: object) -> object:
    """The environment writes several names with commas between them."""
    if not isinstance(value, str):
        return value
    return [name.strip() for name in value.split(",") if name.strip()]


class SkillsPart(Part):
    """Where skills lie, which stand before the model, how similar a message must be (Os18, Zs6)."""

    folders: Folders = Field(default_factory=list[Path])
    """Folders of skills beside the data directory's; in the environment as a PATH."""
    project: bool = True
    """Look into ./skills, ./.claude/skills, ./.agents/skills; each waits for your approval."""
    threshold: float = Field(default=0.45, ge=0, le=1)
    """How similar a message must be to a skill's description, 0 to 1."""
    match: bool = True
    """Put the skill that fits a message before the model; off: it loads what it needs."""
    active: Annotated[list[str], BeforeValidator(_listed)] = Field(default_factory=list[str])
    """Names of skills that stand before the model in every turn."""
    max_active: int = Field(default=3, ge=0)
    """How many skills stand before it at most: those of `active`, then the one that fits."""
    list_tokens: int = Field(default=1_000, ge=0)
    """The cap of the list of all skills in the prompt; 0 shows none."""
    learn: bool = True
    """Draft a skill of what was done well three times; it waits for your approval (Os19)."""


class AgentPart(Part):
    """The loop of a turn and the length of a conversation."""

    max_steps: int = Field(default=8, gt=0)
    """How many model calls a turn may take."""
    max_tokens: int | None = Field(default=None, gt=0)
    """After how many billed tokens a turn makes no further model call; in and out count."""
    max_dollars: float | None = Field(default=None, gt=0)
    """After how many US dollars a turn makes no further model call, where prices are known."""
    session_idle_minutes: int = Field(default=60, gt=0)
    """An agent that is opened continues the latest conversation if it was silent for less."""
    longest_message: int = Field(default=8_000_000, gt=0)
    """How many characters a message may have."""


class IngestPart(Part):
    """What may be read as a document."""

    urls: bool = False
    """Whether `stratal ingest` may fetch web addresses: public ones alone."""


class EmbeddingPart(Part):
    """Which embedding model is used."""

    model: str = ""
    """`onnx:NAME-or-PATH` (`?int8`), `st:MODEL`, `none`; empty: the one found on this machine."""


class ProvidersPart(Part):
    """Where the servers are whose address is no maker's own, and when one is left alone."""

    openai_chat_url: str | None = None
    """The server of `openai-chat:` models, as `http://localhost:8000/v1`."""
    azure_endpoint: str | None = None
    """The address of the Azure resource; also `AZURE_OPENAI_ENDPOINT`."""
    azure_api_version: str | None = None
    """The version of Azure's API, a date; also `OPENAI_API_VERSION`."""
    azure_deployments: dict[str, str] = Field(default_factory=dict[str, str])
    """Which model each Azure deployment runs; in the environment as `prod=gpt-4o,small=gpt-4.1`."""
    ollama_url: str | None = None
    """The Ollama server; none: this machine. Also `OLLAMA_HOST`."""
    circuit_failures: int = Field(default=5, ge=0)
    """After how many failed calls in a row a provider is left alone for a while; 0: never."""
    circuit_seconds: float = Field(default=30.0, gt=0)
    """For how long, before one call tries it; doubled each time that call fails."""
    circuit_longest_seconds: float = Field(default=300.0, gt=0)
    """The longest such wait."""

    def circuit(self) -> CircuitPolicy:
        """When a provider counts as out, and how long it is left alone."""
        return CircuitPolicy(
            failures=self.circuit_failures,
            first_wait=self.circuit_seconds,
            longest_wait=self.circuit_longest_seconds,
        )

    @field_validator("azure_deployments", mode="before")
    @classmethod
    def _pairs(cls, value: object) -> object:
        """The environment writes a table as `name=value`, separated by commas."""
        if not isinstance(value, str):
            return value
        pairs = [pair.partition("=") for pair in value.split(",") if pair.strip()]
        if not all(equals and name.strip() and model.strip() for name, equals, model in pairs):
            raise ValueError("write it like prod=gpt-4o,small=gpt-4.1")
        return {name.strip(): model.strip() for name, _, model in pairs}
