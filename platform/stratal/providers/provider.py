"""The Protocol every provider follows, and what it gives back."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

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
    """Tokens as the provider counted them, the same way for all of them.

    `input` is the whole request: what was read from the cache and written to it included.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def uncached(self) -> int:
        """Input tokens the cache had no part in.

        >>> Usage(input=3_210, cache_read=3_000, cache_write=200).uncached
        10
        """
        return max(0, self.input - self.cache_read - self.cache_write)


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
    opaque: str = ""  # for `Message.opaque`: the provider's own blocks, JSON (`opaque.py`)
    warnings: tuple[str, ...] = ()  # sentences for people, as "the server cut the prompt"


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

    def close(self) -> None:
        """Release connections; closing twice does no harm, and the next `stream` opens new ones."""
        ...


@runtime_checkable
class CountsTokens(Protocol):
    """A provider whose service counts a request's input tokens. Apart from `Provider`: few do."""

    def count(self, request: Request) -> int:
        """Input tokens of `request` as the service counts them: one network call.

        Raises a `ProviderError`.
        """
        ...


def complete(provider: Provider, request: Request) -> Completion:
    """The whole answer of `provider`, without the pieces."""
    for item in provider.stream(request):
        if isinstance(item, Completion):
            return item
    raise AssertionError(f"provider {provider.name} ended its stream without a completion")
