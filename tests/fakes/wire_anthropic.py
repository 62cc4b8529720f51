"""Anthropic's Messages API on the loopback; it refuses what the real one refuses (PROVIDERS)."""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pydantic import BaseModel, Field

from tests.fakes.wire_server import Reply, Seen, WireServer, json_reply, sse_reply

KEY = "sk-ant-api03-CANARY-0123456789abcdef"


class Block(BaseModel):
    """One content block, of whatever type."""

    type: str
    text: str = ""
    id: str = ""
    name: str = ""
    tool_use_id: str = ""
    input: object = None
    content: object = None
    is_error: bool = False
    thinking: str = ""
    signature: str = ""
    data: str = ""
    source: dict[str, str] | None = None
    cache_control: dict[str, str] | None = None


class WireMessage(BaseModel):
    """One message of the body."""

    role: str
    content: str | list[Block]

    @property
    def blocks(self) -> list[Block]:
        """The content; a bare text is one block."""
        if isinstance(self.content, list):
            return self.content
        return [Block(type="text", text=self.content)]


class Tool(BaseModel):
    """One tool definition."""

    name: str
    description: str = ""
    input_schema: dict[str, object]
    cache_control: dict[str, str] | None = None


class Body(BaseModel):
    """The body of a request."""

    model: str = ""
    max_tokens: int | None = None
    stream: bool = False
    system: list[Block] = Field(default_factory=list)
    messages: list[WireMessage] = Field(default_factory=list)
    tools: list[Tool] = Field(default_factory=list)


def anthropic_server(*script: Reply, key: str = KEY) -> WireServer[Body]:
    """A server that accepts `key`."""
    return WireServer(Body, check=lambda seen: _refusal(seen, key=key), script=script)


def anthropic_model(respond: Callable[[Seen[Body]], Reply], *, key: str = KEY) -> WireServer[Body]:
    """A server that lets `respond` answer whatever the real one would accept."""
    return WireServer(Body, check=lambda seen: _refusal(seen, key=key) or respond(seen), script=())


def error(
    status: int, type: str, message: str, *, headers: Mapping[str, str] | None = None
) -> Reply:
    """A refusal in the API's own form."""
    body = {"type": "error", "error": {"type": type, "message": message}, "request_id": "req_1"}
    return json_reply(status, body, headers=headers)


def _refusal(seen: Seen[Body], *, key: str) -> Reply | None:
    # The documentation names x-api-key; SDK 2.11.0 sends the same key as a bearer token.
    bearer = seen.headers.get("authorization", "").removeprefix("Bearer ")
    given = seen.headers.get("x-api-key", bearer)
    if given != key:
        said = "invalid x-api-key" if given else "x-api-key header is required"
        return error(401, "authentication_error", said)
    if seen.path not in {"/v1/messages", "/v1/messages/count_tokens"}:
        return error(404, "not_found_error", f"Not found: {seen.path}")
    if "anthropic-version" not in seen.headers:
        return error(400, "invalid_request_error", "anthropic-version: header is required")
    counts = seen.path.endswith("/count_tokens")
    complaint = next(_complaints(seen.body, counts=counts), None)
    return error(400, "invalid_request_error", complaint) if complaint else None


def _complaints(body: Body, *, counts: bool) -> Iterator[str]:
    yield from _parameters(body, counts=counts)
    yield from _roles(body.messages)
    yield from _texts(body)
    yield from _marks(body)
    yield from _thoughts(body)
    yield from _pairs(_combined(body.messages))


def _parameters(body: Body, *, counts: bool) -> Iterator[str]:
    if not body.model:
        yield "model: Field required"
    if counts:
        if body.max_tokens is not None:
            yield "max_tokens: Extra inputs are not permitted"
    elif body.max_tokens is None:
        yield "max_tokens: Field required"
    elif body.max_tokens < 1:
        yield "max_tokens: must be greater than or equal to 1"
    names = [tool.name for tool in body.tools]
    if len(names) != len(set(names)):
        yield "tools: Tool names must be unique."


def _roles(messages: Sequence[WireMessage]) -> Iterator[str]:
    if not messages:
        yield "messages: at least one message is required"
        return
    if messages[0].role == "system":
        yield "messages.0: use the top-level 'system' parameter for the initial system prompt"
    for place, message in enumerate(messages):
        if message.role not in {"user", "assistant", "system"}:
            yield f"messages.{place}.role: Input should be 'user' or 'assistant'"
        if not message.blocks:
            yield f"messages.{place}: all messages must have non-empty content"
    if messages[-1].role == "assistant":
        yield (
            "This model does not support assistant message prefill. "
            "The conversation must end with a user message."
        )


def _texts(body: Body) -> Iterator[str]:
    for block in body.system:
        if not block.text.strip():
            yield "system: text content blocks must be non-empty"
    for block in _all_blocks(body):
        if block.type == "text" and not block.text:
            yield "messages: text content blocks must be non-empty"
        if block.type == "text" and not block.text.strip():
            yield "messages: text content blocks must contain non-whitespace text"
        if block.type == "tool_use" and not isinstance(block.input, dict):
            yield "messages.0.content.0.tool_use.input: Input should be a valid dictionary"


def _marks(body: Body) -> Iterator[str]:
    tools = [tool.cache_control for tool in body.tools]
    blocks = [block.cache_control for block in (*body.system, *_all_blocks(body))]
    marks = [mark for mark in (*tools, *blocks) if mark is not None]
    if len(marks) > 4:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {len(marks)}."
    lives = [mark.get("ttl", "5m") for mark in marks]
    if lives != sorted(lives):  # "1h" before "5m"
        yield "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"


