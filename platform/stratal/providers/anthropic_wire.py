"""A request in the words of Anthropic's Messages API (O7, O9, C12); nothing is sent."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stratal.context.request import CacheLife, Request, ToolSpec
from stratal.errors import InvalidRequest
from stratal.providers.attachments import attached, refuse_made, unreadable
from stratal.providers.marks import kept_marks, system_blocks
from stratal.providers.opaque import Own, Part, Spoken, current_turn, parts
from stratal.providers.schemas import schema_of
from stratal_memory.records import Media, MediaKind, Message, Role, ToolCall

if TYPE_CHECKING:
    from anthropic.types import (
        CacheControlEphemeralParam,
        DocumentBlockParam,
        ImageBlockParam,
        MessageParam,
        RedactedThinkingBlockParam,
        TextBlockParam,
        ThinkingBlockParam,
        ToolParam,
        ToolResultBlockParam,
        ToolUseBlockParam,
    )

    Shown = TextBlockParam | ImageBlockParam | DocumentBlockParam
    Markable = Shown | ToolUseBlockParam | ToolResultBlockParam
    Thought = ThinkingBlockParam | RedactedThinkingBlockParam
    Block = Markable | Thought

_SOUND_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
TAKES = frozenset({MediaKind.IMAGE, MediaKind.DOCUMENT})


@dataclass(frozen=True, slots=True, kw_only=True)
class AnthropicBody:
    """The parts of the body that a request decides."""

    system: "list[TextBlockParam]"
    messages: "list[MessageParam]"
    tools: "list[ToolParam]"


def model_name(request: Request) -> str:
    """The model without its provider."""
    return request.model.removeprefix("anthropic:")


def anthropic_body(request: Request) -> AnthropicBody:
    """`request` as the API takes it: roles alternate, results come first, no block is blank.

    System blocks stay separate, so that the stable ones can be cached, unless the request wants
    them joined (O9). Of more than four cache marks the last system mark and the newest message
    marks stay. Raises `InvalidRequest` when nothing is left to answer.
    """
    system = system_blocks(request)
    sent = _sent(request)
    if not sent:
        raise InvalidRequest(
            "the request holds no message with text", hint="Send a message that is not blank."
        )
    marks = kept_marks(request, system, sent=set(sent))
    for index in marks.messages:
        _mark_last(sent[index], request.cache_ttl)
    tools = [_tool(tool) for tool in request.tools]
    if marks.tools:
        tools[-1]["cache_control"] = _mark(request.cache_ttl)
    texts = [_text(block.text) for block in system]
    for index in marks.system:
        texts[index]["cache_control"] = _mark(request.cache_ttl)
    return AnthropicBody(system=texts, messages=_merged(request.messages, sent), tools=tools)


def _sent(request: Request) -> "dict[int, list[Block]]":
    """The blocks of every message that has some, by its index."""
    turn, model = current_turn(request), model_name(request)
    made = {
        index: _blocks(message, model=model, own=index > turn)
        for index, message in enumerate(request.messages)
    }
    return {index: blocks for index, blocks in made.items() if blocks}


def _merged(messages: Sequence[Message], sent: "Mapping[int, list[Block]]") -> "list[MessageParam]":
    """One API message for each run of the same role, tool results before everything else."""
    runs: list[tuple[bool, list[Block]]] = []
    for index, blocks in sent.items():
        by_model = messages[index].role == Role.ASSISTANT
        if runs and runs[-1][0] == by_model:
            runs[-1][1].extend(blocks)
        else:
            runs.append((by_model, [*blocks]))
    return [_message(blocks, by_model=by_model) for by_model, blocks in runs]


def _message(blocks: "list[Block]", *, by_model: bool) -> "MessageParam":
    if by_model:
        return {"role": "assistant", "content": blocks}
    results = [block for block in blocks if block["type"] == "tool_result"]
    others = [block for block in blocks if block["type"] != "tool_result"]
    return {"role": "user", "content": [*results, *others]}


def _blocks(message: Message, *, model: str, own: bool) -> "list[Block]":
    if message.role == Role.SYSTEM:
        return []
    if message.role == Role.TOOL:
        return [_result(message)]
    if message.role == Role.ASSISTANT:
        refuse_made(message, provider="anthropic")
        said = parts(message, provider="anthropic", model=model, own=own)
        return [block for part in said for block in _part(part)]
    return [*_shown_with_text(message)]


def _part(part: Part) -> "Iterator[Block]":
    if isinstance(part, Spoken):
        yield _text(part.text)
    elif isinstance(part, Own):
        yield from _thought(part.block)
    else:
        yield _use(part)


def _thought(block: Mapping[str, object]) -> "Iterator[Thought]":
    """The block as it came; one without its signature is of no use to anybody."""
    thinking, signature = block.get("thinking"), block.get("signature")
    data = block.get("data")
    if block.get("type") == "thinking" and isinstance(thinking, str):
        if isinstance(signature, str) and signature:
            yield {"type": "thinking", "thinking": thinking, "signature": signature}
    elif block.get("type") == "redacted_thinking" and isinstance(data, str):
        yield {"type": "redacted_thinking", "data": data}


def _shown_with_text(message: Message) -> "list[Shown]":
    text = [_text(message.text)] if message.text.strip() else []
    return [*_shown(message.media), *text]


def _shown(media: Iterable[Media]) -> "list[Shown]":
    return [_image(one) if one.kind == MediaKind.IMAGE else _document(one) for one in media]


def _image(media: Media) -> "ImageBlockParam":
    source = attached(media, provider="anthropic", takes=TAKES)
    if source.url:
        return {"type": "image", "source": {"type": "url", "url": source.url}}
    for media_type in ("image/jpeg", "image/png", "image/gif", "image/webp"):
        if source.media_type == media_type:
            return {
                "type": "image",
                "source": {"type": "base64", "media_type": media_type, "data": source.data},
            }
    raise unreadable(media, source, provider="anthropic")


def _document(media: Media) -> "DocumentBlockParam":
    source = attached(media, provider="anthropic", takes=TAKES)
    if source.url:
        return {"type": "document", "source": {"type": "url", "url": source.url}}
    if source.media_type != "application/pdf":
        raise unreadable(media, source, provider="anthropic")
    return {
        "type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": source.data},
    }


def _text(text: str) -> "TextBlockParam":
    return {"type": "text", "text": text}


def _mark_last(blocks: "list[Block]", life: CacheLife) -> None:
    """Marks the last block; thinking can't carry a mark, and never comes last."""
    block = blocks[-1]
    if block["type"] != "thinking" and block["type"] != "redacted_thinking":
        block["cache_control"] = _mark(life)


def _mark(life: CacheLife) -> "CacheControlEphemeralParam":
    return {"type": "ephemeral"} if life == "5m" else {"type": "ephemeral", "ttl": life}


def _result(message: Message) -> "ToolResultBlockParam":
    id = sound_id(message.tool_call_id)
    block: ToolResultBlockParam = {"type": "tool_result", "tool_use_id": id}
    if message.media:
        block["content"] = _shown_with_text(message)
    elif message.text.strip():
        block["content"] = message.text
    if message.tool_failed:
        block["is_error"] = True
    return block


def _use(call: ToolCall) -> "ToolUseBlockParam":
    return {
        "type": "tool_use",
        "id": sound_id(call.id),
        "name": call.name,
        "input": arguments(call),
    }


def sound_id(id: str) -> str:
    """`id` as Anthropic and Bedrock take it: an id that another maker chose may hold a dot.

    >>> sound_id("toolu_1"), sound_id("functions.look:0")
    ('toolu_1', 'call_ec0002042636')
    """
    if _SOUND_ID.fullmatch(id):
        return id
    return f"call_{hashlib.sha256(id.encode(errors='replace')).hexdigest()[:12]}"


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
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": schema_of(tool),
    }
