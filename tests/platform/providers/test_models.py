from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.errors import UnknownModel
from stratal.providers.models import Family, ModelString, model_info, parse_model, rows
from stratal.tokens.families import FACTORS, family_of


@pytest.mark.parametrize(
    ("text", "provider", "name"),
    [
        ("anthropic:claude-opus-5-5", "anthropic", "claude-opus-5-5"),
        ("openai:gpt-6-sol", "openai", "gpt-6-sol"),
        ("OpenAI: gpt-6-sol ", "openai", "gpt-6-sol"),
        ("ollama:llama3:70b", "ollama", "llama3:70b"),
        ("azure:my-deployment", "azure", "my-deployment"),
        ("openai-chat:qwen", "openai-chat", "qwen"),
        ("offline:", "offline", ""),
        ("offline", "offline", ""),
    ],
)
def test_a_model_string_is_split_at_its_first_colon(text: str, provider: str, name: str) -> None:
    assert parse_model(text) == ModelString(provider=provider, name=name)


@pytest.mark.parametrize(
    ("text", "whole"),
    [("claude-opus-5-5", "anthropic:claude-opus-5-5"), ("gpt-6-sol", "openai:gpt-6-sol")],
)
def test_a_bare_name_is_taken_for_its_makers_with_a_hint(text: str, whole: str) -> None:
    model = parse_model(text)

    assert str(model) == whole
    assert whole in model.hint


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("antropic:claude-opus-5-5", "anthropic:"),
        ("olama:llama3", "ollama:"),
        ("ofline", "offline:"),
    ],
)
def test_an_unknown_prefix_gets_a_suggestion_and_the_known_ones(text: str, suggestion: str) -> None:
    with pytest.raises(UnknownModel) as caught:
        parse_model(text)

    assert f"Did you mean {suggestion}?" in caught.value.hint
    for known in ("anthropic:", "openai:", "offline:", "azure:", "ollama:", "openai-chat:"):
        assert known in caught.value.hint


@pytest.mark.parametrize(
    "text", ["", "   ", ":", "anthropic:", "openai: ", "offline:gpt", "llama3"]
)
def test_a_string_that_names_no_model_is_refused(text: str) -> None:
    with pytest.raises(UnknownModel):
        parse_model(text)


@given(st.text(max_size=100))
def test_any_text_is_a_model_that_reads_back_or_a_typed_error(text: str) -> None:
    with suppress(UnknownModel):
        model = parse_model(text)
        assert parse_model(str(model)) == model


# covers O10, Z18
@pytest.mark.parametrize(
    ("provider", "name", "window", "max_input", "max_output"),
    [
        ("anthropic", "claude-opus-5-5", 1_000_000, 1_000_000, 128_000),
        ("anthropic", "claude-sonnet-4-6", 1_000_000, 1_000_000, 128_000),
        ("anthropic", "claude-haiku-4-5-20251001", 200_000, 200_000, 64_000),
        ("openai", "gpt-6-sol", 1_050_000, 922_000, 128_000),
        ("openai", "gpt-5.4-2026-03-05", 1_050_000, 922_000, 128_000),
        ("openai", "gpt-5-mini", 400_000, 272_000, 128_000),
        ("openai", "gpt-4o-mini", 128_000, 128_000, 16_384),
        ("openai", "gpt-4.1", 1_047_576, 1_047_576, 32_768),
    ],
)
def test_known_models_have_their_numbers(
    provider: str, name: str, window: int, max_input: int, max_output: int
) -> None:
    info = model_info(provider, name)

    assert (info.window, info.max_input, info.max_output) == (window, max_input, max_output)
    assert info.known


def test_the_longest_beginning_wins_and_ends_at_a_boundary() -> None:
    assert model_info("anthropic", "claude-opus-5").cache_minimum == 512
    assert model_info("anthropic", "claude-fable-5-2").match == "claude-fable-5-2"
    assert model_info("anthropic", "claude-fable-5-1-20260801").match == "claude-fable-5-1"
    assert not model_info("openai", "gpt-50").known


def test_the_table_and_the_token_counters_agree_on_families() -> None:
    for row in rows():
        family = model_info(row.provider, row.match).family.value
        assert family == family_of(provider=row.provider, model=row.match)
        assert family in FACTORS


# covers Z19
def test_an_unknown_model_gets_64_000_tokens_and_its_makers_newest_tokenizer() -> None:
    info = model_info("anthropic", "claude-nobody-9")

    assert (info.window, info.known, info.family) == (64_000, False, Family.CLAUDE)
    assert model_info("ollama", "llama3:70b").family == Family.OTHER


def test_offline_has_a_window_of_its_own() -> None:
    info = model_info("offline", "")

    assert (info.window, info.known) == (100_000, True)


def test_a_request_fits_when_the_sum_and_the_input_fit() -> None:
    info = model_info("openai", "gpt-6-sol")

    assert info.fits(input=922_000, output=128_000)
    assert not info.fits(input=922_001, output=1)
    assert not info.fits(input=922_000, output=128_001)


def test_every_row_of_the_table_is_sound_and_dated() -> None:
    named = [(row.provider, row.match) for row in rows()]

    assert len(named) == len(set(named))
    for provider, match in named:
        info = model_info(provider, match)
        assert info.match == match
        assert 0 < info.max_output <= info.window
        assert info.max_input <= info.window
        assert info.source
        assert info.as_of.startswith("2026-")
