import re
from importlib.resources import files

import pytest
from pydantic import TypeAdapter

from stratal.providers.model_table import Family, Flag, ModelInfo, Tier, rows
from stratal.providers.models import Way, bare, find_model
from stratal.tokens.families import FACTORS, family_of

AS_OF = "2026-11-20"


# covers Z18
def test_more_than_300_models_are_known_of_more_than_15_providers() -> None:
    assert len(rows()) >= 300
    assert len({row.provider for row in rows()}) > 15


def test_the_table_is_what_its_types_say() -> None:
    table = files("stratal").joinpath("assets/models.json").read_bytes()

    assert TypeAdapter(tuple[ModelInfo, ...]).validate_json(table) == rows()


def test_one_row_stands_on_one_line_and_they_are_in_order() -> None:
    lines = files("stratal").joinpath("assets/models.json").read_text().splitlines()

    keys = [(row.provider, row.match) for row in rows()]
    assert len(lines) == len(keys) + 2
    assert keys == sorted(keys)


def test_no_row_stands_twice_in_any_spelling() -> None:
    named = [(row.provider, row.match.casefold().replace(".", "-")) for row in rows()]

    assert len(named) == len(set(named))


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.provider}:{row.match}")
def test_a_row_is_sound_dated_checked_and_found_by_its_own_name(row: ModelInfo) -> None:
    assert 0 < row.max_input <= row.window
    assert 0 < row.max_output <= row.window
    assert 0 <= row.cache_minimum <= 4_096
    assert row.source
    assert re.fullmatch(r"2026-\d\d-\d\d", row.as_of)
    assert re.match(r"agrees|absent|differs: ", row.checked)
    assert len(set(row.flags)) == len(row.flags)
    if row.match:
        assert find_model(row.provider, row.match).info == row
        assert find_model(row.provider, row.match).way == Way.EXACT


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.provider}:{row.match}")
def test_prices_are_per_million_and_the_cache_is_cheaper_to_read(row: ModelInfo) -> None:
    if row.prices is None:
        return
    prices = row.prices
    assert 0 < prices.input <= 1_000
    assert 0 < prices.output <= 1_000
    assert prices.cache_read is None or 0 < prices.cache_read <= prices.input
    assert bool(prices.above) == (prices.long is not None)
    if prices.long is not None:
        assert prices.long.input >= prices.input
        assert prices.above >= 32_000


def test_a_model_that_is_shut_down_is_there_only_because_zeus_names_it() -> None:
    gone = {row.match for row in rows() if row.retires and row.retires <= AS_OF}

    assert gone == {"gpt-4-turbo", "claude-3-5-sonnet"}


def test_the_table_and_the_token_counters_agree_on_families() -> None:
    for row in rows():
        maker = "" if row.provider == "azure" else row.provider  # Azure hosts more than OpenAI's
        assert row.family == family_of(provider=maker, model=bare(row.match))
        assert row.family in FACTORS


def test_models_of_one_claude_count_alike_wherever_they_are_hosted() -> None:
    families = {row.family for row in rows() if bare(row.match).startswith("claude-opus-5")}

    assert families == {Family.CLAUDE}


# PROVIDERS, section 4. (provider, name, window, max input, max output)
@pytest.mark.parametrize(
    ("name", "window", "reads", "writes"),
    [
        *(
            (f"claude-{name}", 1_000_000, 1_000_000, 128_000)
            for name in (
                "fable-5-2",
                "fable-5-1",
                "opus-5-5",
                "sonnet-5-5",
                "haiku-5-5",
                "opus-5",
                "sonnet-5",
                "opus-4-8",
                "opus-4-7",
                "opus-4-6",
                "sonnet-4-6",
            )
        ),
        *(
            (f"claude-{name}", 200_000, 200_000, 64_000)
            for name in ("haiku-4-5", "opus-4-5", "sonnet-4-5")
        ),
        *(
            (f"gpt-{name}", 1_050_000, 922_000, 128_000)
            for name in (
                "6-astra",
                "6.1-sol",
                "6.1-terra",
                "6-sol",
                "6-luna",
                "5.6-sol",
                "5.6-terra",
                "5.6-luna",
                "5.5",
                "5.4",
            )
        ),
        *((f"gpt-{name}", 400_000, 272_000, 128_000) for name in ("5", "5.1", "5.2", "5.3")),
        ("gpt-4o", 128_000, 128_000, 16_384),
        ("gpt-4.1", 1_047_576, 1_047_576, 32_768),
    ],
)
def test_makers_own_numbers_win(name: str, window: int, reads: int, writes: int) -> None:
    [row] = [row for row in rows() if row.match == name and row.provider in ("anthropic", "openai")]

    assert (row.window, row.max_input, row.max_output) == (window, reads, writes)


@pytest.mark.parametrize(
    ("minimum", "names"),
    [
        (512, ("opus-5", "opus-5-5", "sonnet-5-5", "haiku-5-5", "fable-5", "fable-5-1")),
        (1_024, ("sonnet-4-5", "sonnet-5", "opus-4-8")),
        (2_048, ("opus-4-7",)),
        (4_096, ("opus-4-5", "opus-4-6", "haiku-4-5")),
    ],
)
def test_cache_minimums_are_anthropics(minimum: int, names: tuple[str, ...]) -> None:
    found = {row.match: row.cache_minimum for row in rows() if row.provider == "anthropic"}

    assert {found[f"claude-{name}"] for name in names} == {minimum}


def test_a_host_never_gives_more_than_the_maker() -> None:
    makers = {row.match: row for row in rows() if row.provider in ("anthropic", "openai")}
    hosted = [row for row in rows() if row.provider in ("azure", "bedrock")]

    compared = 0
    for row in hosted:
        maker = makers.get(row.match.removeprefix("anthropic.").removeprefix("openai."))
        if maker is not None:
            compared += 1
            assert row.window <= maker.window
            assert row.max_input <= maker.max_input
            assert row.max_output <= maker.max_output
            assert row.cache_minimum == maker.cache_minimum
    assert compared > 30


def test_flags_follow_what_the_providers_say() -> None:
    found = {row.match: row.flags for row in rows() if row.provider == "anthropic"}

    assert Flag.PREFILL in found["claude-sonnet-4-5"]
    assert Flag.PREFILL not in found["claude-opus-4-6"]
    assert Flag.MID_CONVERSATION_SYSTEM in found["claude-opus-4-8"]
    assert Flag.MID_CONVERSATION_SYSTEM not in found["claude-opus-4-7"]


def test_openai_charges_more_above_272_000_tokens() -> None:
    [sol] = [row for row in rows() if (row.provider, row.match) == ("openai", "gpt-6-sol")]

    assert sol.prices is not None
    assert sol.prices.above == 272_000
    assert sol.prices.long is not None
    assert sol.prices.long.input == 2 * sol.prices.input


# covers Cs12
def test_tiers_go_by_the_makers_own_names() -> None:
    tiers = {row.match: row.tier for row in rows() if row.provider in ("anthropic", "openai")}

    assert tiers["claude-opus-5-5"] == tiers["gpt-6-astra"] == Tier.HIGH
    assert tiers["claude-sonnet-5-5"] == tiers["gpt-6-sol"] == Tier.DEFAULT
    assert tiers["claude-haiku-5-5"] == tiers["gpt-6-luna"] == Tier.LOW
