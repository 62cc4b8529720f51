from decimal import Decimal

import pytest

from stratal.errors import UnknownModel
from stratal.providers.models import Tier, model_info, parse_model
from stratal.providers.tiers import model_of_tier, version_of


# covers C7, Cs12
@pytest.mark.parametrize(
    ("provider", "tier", "model"),
    [
        ("anthropic", Tier.HIGH, "anthropic:claude-opus-5-5"),
        ("anthropic", Tier.DEFAULT, "anthropic:claude-sonnet-5-5"),
        ("anthropic", Tier.LOW, "anthropic:claude-haiku-5-5"),
        ("openai", Tier.HIGH, "openai:gpt-6-astra"),
        ("openai", Tier.DEFAULT, "openai:gpt-6.1-sol"),
        ("openai", Tier.LOW, "openai:gpt-6-luna"),
        ("gemini", Tier.LOW, "gemini:gemini-3.5-flash-lite"),
    ],
)
def test_the_newest_of_a_tier_is_taken(provider: str, tier: Tier, model: str) -> None:
    assert model_of_tier(provider, tier) == model


@pytest.mark.parametrize("tier", Tier)
def test_offline_is_its_own_model_in_every_tier(tier: Tier) -> None:
    assert model_of_tier("offline", tier) == "offline:"


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_what_a_tier_names_can_be_opened_and_is_cheaper_further_down(provider: str) -> None:
    found = [parse_model(model_of_tier(provider, tier)) for tier in Tier]

    prices = [model_info(one.provider, one.name).prices for one in found]
    dollars = [price.output for price in prices if price is not None]
    assert len(dollars) == 3
    assert dollars == sorted(dollars, reverse=True)


@pytest.mark.parametrize("provider", ["azure", "ollama", "openai-chat", "nobody", ""])
def test_where_names_are_the_users_own_no_tier_is_guessed(provider: str) -> None:
    with pytest.raises(UnknownModel) as caught:
        model_of_tier(provider, Tier.LOW)

    assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("claude-opus-5-5", "5.5"),
        ("claude-opus-5-20260801", "5"),
        ("gpt-6.1-sol", "6.1"),
        ("grok-4.20", "4.2"),
        ("deepseek-v4.1-flash", "4.1"),
        ("mistral-large-2512", "0"),
        ("command-r7b-12-2024", "0"),
        ("ministral-3-14b", "3"),
        ("", "0"),
    ],
)
def test_a_version_is_no_date_and_no_size(name: str, version: str) -> None:
    assert version_of(name) == Decimal(version)
