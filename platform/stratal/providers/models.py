"""Which provider and model a string names, and how much that model reads and writes."""

import difflib
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

from stratal.errors import UnknownModel

# Z19: what is assumed of a model we know nothing of. The output is our own choice, a quarter of
# what is known to fit.
UNKNOWN_WINDOW = 64_000
UNKNOWN_OUTPUT = 8_192
# PROVIDERS, "cache minimum": an unknown model is taken for the most demanding.
UNKNOWN_CACHE_MINIMUM = 4_096

KNOWN_PROVIDERS = ("anthropic", "openai", "offline", "azure", "ollama", "openai-chat")
AVAILABLE_PROVIDERS = ("anthropic", "openai", "offline")
_BARE_NAMES = (("claude-", "anthropic"), ("gpt-", "openai"))


class Family(StrEnum):
    """Which tokenizer a model counts with; the keys of `stratal.tokens.families.FACTORS`."""

    OPENAI = "openai"  # o200k
    CLAUDE_OLD = "claude-4.6"  # and everything older
    CLAUDE = "claude"  # from 4.7 on: about a third more tokens for the same text
    OFFLINE = "offline"
    OTHER = "other"


# A maker's next model counts like its newest one.
_MAKERS = {"anthropic": Family.CLAUDE, "openai": Family.OPENAI, "azure": Family.OPENAI}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelString:
    """A provider and the name it gives its model; `offline` has none."""

    provider: str
    name: str
    hint: str = field(default="", compare=False)  # for people, where the string was a short form

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """What a model takes; all numbers are tokens.

    A request fits when input + output <= window and input <= max_input.
    """

    provider: str
    match: str  # the beginning of the names this row is for; empty: a fallback
    window: int
    max_input: int
    max_output: int
    family: Family
    cache_minimum: int  # shorter prefixes are not cached; 0: there is no cache
    source: str
    as_of: str  # ISO day the source was read

    @property
    def known(self) -> bool:
        """False when the numbers are guesses for a model that is not in the table."""
        return bool(self.match) or self.provider == "offline"

    def fits(self, *, input: int, output: int) -> bool:
        """Whether a prompt of `input` tokens leaves room for `output` more."""
        return input <= self.max_input and input + output <= self.window


def parse_model(text: str) -> ModelString:
    """The provider and model `text` names, split at the first colon.

    A bare `claude-...` or `gpt-...` is taken for its maker's, with a hint. Raises `UnknownModel`
    for everything else, naming what is known.

    >>> parse_model("ollama:llama3:70b").name
    'llama3:70b'
    """
    stripped = text.strip()
    prefix, colon, name = stripped.partition(":")
    if not colon:
        return _bare(stripped)
    provider, name = prefix.strip().lower(), name.strip()
    if provider not in KNOWN_PROVIDERS:
        raise UnknownModel(
            f"{stripped[:80]!r} names no provider we know: {prefix[:40]!r}",
            hint=_suggestion(provider),
        )
    if bool(name) == (provider == "offline"):
        problem = "takes no model name" if name else "needs a model name after the colon"
        raise UnknownModel(f"{stripped[:80]!r}: {provider}: {problem}", hint=_known())
    return ModelString(provider=provider, name=name)


def _bare(text: str) -> ModelString:
    if text == "offline":
        return ModelString(provider="offline", name="")
    for beginning, provider in _BARE_NAMES:
        if text.startswith(beginning):
            hint = f"{text} was taken for {provider}:{text}"
            return ModelString(provider=provider, name=text, hint=hint)
    raise UnknownModel(
        f"{text[:80]!r} names no provider" if text else "no model is named",
        hint=_suggestion(text.lower()),
    )


def _suggestion(wrong: str) -> str:
    close = difflib.get_close_matches(wrong, KNOWN_PROVIDERS, n=1, cutoff=0.6)
    return f"Did you mean {close[0]}:? {_known()}" if close else _known()


def _known() -> str:
    return "Known: " + ", ".join(f"{provider}:" for provider in KNOWN_PROVIDERS) + "."


def model_info(provider: str, name: str) -> ModelInfo:
    """The row whose `match` is the longest beginning of `name`, ending where a part of it ends.

    A name no row begins gets a window of 64,000 (Z19) and `known` False.

    >>> model_info("anthropic", "claude-opus-4-5-20251101").window
    200000
    """
    fitting = [row for row in rows() if row.provider == provider and _begins(name, match=row.match)]
    if fitting:
        return max(fitting, key=lambda row: len(row.match))
    return ModelInfo(
        provider=provider,
        match="",
        window=UNKNOWN_WINDOW,
        max_input=UNKNOWN_WINDOW,
        max_output=UNKNOWN_OUTPUT,
        family=_MAKERS.get(provider, Family.OTHER),
        cache_minimum=UNKNOWN_CACHE_MINIMUM,
        source="assumed: the model is not in the table",
        as_of="",
    )


def _begins(name: str, *, match: str) -> bool:
    rest = name[len(match) :]
    return name.startswith(match) and (not match or not rest[:1].isalnum())


@cache
def rows() -> tuple[ModelInfo, ...]:
    """The table of known models, in no promised order."""
    text = files("stratal").joinpath("assets/models.json").read_bytes()
    return TypeAdapter(tuple[ModelInfo, ...]).validate_json(text)
