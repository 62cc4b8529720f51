"""The Protocol every provider follows, and what it gives back."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from stratal.context.request import Request
from stratal_memory.records import ToolCall


class StopReason(StrEnum):
    """Why the model stopped."""

    END = "end"
    TOOLS = "tools"
    LENGTH = "length"  # the output limit, or the window filled up while it wrote
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the provider counted them. `input` includes what was read from the cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """A piece of the answer while it is being written."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A whole answer; always the last thing a stream yields."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    stop: StopReason = StopReason.END
    usage: Usage = Usage()
    model: str = ""  # the name the provider answered with
    reasoning: str = ""
    quotes_only: bool = False  # made of recalled text alone: nothing new to remember in it


StreamItem = TextDelta | Completion


class Provider(Protocol):
    """A model API. Errors are those of `stratal.errors`, never the SDK's own."""

    @property
    def name(self) -> str:
        """`anthropic`, `openai`, `offline`, ...: the part of a model string before the colon."""
        ...

    def stream(self, request: Request) -> Iterator[StreamItem]:
        """Text as it comes, then exactly one `Completion`.

        Raises a `ProviderError`. A stream that ends early raises `ProviderUnavailable` (retryable)
        and yields no `Completion`: partial text is never an answer.
        """
        ...


def complete(provider: Provider, request: Request) -> Completion:
    """The whole answer of `provider`, without the pieces."""
    for item in provider.stream(request):
        if isinstance(item, Completion):
            return item
    raise AssertionError(f"provider {provider.name} ended its stream without a completion")
