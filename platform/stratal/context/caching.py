"""Prompt caches: which provider wants what in a request, and when a mark is worth sending."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Caching(StrEnum):
    """What a provider wants in a request, so that its prompt cache is used."""

    MARKS = "marks"  # cache_control on content blocks (C12)
    POINTS = "points"  # cachePoint blocks between the others (C13)
    KEY = "key"  # automatic; nothing marked, a key leads alike requests to one cache (C14)
    SERVER = "server"  # the server's own affair; nothing is sent (C15, C16)


CACHING: Mapping[str, Caching] = MappingProxyType(
    {
        "anthropic": Caching.MARKS,
        "bedrock": Caching.POINTS,
        "openai": Caching.KEY,
        "azure": Caching.KEY,
        "openai-chat": Caching.SERVER,  # compatible servers refuse fields they don't know
        "gemini": Caching.SERVER,
        "ollama": Caching.SERVER,
    }
)
MOST_MARKS = 4  # Anthropic and Bedrock, PROVIDERS section 4


def caching(provider: str) -> Caching:
    """What `provider` wants; one that is not in the table is left to its server.

    >>> caching("bedrock").value, caching("unheard-of").value
    ('points', 'server')
    """
    return CACHING.get(provider, Caching.SERVER)


def worth_marking(prefix_tokens: int, minimum: int) -> bool:
    """Whether a mark after `prefix_tokens` tokens is cached by a model with this `minimum`.

    Below its minimum a model caches nothing and says nothing, and the mark uses up one of four.
    `prefix_tokens` count from the request's beginning, tools included.

    >>> worth_marking(1_023, 1_024), worth_marking(1_024, 1_024)
    (False, True)
    """
    return prefix_tokens >= minimum
