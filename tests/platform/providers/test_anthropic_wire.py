import json
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from stratal.context.request import Request, SystemBlock, ToolSpec
from stratal.errors import InvalidRequest
from stratal.providers.anthropic_wire import anthropic_body, arguments, sound_id
from stratal.providers.openai_wire import openai_body
from stratal_memory.records import Message, Role, ToolCall
from tests.fakes.wire_anthropic import WireMessage


def sent(*messages: Message, marked: Sequence[int] = ()) -> list[WireMessage]:
    request = Request(model="m", system=(), messages=messages, cached_messages=tuple(marked))
    return TypeAdapter(list[WireMessage]).validate_python(anthropic_body(request).messages)


def outline(messages: Sequence[WireMessage]) -> list[tuple[str, list[str]]]:
    """Each message's role and its blocks: their text, or their type."""
    return [(m.role, [block.text or block.type for block in m.blocks]) for m in messages]


def user(text: str) -> Message:
    return Message(role=Role.USER, text=text)


def context(text: str) -> Message:
    return Message(role=Role.CONTEXT, text=text)


def assistant(text: str, *calls: str) -> Message:
    made = tuple(ToolCall(id=id, name="look", arguments="{}") for id in calls)
    return Message(role=Role.ASSISTANT, text=text, tool_calls=made)


def result(id: str, text: str = "found") -> Message:
    return Message(role=Role.TOOL, text=text, tool_call_id=id)


def test_context_becomes_a_block_of_the_users_message() -> None:
    # covers O7
    messages = sent(context("Alice lives in Graz."), user("Where do I live?"))

    assert outline(messages) == [("user", ["Alice lives in Graz.", "Where do I live?"])]


def test_all_results_of_one_message_come_in_one_message_before_any_text() -> None:
    # covers O7
    messages = sent(
        user("Look twice"),
        assistant("Yes", "a", "b"),
        result("a"),
        context("Today is Friday."),
        result("b"),
        user("Well?"),
    )

    assert outline(messages) == [
        ("user", ["Look twice"]),
        ("assistant", ["Yes", "tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result", "Today is Friday.", "Well?"]),
    ]
    assert [block.tool_use_id for block in messages[2].blocks[:2]] == ["a", "b"]


def test_blank_texts_are_left_out() -> None:
    messages = sent(user("Hi"), context("  "), assistant("", "a"), result("a", ""), assistant("\n"))

    assert outline(messages) == [
        ("user", ["Hi"]),
        ("assistant", ["tool_use"]),
        ("user", ["tool_result"]),
    ]
    assert messages[2].blocks[0].content is None


def test_a_failed_tool_says_so() -> None:
    failed = Message(role=Role.TOOL, text="no disk", tool_call_id="a", tool_failed=True)

    block = sent(user("Hi"), assistant("", "a"), failed)[2].blocks[0]

    assert (block.is_error, block.content) == (True, "no disk")


def test_a_history_that_begins_without_a_system_message_is_taken_as_it_is() -> None:
    # covers P9
    assert outline(sent(user("Hi"))) == [("user", ["Hi"])]


def test_system_blocks_stay_apart_and_stray_system_messages_join_them() -> None:
    request = Request(
        model="m",
        system=(SystemBlock(text="One", cached=True), SystemBlock(text=" ")),
        messages=(user("Hi"), Message(role=Role.SYSTEM, text="Two")),
    )

    body = anthropic_body(request)

    assert body.system == [
        {"type": "text", "text": "One", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "Two"},
    ]
    assert len(body.messages) == 1


def test_marks_are_added_to_what_is_sent_and_to_nothing_else() -> None:
    """The same messages without marks give the same body without `cache_control`."""
    # covers C11, C17
    messages = (user("One"), assistant("", "a"), result("a"), user("Two"))
    plain = Request(
        model="m",
        system=(SystemBlock(text="Core"),),
        messages=messages,
        tools=(ToolSpec(name="look", description="", schema="{}"),),
    )
    core = (SystemBlock(text="Core", cached=True),)
    marked = replace(plain, system=core, cached_messages=(1, 2), cached_tools=True)

    with_marks = json.dumps(asdict(anthropic_body(marked)))

    assert with_marks.count(MARK) == 4
    assert with_marks.replace(MARK, "") == json.dumps(asdict(anthropic_body(plain)))


MARK = ', "cache_control": {"type": "ephemeral"}'
JOINED = Request(
    model="m",
    system=(
        SystemBlock(text="Core", cached=True),
        SystemBlock(text=" "),
        SystemBlock(text="Profile"),
    ),
    messages=(user("Hi"), Message(role=Role.SYSTEM, text="Stray")),
    system_joined=True,
)


def test_the_octopus_layout_joins_all_system_text_into_one_block() -> None:
    # covers O9
    body = anthropic_body(JOINED)

    assert body.system == [
        {
            "type": "text",
            "text": "Core\n---\nProfile\n---\nStray",
            "cache_control": {"type": "ephemeral"},
        }
    ]
    assert openai_body(JOINED).instructions == "Core\n---\nProfile\n---\nStray"
    assert len(openai_body(JOINED).input) == 1


def test_joining_nothing_makes_no_system_block() -> None:
    empty = replace(JOINED, system=(SystemBlock(text=" "),), messages=(user("Hi"),))

    assert anthropic_body(empty).system == []


