from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.errors import UnknownModel
from stratal.providers.model_string import ModelString, parse_model


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
