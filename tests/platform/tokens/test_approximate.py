from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratal.context.request import ToolSpec
from stratal.tokens.approximate import OctopusCounter, PicoclawCounter, script_tokens
from stratal_memory.records import Media, Message, Role, ToolCall

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(("length", "tokens"), [(0, 1), (3, 1), (4, 1), (7, 1), (8, 2), (401, 100)])
def test_octopus_counts_four_characters_a_token(length: int, tokens: int) -> None:  # covers O17
    assert OctopusCounter().count("x" * length) == tokens


def test_octopus_adds_four_tokens_a_message() -> None:  # covers O16, O18
    messages = [Message(role=Role.USER, text="x" * 40), Message(role=Role.ASSISTANT, text="")]

    assert OctopusCounter().count_messages(messages) == (10 + 4) + (1 + 4)
    assert OctopusCounter().count_messages([]) == 0


def test_octopus_counts_tools_and_calls_too() -> None:  # covers O23
    calling = Message(
        role=Role.ASSISTANT, text="", tool_calls=(ToolCall(id="1", name="look", arguments="{}"),)
    )
    tools = [ToolSpec(name="look", description="look it up", schema="{}")]

    assert OctopusCounter().count_messages([calling]) == 1 + 4 + len("1functionlook{}") // 4
    assert OctopusCounter().count_tools(tools) == 4 + len("looklook it up{}") // 4


def test_picoclaw_counts_two_and_a_half_characters_a_token() -> None:  # covers P27
    assert [PicoclawCounter().count("x" * length) for length in (0, 2, 3, 5, 9)] == [0, 0, 1, 2, 3]


def test_picoclaw_counts_code_points() -> None:  # covers P28
    assert PicoclawCounter().count("日" * 10) == PicoclawCounter().count("😀" * 10) == 4


def test_picoclaw_counts_everything_a_message_carries() -> None:  # covers P29, P30, P31, P32, Ps1
    calling = Message(
        role=Role.ASSISTANT,
        text="abc",  # 3
        reasoning="hm",  # 2
        tool_calls=(ToolCall(id="c1", name="look", arguments="{}"),),  # 2 + "function" 8 + 4 + 2
    )
    result = Message(role=Role.TOOL, text="found", tool_call_id="c1")  # 5 + 2

    assert PicoclawCounter().count_messages([calling]) == (3 + 2 + 16 + 12) * 2 // 5
    assert PicoclawCounter().count_messages([result]) == (7 + 12) * 2 // 5


def test_picoclaw_always_counts_reasoning_and_what_is_sealed_only_beyond_it() -> None:  # covers P29
    thought = Message(role=Role.ASSISTANT, text="", reasoning="r" * 50)
    short, long = replace(thought, opaque="o" * 30), replace(thought, opaque="o" * 80)

    counts = [PicoclawCounter().count_messages([message]) for message in (thought, short, long)]

    assert counts == [62 * 2 // 5, 62 * 2 // 5, 92 * 2 // 5]


def test_octopus_counts_reasoning_only_where_it_is_sent_back() -> None:  # covers O23
    thought = Message(role=Role.ASSISTANT, text="", reasoning="r" * 40)

    assert OctopusCounter().count_messages([thought]) == 1 + 4
    assert OctopusCounter().count_messages([replace(thought, opaque="o" * 20)]) == 1 + 4 + 10


def test_picoclaw_counts_a_system_prompt_by_the_larger_of_content_and_parts() -> None:  # covers Ps1
    counter = PicoclawCounter()
    content = "x" * 100
    split = ["x" * 60, "x" * 40]

    assert counter.count_system([], content=content) == (100 + 12) * 2 // 5
    assert counter.count_system(split, content=content) == (100 + 2 * 20 + 12) * 2 // 5
    assert counter.count_system(["x"], content=content) == (100 + 12) * 2 // 5
    assert counter.count_system(["", ""]) == (2 * 20 + 12) * 2 // 5


def test_picoclaw_counts_media_flat_beside_the_characters() -> None:  # covers P33, Ps1
    message = Message(role=Role.USER, text="", media=(Media(source="a.png"), Media(source="b.png")))

    assert PicoclawCounter().count_messages([message]) == 12 * 2 // 5 + 2 * 256


def test_picoclaw_counts_the_definition_of_a_tool() -> None:  # covers P34, Ps1
    tools = [ToolSpec(name="look", description="look it up", schema="{}")]

    assert PicoclawCounter().count_tools(tools) == (4 + 10 + 2 + 20) * 2 // 5


@settings(deadline=None)
@given(ANY_TEXT)
def test_any_text_can_be_counted(text: str) -> None:
    counts = [OctopusCounter().count(text), PicoclawCounter().count(text), script_tokens(text)]

    assert min(counts) >= 0
    assert bool(script_tokens(text)) == bool(text)


def test_script_tokens_knows_that_scripts_differ() -> None:
    assert script_tokens("word " * 100) == pytest.approx(102, abs=5)
    assert script_tokens("我" * 100) == 80
    assert script_tokens("🎉" * 100) == 150
    assert script_tokens("123" * 100) == pytest.approx(100 * 1.6 + 280 * 0.5)
    assert script_tokens(" " * 1_601) == pytest.approx(100, abs=5)