def test_all_five_roles_are_mapped() -> None:
    # covers O1, O6, O7
    body = anthropic_body(
        Request(
            model="m",
            system=(SystemBlock(text="system"),),
            messages=(
                context("context"),
                user("user"),
                assistant("assistant", "a"),
                result("a", "tool"),
            ),
            context_as_system=True,  # O8 is for others: here context is always a user's block
        )
    )

    assert [block["text"] for block in body.system] == ["system"]
    out = TypeAdapter(list[WireMessage]).validate_python(body.messages)
    assert outline(out) == [
        ("user", ["context", "user"]),
        ("assistant", ["assistant", "tool_use"]),
        ("user", ["tool_result"]),
    ]
    assert (out[2].blocks[0].tool_use_id, out[2].blocks[0].content) == ("a", "tool")


def test_ids_of_other_makers_become_ids_anthropic_takes_and_still_pair() -> None:
    id = "functions.look:0"
    call, answered = sent(user("Hi"), assistant("", id), result(id))[1:]

    assert call.blocks[0].id == answered.blocks[0].tool_use_id
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", call.blocks[0].id)


@given(st.text(), st.text())
def test_two_ids_stay_two_and_a_sound_one_stays_itself(one: str, other: str) -> None:
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", sound_id(one))
    assert sound_id(sound_id(one)) == sound_id(one)
    assert (sound_id(one) == sound_id(other)) == (one == other)


@pytest.mark.parametrize(
    ("system", "marked", "tools_marked"),
    [(0, (), True), (1, (0, 1), True), (1, (0, 1, 2), False), (4, (), False)],
)
def test_the_tools_are_marked_where_a_mark_is_left(
    system: int, marked: tuple[int, ...], tools_marked: bool
) -> None:
    # covers C12
    request = Request(
        model="m",
        system=tuple(SystemBlock(text=f"s{n}", cached=True) for n in range(system)),
        messages=(user("0"), assistant("1"), user("2")),
        tools=(ToolSpec(name="look", description="", schema="{}"),),
        cached_messages=marked,
        cached_tools=True,
    )

    assert ("cache_control" in anthropic_body(request).tools[0]) == tools_marked


@pytest.mark.parametrize(
    ("in_system", "marked", "kept_in_system", "kept"),
    [
        (1, (1, 2), [0], [1, 2]),
        (2, (0, 1, 2, 3), [1], [1, 2, 3]),
        (4, (3,), [1, 2, 3], [3]),
        (5, (), [1, 2, 3, 4], []),
        (0, (0, 1, 2, 3, 4), [], [1, 2, 3, 4]),
    ],
)
def test_of_more_than_four_marks_the_last_system_mark_and_the_newest_stay(
    in_system: int, marked: tuple[int, ...], kept_in_system: list[int], kept: list[int]
) -> None:
    request = Request(
        model="m",
        system=tuple(SystemBlock(text=f"s{n}", cached=True) for n in range(in_system)),
        messages=(user("0"), assistant("1"), user("2"), assistant("3"), user("4")),
        cached_messages=marked,
    )

    body = anthropic_body(request)
    messages = TypeAdapter(list[WireMessage]).validate_python(body.messages)

    assert [n for n, block in enumerate(body.system) if "cache_control" in block] == kept_in_system
    assert [n for n, m in enumerate(messages) if m.blocks[-1].cache_control] == kept


def test_a_mark_stays_on_its_own_message_when_two_are_merged() -> None:
    blocks = sent(context("Cached"), user("Not cached"), marked=[0])[0].blocks

    assert [block.cache_control for block in blocks] == [{"type": "ephemeral"}, None]


def test_marks_on_nothing_are_forgotten() -> None:
    messages = sent(user("Hi"), context(" "), marked=[1, 7, -1])

    assert [block.cache_control for block in messages[0].blocks] == [None]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"city": "Graz"}', {"city": "Graz"}),
        ("", {}),
        ('{"city": "Gr', {"unparsed_arguments": '{"city": "Gr'}),
        ("[1, 2]", {"unparsed_arguments": "[1, 2]"}),
        (r'{"a": "\ud800"}', {"unparsed_arguments": r'{"a": "\ud800"}'}),
    ],
)
def test_arguments_are_an_object_whatever_the_model_wrote(
    text: str, value: dict[str, object]
) -> None:
    assert arguments(ToolCall(id="a", name="look", arguments=text)) == value


def test_a_tool_whose_schema_is_no_object_is_refused() -> None:
    tool = ToolSpec(name="look", description="", schema="[]")

    with pytest.raises(InvalidRequest, match="look"):
        anthropic_body(Request(model="m", system=(), messages=(user("Hi"),), tools=(tool,)))


texts = st.text(alphabet="ab \n", max_size=3)
messages = st.lists(
    st.builds(
        Message,
        role=st.sampled_from([Role.USER, Role.CONTEXT, Role.ASSISTANT, Role.TOOL]),
        text=texts,
        tool_call_id=st.just("x"),
    ),
    max_size=8,
)


@given(messages=messages, marked=st.lists(st.integers(-1, 9), max_size=9), cached=st.integers(0, 6))
def test_any_request_has_no_blank_block_alternating_roles_and_at_most_four_marks(
    messages: list[Message], marked: list[int], cached: int
) -> None:
    request = Request(
        model="m",
        system=tuple(SystemBlock(text=f"s{n}", cached=True) for n in range(cached)),
        messages=(user("first"), *messages),
        cached_messages=tuple(marked),
    )

    body = anthropic_body(request)
    out = TypeAdapter(list[WireMessage]).validate_python(body.messages)
    blocks = [block for message in out for block in message.blocks]

    assert all(block.type != "text" or block.text.strip() for block in blocks)
    assert all(before.role != after.role for before, after in pairwise(out))
    marks = sum("cache_control" in block for block in body.system)
    assert marks + sum(block.cache_control is not None for block in blocks) <= 4
