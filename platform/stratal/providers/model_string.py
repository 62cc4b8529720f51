"""Which provider and model a string names."""

import difflib
from dataclasses import dataclass, field

from stratal.errors import UnknownModel

KNOWN_PROVIDERS = ("anthropic", "openai", "offline", "azure", "ollama", "openai-chat")
AVAILABLE_PROVIDERS = KNOWN_PROVIDERS
_BARE_NAMES = (("claude-", "anthropic"), ("gpt-", "openai"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelString:
    """A provider and the name it gives its model; `offline` has none."""

    provider: str
    name: str
    hint: str = field(default="", compare=False)  # for people, where the string was a short form

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}"


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
