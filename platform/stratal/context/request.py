"""The request as it is sent: values only, the same for every provider."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from stratal_memory.records import Message

Count = Callable[[str], int]  # text in, tokens out
CacheLife = Literal["5m", "1h"]
SYSTEM_SEPARATOR = "\n---\n"  # O9


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as the model sees it; `schema` is its JSON Schema as canonical JSON text."""

    name: str
    description: str
    schema: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemBlock:
    """One part of the system prompt; `cached` marks a prompt-cache breakpoint after it."""

    text: str
    cached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """One remembered item that made it into the request, for citations and offline answers."""

    memory: str  # id
    form: str  # "fact", "chunk", "message", "episode"
    text: str
    source: str
    date: str  # ISO day
    similarity: float  # 0..1


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Everything one model call is given.

    `messages` hold context, user, assistant and tool roles, oldest first; the provider maps
    `context` (O7, O8): recalled text gets the system's authority only in the layout that demands
    it. `recalled` is what the context messages quote, best first.
    """

    model: str
    system: tuple[SystemBlock, ...]
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_output: int = 4_096  # tokens
    cached_messages: tuple[int, ...] = ()  # indexes of messages that end in a cache breakpoint
    recalled: tuple[Recalled, ...] = field(default=())
    context_as_system: bool = False  # O8, where a provider has such a role; else context is user
    system_joined: bool = False  # O9: all system text as one, its parts joined by SYSTEM_SEPARATOR
    cached_tools: bool = False  # a cache breakpoint after the last tool, which comes first of all
    cache_ttl: CacheLife = "5m"  # of every mark alike, so a longer one never follows a shorter one
    cache_key: str = ""  # one a session: requests that begin alike meet the same cache (OpenAI)
