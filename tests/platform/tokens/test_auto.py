from dataclasses import replace
from importlib.util import find_spec

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratal.context.request import ToolSpec
from stratal.tokens.auto import REMEMBERED, AutoCounter, auto_counter
from stratal.tokens.families import FACTORS, family_of
from stratal_memory.records import Media, Message, Role, ToolCall


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
    picture = Message(role=Role.USER, text="", media=(Media(source="a.png"),))

    assert counter.count_messages([calling]) == 3 + len("1functionf{}") + 4 + 12
    assert counter.count_messages([picture]) == 4 + 14_400
    assert counter.count_messages([calling, picture]) == 31 + 14_404
    assert counter.count_tools([ToolSpec(name="f", description="de", schema="{}")]) == 5 + 12


def test_a_message_is_counted_once_however_often_it_is_read() -> None:
    asked: list[str] = []

    def base(text: str) -> int:
        asked.append(text)
        return len(text)

    counter = AutoCounter(family="openai", base=base, exact=True)
    stored = Message(role=Role.USER, text="hello", id="1", seq=7)
    read_again = Message(role=Role.USER, text="".join(["hel", "lo"]), id="1", seq=8)

    assert counter.count_messages([stored, read_again, stored]) == 3 * 9
    assert asked == ["hello"]


def test_messages_that_differ_in_anything_that_is_sent_are_counted_apart() -> None:
    counter = by_letters("openai")
    bare = Message(role=Role.USER, text="hello")
    longer = replace(bare, text="hello there")
    pictured = replace(bare, media=(Media(source="a.png", width=32, height=32),))

    counts = [counter.count_messages([message]) for message in (bare, longer, pictured)]

    assert counts == [9, 15, 9 + 2]


def test_old_counts_make_room_for_new_ones() -> None:
    asked: list[str] = []

    def base(text: str) -> int:
        asked.append(text)
        return 1

    counter = AutoCounter(family="openai", base=base, exact=True)

    assert sum(counter.count(str(number)) for number in range(REMEMBERED + 1)) == REMEMBERED + 1
    assert (counter.count("0"), counter.count(str(REMEMBERED))) == (1, 1)
    assert asked[-2:] == [str(REMEMBERED), "0"]


def test_reasoning_counts_only_where_it_is_sent_back() -> None:
    counter = by_letters("openai")
    thought = Message(role=Role.ASSISTANT, text="abc", reasoning="r" * 50)
    readable = replace(thought, opaque="o" * 60)
    sealed = replace(thought, opaque="o" * 550)

    counts = [counter.count_messages([message]) for message in (thought, readable, sealed)]

    assert counts == [7, 7 + 50, 7 + 500 // 5]


def test_the_model_says_how_its_images_are_counted() -> None:
    picture = Message(
        role=Role.USER, text="", media=(Media(source="a.png", width=1_024, height=1_024),)
    )

    assert auto_counter("openai", model="gpt-4o").count_messages([picture]) == 4 + 765
    assert auto_counter("claude").count_messages([picture]) == 4 + 37 * 37


@given(st.lists(st.sampled_from(["", "one", "two words", "\ud800"]), max_size=6))
def test_counts_of_messages_add_up(texts: list[str]) -> None:
    counter = by_letters("claude")
    messages = [Message(role=Role.USER, text=text) for text in texts]

    whole = counter.count_messages(messages)

    assert whole == sum(counter.count_messages([message]) for message in messages)


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
