"""Which family of tokenizers a model belongs to, and how its counts compare to o200k."""

import re

# PROVIDERS, section 5: tokens of a text against o200k. Measured with an unofficial reconstruction
# of Claude's tokenizers; the factor is at the upper end, because too few is what fails.
FACTORS = {
    "openai": 1.0,
    "offline": 1.0,
    "claude-4.6": 1.30,  # and everything older
    "claude": 1.70,  # 4.7 and later
    "other": 1.2,
}
NEW_CLAUDE = (4, 7)

_CLAUDE_VERSION = re.compile(r"claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?")


def family_of(*, provider: str, model: str) -> str:
    """The family of a model, a key of `FACTORS`; a Claude of unknown version counts as new.

    >>> family_of(provider="anthropic", model="claude-sonnet-4-20250514")
    'claude-4.6'
    >>> family_of(provider="anthropic", model="claude-opus-4-7")
    'claude'
    >>> family_of(provider="ollama", model="llama3:70b")
    'other'
    """
    if provider in {"offline", "scripted"}:
        return "offline"
    if "claude" in model:
        return _claude(model)
    if provider in {"openai", "azure"} or re.match(r"(gpt-|o\d|chatgpt)", model):
        return "openai"
    return "claude" if provider == "anthropic" else "other"


def _claude(model: str) -> str:
    found = _CLAUDE_VERSION.search(model)
    if found is None:
        return "claude"
    version = (int(found[1]), int(found[2] or 0))
    return "claude" if version >= NEW_CLAUDE else "claude-4.6"
