from importlib.util import find_spec

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratal.context.request import ToolSpec
from stratal.tokens.auto import AutoCounter, auto_counter
from stratal.tokens.families import FACTORS, family_of
from stratal_memory.records import Message, Role, ToolCall


def by_letters(family: str) -> AutoCounter:
    return AutoCounter(family=family, base=len, exact=False)


@pytest.mark.parametrize(
    ("family", "tokens"),
    [("openai", 10), ("offline", 10), ("claude-4.6", 13), ("claude", 17), ("other", 12), ("?", 12)],
)
def test_a_family_has_its_factor(family: str, tokens: int) -> None:
    assert by_letters(family).count("ten chars!") == tokens


def test_a_count_is_rounded_up() -> None:
    assert by_letters("claude-4.6").count("a") == 2
    assert by_letters("claude").count("") == 0


def test_a_text_is_counted_once() -> None:
    asked: list[str] = []

    def base(text: str) -> int:
        asked.append(text)
        return len(text)

    counter = AutoCounter(family="openai", base=base, exact=True)

    assert [counter.count(text) for text in ("a", "b", "a", "a")] == [1, 1, 1, 1]
    assert asked == ["a", "b"]


def test_messages_and_tools_carry_their_overhead() -> None:  # covers O16
    counter = by_letters("openai")
    calling = Message(
        role=Role.ASSISTANT, text="abc", tool_calls=(ToolCall(id="1", name="f", arguments="{}"),)
    )
    picture = Message(role=Role.USER, text="", media=("a.png",))

    assert counter.count_messages([calling]) == 3 + len("1functionf{}") + 4 + 12
    assert counter.count_messages([picture]) == 4 + 1_600
    assert counter.count_messages([calling, picture]) == 31 + 1_604
    assert counter.count_tools([ToolSpec(name="f", description="de", schema="{}")]) == 5 + 12


@pytest.mark.parametrize(
    ("provider", "model", "family"),
    [
        ("openai", "gpt-6-sol", "openai"),
        ("azure", "my-deployment", "openai"),
        ("offline", "", "offline"),
        ("scripted", "any", "offline"),
        ("anthropic", "claude-3-5-sonnet", "claude-4.6"),
        ("anthropic", "claude-opus-4", "claude-4.6"),
        ("anthropic", "claude-sonnet-4-20250514", "claude-4.6"),
        ("anthropic", "claude-sonnet-4-6", "claude-4.6"),
        ("anthropic", "claude-opus-4-7", "claude"),
        ("anthropic", "claude-opus-4-8", "claude"),
        ("anthropic", "claude-sonnet-5-5", "claude"),
        ("anthropic", "claude-fable-5-2-20260901", "claude"),
        ("openai-chat", "anthropic/claude-haiku-4.5", "claude-4.6"),
        ("anthropic", "something-new", "claude"),
        ("ollama", "llama3:70b", "other"),
    ],
)
def test_a_model_has_its_family(provider: str, model: str, family: str) -> None:
    assert family_of(provider=provider, model=model) == family


def test_only_openai_with_its_vocabulary_is_exact() -> None:  # covers O15
    installed = find_spec("bpe_openai") is not None

    assert auto_counter("openai").exact == installed
    assert not auto_counter("claude").exact
    assert auto_counter("claude").name == "auto:claude"


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=())), st.sampled_from(sorted(FACTORS)))
def test_any_text_can_be_counted(text: str, family: str) -> None:
    assert bool(auto_counter(family).count(text)) == bool(text)
