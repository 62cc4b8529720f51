import json
from itertools import pairwise
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.context.request import Request, SystemBlock, ToolSpec
from stratal.errors import InvalidRequest
from stratal.providers.bedrock_wire import Block, bedrock_body
from stratal_memory.records import Message, Role, ToolCall

POINT = {"cachePoint": {"type": "default"}}
LOOK = ToolSpec(name="look", description="Looks", schema='{"type": "object"}')


def user(text: str) -> Message:
    return Message(role=Role.USER, text=text)


def calling(text: str, *ids: str) -> Message:
    made = tuple(ToolCall(id=id, name="look", arguments='{"at": 1}') for id in ids)
    return Message(role=Role.ASSISTANT, text=text, tool_calls=made)


def result(id: str, text: str = "found", *, failed: bool = False) -> Message:
    return Message(role=Role.TOOL, text=text, tool_call_id=id, tool_failed=failed)


def request(*messages: Message, marked: tuple[int, ...] = ()) -> Request:
    return Request(
        model="bedrock:anthropic.claude-opus-5-5",
        system=(SystemBlock(text="Be kind.", cached=True), SystemBlock(text="Today is Friday.")),
        messages=messages,
        tools=(LOOK,),
        max_output=100,
        cached_messages=marked,
        cached_tools=True,
    )


def test_a_whole_request_with_a_cache_point_in_every_place() -> None:
    # covers C13
    asked = request(
        user("Look twice"),
        calling("Yes", "a", "b"),
        result("a"),
        Message(role=Role.CONTEXT, text="It is noon."),
        result("b", "", failed=True),
        user("Well?"),
        marked=(2,),
    )

    assert bedrock_body(asked).document() == {
        "system": [{"text": "Be kind."}, POINT, {"text": "Today is Friday."}],
        "messages": [
            {"role": "user", "content": [{"text": "Look twice"}]},
            {
                "role": "assistant",
                "content": [
                    {"text": "Yes"},
                    {"toolUse": {"toolUseId": "a", "name": "look", "input": {"at": 1}}},
                    {"toolUse": {"toolUseId": "b", "name": "look", "input": {"at": 1}}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": "a",
                            "content": [{"text": "found"}],
                            "status": "success",
                        }
                    },
                    POINT,
                    {
                        "toolResult": {
                            "toolUseId": "b",
                            "content": [{"text": "(no output)"}],
                            "status": "error",
                        }
                    },
                    {"text": "It is noon."},
                    {"text": "Well?"},
                ],
            },
        ],
        "toolConfig": {
            "tools": [
                {
                    "toolSpec": {
                        "name": "look",
                        "inputSchema": {"json": {"type": "object"}},
                        "description": "Looks",
                    }
                },
                POINT,
            ]
        },
        "inferenceConfig": {"maxTokens": 100},
    }


def test_a_body_without_system_and_tools_leaves_them_out() -> None:
    plain = Request(model="m", system=(), messages=(user("Hi"),), max_output=5)

    assert bedrock_body(plain).document() == {
        "messages": [{"role": "user", "content": [{"text": "Hi"}]}],
        "inferenceConfig": {"maxTokens": 5},
    }


def test_an_hour_is_asked_for_in_the_point() -> None:
    asked = Request(
        model="m", system=(), messages=(user("Hi"),), cached_messages=(0,), cache_ttl="1h"
    )

    assert bedrock_body(asked).messages[0]["content"] == [
        {"text": "Hi"},
        {"cachePoint": {"type": "default", "ttl": "1h"}},
    ]


def test_a_request_without_text_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        bedrock_body(request(user(" ")))


def test_a_tool_whose_schema_is_no_object_is_refused() -> None:
    tool = ToolSpec(name="look", description="", schema="[]")

    with pytest.raises(InvalidRequest, match="look"):
        bedrock_body(Request(model="m", system=(), messages=(user("Hi"),), tools=(tool,)))


def blocks(message: Block) -> list[Block]:
    return cast("list[Block]", message["content"])


messages = st.lists(
    st.builds(
        Message,
        role=st.sampled_from([Role.USER, Role.CONTEXT, Role.ASSISTANT, Role.TOOL]),
        text=st.text(alphabet="ab \n", max_size=3),
        tool_call_id=st.just("x"),
    ),
    max_size=8,
)


@given(messages=messages, marked=st.lists(st.integers(-1, 9), max_size=9))
def test_any_request_has_alternating_roles_no_blank_text_and_at_most_four_points(
    messages: list[Message], marked: list[int]
) -> None:
    body = bedrock_body(request(user("first"), *messages, marked=tuple(marked)))

    assert all(before["role"] != after["role"] for before, after in pairwise(body.messages))
    said = [block for message in body.messages for block in blocks(message)]
    assert all(str(block["text"]).strip() for block in said if "text" in block)
    assert sum("cachePoint" in block for block in (*said, *body.system, *body.tools)) <= 4
    assert all("cachePoint" not in blocks(message)[0] for message in body.messages)
    for message in body.messages:
        kinds = ["toolResult" in block for block in blocks(message) if "cachePoint" not in block]
        assert kinds == sorted(kinds, reverse=True)
    assert json.loads(json.dumps(body.document())) == body.document()
