"""The table of known models: what each takes, what it costs, and who says so.

`scripts/make_models.py` writes the table, `assets/models.json`; tests check it row by row, so that
reading it needs no validation (that would cost a command more than the reading).
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NotRequired, TypedDict, cast

from stratal.providers.prices import Prices

TABLE = Path(__file__).parents[1] / "assets" / "models.json"


class Family(StrEnum):
    """Which tokenizer a model counts with; the keys of `stratal.tokens.families.FACTORS`."""

    OPENAI = "openai"  # o200k
    CLAUDE_OLD = "claude-4.6"  # and everything older
    CLAUDE = "claude"  # from 4.7 on: about a third more tokens for the same text
    OFFLINE = "offline"
    OTHER = "other"


class Tier(StrEnum):
    """How strong and how dear a model is among those of its maker (Cs12)."""

    HIGH = "high"
    DEFAULT = "default"
    LOW = "low"


class Flag(StrEnum):
    """What a model can do."""

    TOOLS = "tools"
    VISION = "vision"
    PDF = "pdf"
    AUDIO = "audio"
    REASONING = "reasoning"
    SCHEMA = "schema"  # answers in a given JSON schema
    PREFILL = "prefill"  # a request may end with the beginning of the answer
    CACHING = "caching"
    MID_CONVERSATION_SYSTEM = "mid_conversation_system"  # role `system` inside the messages
    NO_SAMPLING = "no_sampling"  # refuses temperature and top_p


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
    tier: Tier = Tier.DEFAULT
    flags: tuple[Flag, ...] = ()
    prices: Prices | None = None  # None: not known
    checked: str = ""  # what a second source says: `agrees`, `differs: ...`, `absent`
    retires: str = ""  # ISO day its maker shuts it down; empty: none is announced

    @property
    def known(self) -> bool:
        """False when the numbers are guesses for a model that is not in the table."""
        return bool(self.match) or self.provider == "offline"

    def fits(self, *, input: int, output: int) -> bool:
        """Whether a prompt of `input` tokens leaves room for `output` more."""
        return input <= self.max_input and input + output <= self.window


class _Rates(TypedDict):
    input: Decimal | int
    output: Decimal | int
    cache_read: NotRequired[Decimal | int]
    cache_write: NotRequired[Decimal | int]
    above: NotRequired[int]
    long: NotRequired["_Rates"]


class _Row(TypedDict):
    provider: str
    match: str
    window: int
    max_input: int
    max_output: int
    family: str
    cache_minimum: int
    tier: str
    flags: list[str]
    prices: NotRequired[_Rates]
    source: str
    as_of: str
    checked: str
    retires: NotRequired[str]


@cache
def rows() -> tuple[ModelInfo, ...]:
    """The table of known models, by provider and then by `match`."""
    return parsed(TABLE.read_bytes())


def parsed(table: bytes) -> tuple[ModelInfo, ...]:
    """The rows of a table as `scripts/make_models.py` writes it."""
    found = cast("Iterable[_Row]", json.loads(table, parse_float=Decimal))
    return tuple(_info(row) for row in found)


def _info(row: _Row) -> ModelInfo:
    rates = row.get("prices")
    return ModelInfo(
        provider=row["provider"],
        match=row["match"],
        window=row["window"],
        max_input=row["max_input"],
        max_output=row["max_output"],
        family=Family(row["family"]),
        cache_minimum=row["cache_minimum"],
        source=row["source"],
        as_of=row["as_of"],
        tier=Tier(row["tier"]),
        flags=tuple(Flag(flag) for flag in row["flags"]),
        prices=None if rates is None else _prices(rates),
        checked=row["checked"],
        retires=row.get("retires", ""),
    )


def _prices(rates: _Rates) -> Prices:
    long = rates.get("long")
    return Prices(
        input=Decimal(rates["input"]),
        output=Decimal(rates["output"]),
        cache_read=_price(rates.get("cache_read")),
        cache_write=_price(rates.get("cache_write")),
        above=rates.get("above", 0),
        long=None if long is None else _prices(long),
    )


def _price(rate: Decimal | int | None) -> Decimal | None:
    return None if rate is None else Decimal(rate)
