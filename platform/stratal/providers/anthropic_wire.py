"""A request in the words of Anthropic's Messages API (O7, O9, C12); nothing is sent."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stratal.context.request import Request, SystemBlock, ToolSpec
from stratal.errors import InvalidRequest
from stratal_memory.records import Message, Role, ToolCall

if TYPE_CHECKING:
    from anthropic.types import (
        CacheControlEphemeralParam,
        MessageParam,
        TextBlockParam,
        ToolParam,
        ToolResultBlockParam,
        ToolUseBlockParam,
    )

    Block = TextBlockParam | ToolUseBlockParam | ToolResultBlockParam

MOST_CACHE_MARKS = 4  # anthropic 2.11.0: "a maximum of 4 blocks with cache_control"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnthropicBody:
    """The parts of the body that a request decides."""

    system: "list[TextBlockParam]"
    messages: "list[MessageParam]"
    tools: "list[ToolParam]"


def anthropic_body(request: Request) -> AnthropicBody:
    """`request` as the API takes it: roles alternate, results come first, no block is blank.

    System blocks stay separate, so that the stable ones can be cached. Of more than four cache
    marks the last system mark and the newest message marks stay. Raises `InvalidRequest` when
    nothing is left to answer.
    """
    kept = _kept_marks(request)
    messages = _merged(request.messages, marked=kept.cached_messages)
    if not messages:
        raise InvalidRequest(
            "the request holds no message with text", hint="Send a message that is not blank."
        )
    return AnthropicBody(
        system=[_text(block.text, cached=block.cached) for block in kept.system],
        messages=messages,
        tools=[_tool(tool) for tool in request.tools],
    )


def _kept_marks(request: Request) -> Request:
    """The request with system-role messages among the system blocks and at most four marks."""
    stray = (SystemBlock(text=m.text) for m in request.messages if m.role == Role.SYSTEM)
    system = [block for block in (*request.system, *stray) if block.text.strip()]
    marked = sorted(
        index
        for index in set(request.cached_messages)
        if 0 <= index < len(request.messages) and _blocks(request.messages[index])
    )
    in_system = [index for index, block in enumerate(system) if block.cached]
    room = max(min(len(in_system), 1), MOST_CACHE_MARKS - len(marked))
    in_system = in_system[-room:] if room else []
    marked = marked[-(MOST_CACHE_MARKS - len(in_system)) :]
    return replace(
        request,
        system=tuple(
            SystemBlock(text=block.text, cached=index in in_system)
            for index, block in enumerate(system)
        ),
        cached_messages=tuple(marked),
    )


def _merged(messages: Sequence[Message], *, marked: Iterable[int]) -> "list[MessageParam]":
    """One API message for each run of the same role, tool results before everything else."""
    runs: list[tuple[bool, list[Block]]] = []
    for index, message in enumerate(messages):
        blocks = _blocks(message)
        if not blocks:
            continue
        if index in marked:
            blocks[-1]["cache_control"] = _mark()
        by_model = message.role == Role.ASSISTANT
        if runs and runs[-1][0] == by_model:
            runs[-1][1].extend(blocks)
        else:
            runs.append((by_model, blocks))
    return [_message(blocks, by_model=by_model) for by_model, blocks in runs]


def _message(blocks: "list[Block]", *, by_model: bool) -> "MessageParam":
    if by_model:
        return {"role": "assistant", "content": blocks}
    results = [block for block in blocks if block["type"] == "tool_result"]
    others = [block for block in blocks if block["type"] != "tool_result"]
    return {"role": "user", "content": [*results, *others]}


def _blocks(message: Message) -> "list[Block]":
    if message.role == Role.SYSTEM:
        return []
    if message.role == Role.TOOL:
        return [_result(message)]
    blocks: list[Block] = [_text(message.text)] if message.text.strip() else []
    blocks.extend(_use(call) for call in message.tool_calls)
    return blocks


def _text(text: str, *, cached: bool = False) -> "TextBlockParam":
    block: TextBlockParam = {"type": "text", "text": text}
    if cached:
        block["cache_control"] = _mark()
    return block


def _mark() -> "CacheControlEphemeralParam":
    return {"type": "ephemeral"}


def _result(message: Message) -> "ToolResultBlockParam":
    block: ToolResultBlockParam = {"type": "tool_result", "tool_use_id": message.tool_call_id}
    if message.text.strip():
        block["content"] = message.text
    if message.tool_failed:
        block["is_error"] = True
    return block


def _use(call: ToolCall) -> "ToolUseBlockParam":
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments(call)}


def arguments(call: ToolCall) -> dict[str, object]:
    """The call's arguments as the object the API demands.

    What is not a JSON object, or escapes half a character, stays visible to the model under
    `unparsed_arguments`: a failed attempt that is hidden is made again (acp-kernel #104).
    """
    try:
        value: object = json.loads(call.arguments or "{}")
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return {str(key): item for key, item in value.items()}
    return {"unparsed_arguments": call.arguments}


def _tool(tool: ToolSpec) -> "ToolParam":
    schema: object = json.loads(tool.schema)
    if not isinstance(schema, dict):
        raise InvalidRequest(
            f"the schema of tool {tool.name} is not a JSON object",
            hint="Register the tool again with a schema of type object.",
        )
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": {str(key): item for key, item in schema.items()},
    }
