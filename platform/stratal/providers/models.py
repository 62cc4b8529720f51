"""What is known of the model a string names, and which row of the table says so."""

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from types import MappingProxyType

from stratal.errors import ConfigError
from stratal.providers.model_string import (
    AVAILABLE_PROVIDERS,
    KNOWN_PROVIDERS,
    ModelString,
    parse_model,
)
from stratal.providers.model_table import Family, Flag, ModelInfo, Tier, rows

__all__ = [
    "AVAILABLE_PROVIDERS",
    "KNOWN_PROVIDERS",
    "Family",
    "Flag",
    "Match",
    "ModelInfo",
    "ModelString",
    "Tier",
    "Way",
    "bare",
    "find_model",
    "model_info",
    "near",
    "parse_model",
    "rows",
]

# Z19: what is assumed of a model we know nothing of. The output is our own choice, an eighth of
# what is known to fit.
UNKNOWN_WINDOW = 64_000
UNKNOWN_OUTPUT = 8_192
# PROVIDERS, "cache minimum": an unknown model is taken for the most demanding.
UNKNOWN_CACHE_MINIMUM = 4_096

# A maker's next model counts like its newest one.
_MAKERS = {"anthropic": Family.CLAUDE, "openai": Family.OPENAI, "azure": Family.OPENAI}
# A server of one's own serves the window it was set up with, whatever the model could take
# elsewhere (PROVIDERS, "Ollama"): no row is borrowed for it.
_OWN_WINDOW = frozenset({"ollama", "offline"})
# Whose row is borrowed when several know the name equally well: makers before those who host.
_HOSTS = ("azure", "bedrock", "groq", "together", "cerebras", "sambanova", "perplexity", "ollama")

_REGION = re.compile(r"^(?:global|apac|us-gov|us|eu|au|jp|in|ca|sa|me)\.")  # of Bedrock profiles
_VENDOR = re.compile(r"^[a-z][a-z0-9-]*\.(?=[a-z])")  # anthropic.claude-..., not gpt-5.4

NOTHING: Mapping[str, str] = MappingProxyType({})
NO_WINDOWS: Mapping[str, int] = MappingProxyType({})


