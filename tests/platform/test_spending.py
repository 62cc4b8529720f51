"""A turn ends, with words that say why, once it has taken what it may."""

from decimal import Decimal

import pytest

from stratal.providers.prices import Prices
from stratal.providers.provider import Completion, StopReason, Usage
from stratal.settings import load_settings
from stratal.spending import NO_PRICES, Limits, limit_reached
from stratal.tools.tool import tool
from stratal_memory.records import Role, ToolCall
from tests.platform.conftest import OpenAgent, OpenTalker
from tests.platform.talking import Talker

PRICES = Prices(input=Decimal(1), output=Decimal(5))


def took(input: int, output: int = 0) -> Completion:
    return Completion(text="", usage=Usage(input=input, output=output))


def test_nothing_is_reached_before_the_first_call() -> None:
    assert Limits(steps=1, tokens=1, dollars=Decimal("0.01")).reached([], PRICES) == ""


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (Limits(steps=2), "2 model calls"),
        (Limits(steps=9, tokens=600), "600 tokens (600 used)"),
        (Limits(steps=9, dollars=Decimal("0.001")), "$0.001 ($0.0010 used)"),
    ],
)
def test_the_limit_that_is_reached_is_named(limits: Limits, told: str) -> None:
    # Two calls: 500 tokens in at $1 and 100 out at $5 for a million: $0.0010.
    assert told in limits.reached([took(250, 50), took(250, 50)], PRICES)


@pytest.mark.parametrize(
    ("limits", "share"),
    [
        (Limits(steps=2), "2 calls"),
        (Limits(steps=9, tokens=1), "1 tokens"),
        (Limits(steps=9, dollars=Decimal("0.0001")), "$0.0001"),
    ],
)
def test_an_answer_that_is_a_limit_is_known_as_such(limits: Limits, share: str) -> None:
    told = limits.reached([took(250, 50), took(250, 50)], PRICES)

    assert limit_reached(told) == share
    assert limit_reached(f"{told} Or so.") == ""
    assert limit_reached("") == ""


def test_a_limit_holds_only_when_it_is_reached() -> None:
    limits = Limits(steps=3, tokens=601, dollars=Decimal("0.0011"))

    assert limits.reached([took(250, 50), took(250, 50)], PRICES) == ""


def test_a_limit_in_dollars_without_prices_is_told() -> None:
    limits = Limits(steps=9, dollars=Decimal("0.01"))

    assert limits.reached([took(10**9)], None) == ""
    assert limits.warnings(None) == (NO_PRICES,)
    assert limits.warnings(PRICES) == ()


def look() -> str:
    """What there is to see."""
    return "A field."


@pytest.mark.parametrize(
    ("setting", "value", "told"),
    [("MAX_TOKENS", "2000", "2,000 tokens"), ("MAX_DOLLARS", "0.004", "$0.004")],
)
def test_a_turn_that_spends_too_much_ends_with_an_answer_of_ours(
    open_talker: OpenTalker, setting: str, value: str, told: str
) -> None:
    # RELIABILITY C4: a loop ends
    calls = iter(range(99))

    def endless(request: object) -> Completion:
        made = ToolCall(id=f"c{next(calls)}", name="look", arguments="{}")
        usage = Usage(input=700, output=0)
        return Completion(text="", tool_calls=(made,), stop=StopReason.TOOLS, usage=usage)

    agent = open_talker(
        Talker(endless), {f"STRATAL_TURN__{setting}": value}, tools=(tool(look, writes=False),)
    )

    reply = agent.send("Look around")

    history = agent.messages(agent.session())
    assert told in reply.text
    assert reply.usage.input == 2_100
    assert history[-1].role is Role.ASSISTANT
    assert history[-2].role is Role.TOOL  # the last call is answered, too


def test_limits_are_off_unless_they_are_set(open_agent: OpenAgent) -> None:
    settings = load_settings(environment={})

    assert (settings.turn.max_tokens, settings.turn.max_dollars) == (None, None)
