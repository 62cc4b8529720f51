"""What a request costs, in US dollars."""

from dataclasses import dataclass
from decimal import Decimal

from stratal.providers.provider import Usage

_MILLION = Decimal(1_000_000)
_ZERO = Decimal(0)
SMALLEST_SHOWN = Decimal("0.0001")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """US dollars for a million tokens; None: the source gives no price of its own for it."""

    input: Decimal
    output: Decimal
    cache_read: Decimal | None = None
    cache_write: Decimal | None = None  # the short-lived one, where there are several
    above: int = 0  # a prompt of more tokens is billed by `long`, all of it; 0: there is no `long`
    long: "Prices | None" = None

    def __str__(self) -> str:
        return f"${self.input:f}/${self.output:f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """US dollars, exact, by what they were paid for; their sum reads as `$0.0123`."""

    uncached: Decimal
    cache_read: Decimal
    cache_write: Decimal
    output: Decimal

    @property
    def total(self) -> Decimal:
        """All parts together."""
        return self.uncached + self.cache_read + self.cache_write + self.output

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            uncached=self.uncached + other.uncached,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            output=self.output + other.output,
        )

    def __str__(self) -> str:
        if _ZERO < self.total < SMALLEST_SHOWN:
            return f"<${SMALLEST_SHOWN}"
        return f"${self.total:,.4f}"


def cost(usage: Usage, prices: Prices | None) -> Cost | None:
    """What `usage` costs; None where no prices are known.

    `usage.input` includes what was read from and written to the cache. A cache price that is not
    known counts as the price of plain input.

    >>> str(cost(Usage(input=10_000, output=500), Prices(input=Decimal(1), output=Decimal(5))))
    '$0.0125'
    """
    if prices is None:
        return None
    rates = _rates(usage, prices)
    uncached = max(0, usage.input - usage.cache_read - usage.cache_write)
    return Cost(
        uncached=_paid(uncached, rates.input),
        cache_read=_paid(usage.cache_read, _or_input(rates.cache_read, rates)),
        cache_write=_paid(usage.cache_write, _or_input(rates.cache_write, rates)),
        output=_paid(usage.output, rates.output),
    )


def _rates(usage: Usage, prices: Prices) -> Prices:
    if prices.long is not None and usage.input > prices.above:
        return prices.long
    return prices


def _or_input(price: Decimal | None, prices: Prices) -> Decimal:
    return prices.input if price is None else price


def _paid(tokens: int, price: Decimal) -> Decimal:
    return tokens * price / _MILLION
