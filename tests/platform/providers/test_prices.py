from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.providers.prices import Cost, Prices, cost
from stratal.providers.provider import Usage

LONG = Prices(input=Decimal(4), output=Decimal(15), cache_read=Decimal("0.4"))
PRICES = Prices(
    input=Decimal(2),
    output=Decimal(10),
    cache_read=Decimal("0.2"),
    cache_write=Decimal("2.5"),
    above=272_000,
    long=LONG,
)


def test_input_is_paid_by_where_it_came_from() -> None:
    usage = Usage(input=100_000, output=1_000, cache_read=80_000, cache_write=10_000)

    paid = cost(usage, PRICES)

    assert paid == Cost(
        uncached=Decimal("0.02"),  # 10,000 at 2
        cache_read=Decimal("0.016"),  # 80,000 at 0.2
        cache_write=Decimal("0.025"),  # 10,000 at 2.5
        output=Decimal("0.01"),  # 1,000 at 10
    )
    assert str(paid) == "$0.0710"


def test_without_prices_nobody_knows_the_cost() -> None:
    assert cost(Usage(input=5), None) is None


def test_a_cache_price_that_is_not_known_is_that_of_plain_input() -> None:
    plain = Prices(input=Decimal(2), output=Decimal(10))

    paid = cost(Usage(input=1_000_000, cache_read=400_000, cache_write=600_000), plain)

    assert paid is not None
    assert paid.total == 2


@pytest.mark.parametrize(("tokens", "dollars"), [(272_000, "0.544"), (272_001, "1.088004")])
def test_a_prompt_above_the_step_is_dearer_as_a_whole(tokens: int, dollars: str) -> None:
    paid = cost(Usage(input=tokens), PRICES)

    assert paid is not None
    assert paid.total == Decimal(dollars)


def test_more_cached_than_read_costs_no_negative_rest() -> None:
    paid = cost(Usage(input=10, cache_read=100), PRICES)

    assert paid is not None
    assert paid.uncached == 0


@pytest.mark.parametrize(
    ("dollars", "shown"),
    [
        ("0", "$0.0000"),
        ("0.00000003", "<$0.0001"),
        ("0.0123", "$0.0123"),
        ("1234.5", "$1,234.5000"),
    ],
)
def test_a_cost_reads_in_dollars(dollars: str, shown: str) -> None:
    none = Decimal(0)

    paid = Cost(uncached=Decimal(dollars), cache_read=none, cache_write=none, output=none)

    assert str(paid) == shown


@given(*(st.integers(0, 10**7),) * 4)
def test_costs_add_up_exactly(uncached: int, read: int, written: int, output: int) -> None:
    plain = Prices(
        input=Decimal("0.1"),
        output=Decimal("0.7"),
        cache_read=Decimal("0.01"),
        cache_write=Decimal("0.125"),
    )
    usage = Usage(
        input=uncached + read + written, output=output, cache_read=read, cache_write=written
    )

    once = cost(usage, plain)

    assert once is not None
    assert (once + once).total == 2 * once.total
    thousandths = uncached * 100 + read * 10 + written * 125 + output * 700
    assert once.total * 10**9 == thousandths