class Way(StrEnum):
    """How a name came to its numbers, surest first."""

    SETTING = "setting"
    ENDPOINT = "endpoint"  # the provider was asked
    EXACT = "exact"
    PREFIX = "prefix"
    OTHER_PROVIDER = "other provider"
    FALLBACK = "provider fallback"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What a name takes, how that was found, and why in a sentence."""

    info: ModelInfo
    way: Way
    why: str


def model_info(
    provider: str,
    name: str,
    *,
    deployments: Mapping[str, str] = NOTHING,
    windows: Mapping[str, int] = NO_WINDOWS,
) -> ModelInfo:
    """What the model takes; `find_model` says why.

    A name that nothing is known of gets a window of 64,000 (Z19) and `known` False.

    >>> model_info("anthropic", "claude-opus-4-5-20251101").window
    200000
    """
    return find_model(provider, name, deployments=deployments, windows=windows).info


def find_model(
    provider: str,
    name: str,
    *,
    deployments: Mapping[str, str] = NOTHING,
    windows: Mapping[str, int] = NO_WINDOWS,
) -> Match:
    """The row whose `match` is the longest beginning of `name`, ending where a part of it ends.

    Rows of `provider` come first, then those of others for the same model (`bedrock` names and
    `maker/model` are read for the model in them), then what is assumed for the provider, then
    64,000 (Z19). `deployments` says which model an Azure deployment runs, `windows` which window
    the user set, by `provider:name` or by name alone. Raises `ConfigError` for a window below 1.
    """
    model = deployments.get(name, name)
    found = _own(provider, model) or _borrowed(provider, model) or _fallback(provider, model)
    if model != name:
        found = replace(found, why=f"the deployment {name} runs {model}; {found.why}")
    window = windows.get(f"{provider}:{name}", windows.get(name))
    return found if window is None else _with_window(found, window, name=name)


def near(provider: str, name: str, *, limit: int = 3) -> tuple[str, ...]:
    """Known models whose names look like `name`, best first, as `provider:name`.

    Of all providers where `provider` is empty; then a maker's name stands for its hosts' too.
    """
    named: dict[str, str] = {}
    for key, row in _everybodys():
        if provider in ("", row.provider):
            named.setdefault(key, f"{row.provider}:{row.match}")
    close = difflib.get_close_matches(bare(name), named, n=limit, cutoff=0.7)
    return tuple(named[key] for key in close)


def bare(name: str) -> str:
    """The model in `name` without region, vendor and path, in lower case, with dashes for dots.

    >>> bare("us.anthropic.claude-opus-5-v1:0"), bare("anthropic/claude-opus-4.5")
    ('claude-opus-5-v1:0', 'claude-opus-4-5')
    """
    last = name.strip().casefold().rpartition("/")[2]
    return _dashed(_VENDOR.sub("", _REGION.sub("", last)))


def _dashed(name: str) -> str:
    return name.replace(".", "-")


def _whole(name: str) -> str:
    """A name as its own provider spells it."""
    return _dashed(_REGION.sub("", name.strip().casefold()))


def _own(provider: str, name: str) -> Match | None:
    of_provider = [row for row in rows() if row.provider == provider and row.match]
    wanted = _whole(name)
    row = _longest(wanted, ((_whole(row.match), row) for row in of_provider))
    if row is None:
        wanted = bare(name)
        row = _longest(wanted, ((bare(row.match), row) for row in of_provider))
    if row is None:
        return None
    if wanted in (_whole(row.match), bare(row.match)):
        return Match(info=row, way=Way.EXACT, why=f"the table has {provider}:{row.match}")
    why = f"{provider}:{row.match} is the longest known beginning of the name"
    return Match(info=row, way=Way.PREFIX, why=why)


def _borrowed(provider: str, name: str) -> Match | None:
    if provider in _OWN_WINDOW:
        return None
    row = _longest(bare(name), _everybodys())
    if row is None:
        return None
    # What another provider charges is not this one's bill.
    info = replace(row, provider=provider, prices=None)
    why = f"{provider} has no row of its own for it; {row.provider}:{row.match} is that model"
    return Match(info=info, way=Way.OTHER_PROVIDER, why=why)


@cache
def _everybodys() -> tuple[tuple[str, ModelInfo], ...]:
    """Every row with the model's bare name, makers before hosts."""

    def rank(row: ModelInfo) -> tuple[int, str, str]:
        host = _HOSTS.index(row.provider) + 1 if row.provider in _HOSTS else 0
        return (host, row.provider, row.match)

    return tuple((bare(row.match), row) for row in sorted(rows(), key=rank) if row.match)


def _longest(name: str, keyed: Iterable[tuple[str, ModelInfo]]) -> ModelInfo | None:
    """The row with the longest key `name` begins with; the first of equally long ones."""
    fitting = [(key, row) for key, row in keyed if _begins(name, key)]
    return max(fitting, key=lambda pair: len(pair[0]))[1] if fitting else None


def _begins(name: str, key: str) -> bool:
    return name.startswith(key) and not name[len(key) : len(key) + 1].isalnum()


def _fallback(provider: str, name: str) -> Match:
    for row in rows():
        if row.provider == provider and not row.match:
            way = Way.EXACT if row.known else Way.FALLBACK
            return Match(info=row, way=way, why=f"what holds for every {provider}: model")
    info = ModelInfo(
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
    why = f"nothing is known of {name!r}, so {UNKNOWN_WINDOW:,} tokens are assumed"
    return Match(info=info, way=Way.ASSUMED, why=why)


def _with_window(found: Match, window: int, *, name: str) -> Match:
    if window < 1:
        raise ConfigError(
            f"the window set for {name} is {window:,} tokens", hint="Set at least 1 token."
        )
    old = found.info
    narrower = old.max_input < old.window
    info = replace(
        old,
        match=old.match or name,
        window=window,
        max_input=min(old.max_input, window) if narrower else window,
        max_output=min(old.max_output, window),
        source=f"the settings; else {old.source}",
    )
    return Match(info=info, way=Way.SETTING, why=f"the window was set; {found.why}")