def _thoughts(body: Body) -> Iterator[str]:
    for place, message in enumerate(body.messages):
        for at, block in enumerate(message.blocks):
            if block.type == "thinking" and block.signature != signed(block.thinking):
                yield f"messages.{place}.content.{at}: Invalid `signature` in `thinking` block"
            if block.type in {"thinking", "redacted_thinking"} and message.role != "assistant":
                yield f"messages.{place}: `thinking` blocks may only be in `assistant` messages"
        if message.blocks and message.blocks[-1].type in {"thinking", "redacted_thinking"}:
            yield f"messages.{place}: The final block in an assistant message cannot be `thinking`."


def signed(thinking: str) -> str:
    """The signature this server gives a thinking block, and asks back."""
    return f"sig{zlib.crc32(thinking.encode()):08x}"


def _all_blocks(body: Body) -> list[Block]:
    return [block for message in body.messages for block in message.blocks]


def _combined(messages: Sequence[WireMessage]) -> list[WireMessage]:
    """Consecutive turns of one role as one, which is how the API reads them."""
    turns: list[WireMessage] = []
    for message in messages:
        if turns and turns[-1].role == message.role:
            joined = [*turns[-1].blocks, *message.blocks]
            turns[-1] = WireMessage(role=message.role, content=joined)
        else:
            turns.append(message)
    return turns


def _pairs(turns: Sequence[WireMessage]) -> Iterator[str]:
    nothing = WireMessage(role="user", content=[])
    for place, (before, turn) in enumerate(pairwise([nothing, *turns, nothing])):
        called = [block.id for block in before.blocks if block.type == "tool_use"]
        answered = [block.tool_use_id for block in turn.blocks if block.type == "tool_result"]
        in_front = [b.tool_use_id for b in turn.blocks[: len(called)] if b.type == "tool_result"]
        lost = [id for id in called if id not in in_front]
        if lost:
            yield (
                f"messages.{place - 1}: `tool_use` ids were found without `tool_result` blocks "
                f"immediately after: {', '.join(lost)}. Each `tool_use` block must have a "
                "corresponding `tool_result` block in the next message."
            )
        for id in answered:
            if id not in called:
                yield (
                    f"messages.{place}.content.0: unexpected `tool_use_id` found in `tool_result` "
                    f"blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` "
                    "block in the previous message."
                )
        if len(answered) != len(set(answered)):
            yield "each tool_use must have a single result. Found multiple `tool_result` blocks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A tool call the model makes; its arguments come in `pieces`."""

    id: str
    name: str
    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """A thinking block in the middle of an answer; without `text` it is a redacted one."""

    text: str = ""


Said = str | tuple[str, ...] | Use | Thought  # a text, a text in pieces, a call, a thought


def answer(
    *said: Said,
    stop: str = "end_turn",
    thinking: str = "",
    usage: Mapping[str, int] | None = None,
    output: int = 5,
) -> Reply:
    """A streamed answer with these content blocks, in the API's own events."""
    counted = {"input_tokens": 10, "output_tokens": 1, **(usage or {})}
    message: dict[str, object] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": counted,
    }
    blocks: list[Said] = list(said)
    events: list[tuple[str, Mapping[str, object]]] = [
        ("message_start", {"type": "message_start", "message": message}),
        ("ping", {"type": "ping"}),
    ]
    if thinking:
        events += _thought(0, thinking)
    for place, block in enumerate(blocks, start=int(bool(thinking))):
        events += _said(place, block)
    delta = {"stop_reason": stop, "stop_sequence": None}
    events += [
        (
            "message_delta",
            {"type": "message_delta", "delta": delta, "usage": {"output_tokens": output}},
        ),
        ("message_stop", {"type": "message_stop"}),
    ]
    return sse_reply(events)


def counted(tokens: int) -> Reply:
    """The answer of the token counting endpoint."""
    return json_reply(200, {"input_tokens": tokens})


def _thought(place: int, text: str) -> list[tuple[str, Mapping[str, object]]]:
    if not text:
        return _block(place, {"type": "redacted_thinking", "data": "c2VjcmV0"}, [])
    half = len(text) // 2
    return _block(place, {"type": "thinking", "thinking": "", "signature": ""}, [
        {"type": "thinking_delta", "thinking": text[:half]},
        {"type": "thinking_delta", "thinking": text[half:]},
        {"type": "signature_delta", "signature": signed(text)},
    ])  # fmt: skip


def error_event(type: str, message: str) -> tuple[str, Mapping[str, object]]:
    """An error that comes after the stream has begun with status 200."""
    return "error", {"type": "error", "error": {"type": type, "message": message}}


def _said(place: int, block: Said) -> list[tuple[str, Mapping[str, object]]]:
    if isinstance(block, Use):
        begun = {"type": "tool_use", "id": block.id, "name": block.name, "input": {}}
        pieces = [{"type": "input_json_delta", "partial_json": piece} for piece in block.pieces]
        return _block(place, begun, pieces)
    if isinstance(block, Thought):
        return _thought(place, block.text)
    texts = (block,) if isinstance(block, str) else block
    return _block(
        place,
        {"type": "text", "text": ""},
        [{"type": "text_delta", "text": text} for text in texts],
    )


def _block(
    place: int, begun: Mapping[str, object], deltas: Iterable[Mapping[str, object]]
) -> list[tuple[str, Mapping[str, object]]]:
    start = {"type": "content_block_start", "index": place, "content_block": begun}
    return [
        ("content_block_start", start),
        *(
            ("content_block_delta", {"type": "content_block_delta", "index": place, "delta": delta})
            for delta in deltas
        ),
        ("content_block_stop", {"type": "content_block_stop", "index": place}),
    ]


def schema(**properties: str) -> str:
    """A JSON Schema whose properties have these types."""
    named = {name: {"type": type} for name, type in properties.items()}
    return json.dumps({"type": "object", "properties": named})
