"""Which model of a maker to take for strong, usual, or cheap work."""

import re
from decimal import Decimal

from stratal.errors import UnknownModel
from stratal.providers.model_string import ModelString
from stratal.providers.model_table import ModelInfo, Tier, rows

# Their names are what somebody called a deployment or a file, so no row of ours is one of theirs.
_NAMED_BY_USERS = frozenset({"azure", "ollama", "openai-chat"})
_DATE = re.compile(r"\b(?:20\d{6}|20\d\d-\d\d-\d\d|\d\d-20\d\d|\d{4})\b")
# The first number that is no size (120b).
_VERSION = re.compile(r"(?<!\d)(\d{1,2})(?:[.-](\d{1,2})(?!\d|b\b))?(?!\d|b\b)")


def model_of_tier(provider: str, tier: Tier) -> str:
    """The newest model `provider` makes in `tier`, as `provider:name` (C7, Cs12).

    Newest is the highest version in the name; a model without an announced end goes before one with
    it, and one whose price is known before one whose price isn't. A tie goes to the shorter name,
    the less specialised one, then to the first in the alphabet. `offline` is its own model in every
    tier. Raises `UnknownModel` where names are the user's own (azure, ollama, openai-chat) and
    where nobody is in the tier.

    >>> model_of_tier("anthropic", Tier.LOW)
    'anthropic:claude-haiku-5-5'
    """
    if provider == "offline":
        return str(ModelString(provider="offline", name=""))
    if provider in _NAMED_BY_USERS:
        raise UnknownModel(
            f"{provider}: has no {tier} model of its own: its names are yours",
            hint="Name the model to use, as provider:model.",
        )
    found = [row for row in rows() if row.provider == provider and row.tier == tier and row.match]
    if not found:
        raise UnknownModel(
            f"the table has no {tier} model of {provider!r}",
            hint="`stratal models` lists what is known.",
        )
    best = min(found, key=_newest_first)
    return str(ModelString(provider=provider, name=best.match))


def _newest_first(row: ModelInfo) -> tuple[bool, bool, Decimal, int, str]:
    ends, unpriced = bool(row.retires), row.prices is None
    return (ends, unpriced, -version_of(row.match), len(row.match), row.match)


def version_of(name: str) -> Decimal:
    """The version in a model's name; 0 where there is none.

    Makers count 4.20 as 4.2, before 4.7.

    >>> version_of("claude-opus-4-5-20251101"), version_of("gpt-oss-120b")
    (Decimal('4.5'), Decimal('0'))
    """
    found = _VERSION.search(_DATE.sub("", name))
    return Decimal(f"{found[1]}.{found[2] or 0}") if found else Decimal(0)
