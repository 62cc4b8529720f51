"""Chat Completions servers on the loopback: OpenAI's own, Azure's, and strict ones of one's own.

They refuse what the real ones refuse (PROVIDERS; the chat templates of Mistral, Gemma and Qwen).
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pydantic import BaseModel, Field, JsonValue

from tests.fakes.wire_server import Reply, Seen, WireServer, json_reply

KEY = "sk-chat-CANARY-0123456789abcdef"
MODEL = "served-model-1"


class Function(BaseModel):
    """The name and arguments of a call."""

    name: str
    arguments: str


class CallSent(BaseModel):
    """A call that is sent back."""

    id: str
    type: str
    function: Function


class Said(BaseModel):
    """One message, of whatever role."""

    role: str
    content: str | list[dict[str, JsonValue]] | None = None
    tool_calls: list[CallSent] = Field(default_factory=list)
    tool_call_id: str = ""


class Body(BaseModel):
    """The body of a request."""

    model: str = ""
    messages: list[Said] = Field(default_factory=list)
    tools: list[dict[str, JsonValue]] = Field(default_factory=list)
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    prompt_cache_key: str | None = None
    store: bool | None = None
    stream: bool = False
    stream_options: dict[str, bool] = Field(default_factory=dict)

    @property
    def roles(self) -> list[str]:
        return [message.role for message in self.messages]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """What a server accepts; an empty `key` accepts requests without one, and no other."""

    key: str = KEY
    path: str = "/v1/chat/completions"
    key_header: str = "authorization"
    strict: bool = False  # one system message, first; roles alternate; calls are read


def chat_server(*script: Reply, accepts: Server | None = None) -> WireServer[Body]:
    """A server whose API lies at `url` + `/v1`."""
    server = accepts or Server()
    return WireServer(Body, check=lambda seen: _refusal(seen, server), script=script)


def chat_model(
    respond: Callable[[Seen[Body]], Reply], *, accepts: Server | None = None
) -> WireServer[Body]:
    """A server that lets `respond` answer whatever the real one would accept."""
    server = accepts or Server()
    return WireServer(Body, check=lambda seen: _refusal(seen, server) or respond(seen), script=())


def error(
    status: int, message: str, *, code: str | None = None, headers: Mapping[str, str] | None = None
) -> Reply:
    """A refusal in OpenAI's own form."""
    body = {"error": {"message": message, "type": None, "param": None, "code": code}}
    return json_reply(status, body, headers=headers)


def _refusal(seen: Seen[Body], server: Server) -> Reply | None:
    given = seen.headers.get(server.key_header, "").removeprefix("Bearer ")
    if given != server.key:
        return error(401, f"Incorrect API key provided: {given}.", code="invalid_api_key")
    if seen.path != server.path:
        return error(404, f"Invalid URL (POST {seen.path})")
    complaint = next(_complaints(seen.body, strict=server.strict), None)
    return error(400, complaint) if complaint else None


def _complaints(body: Body, *, strict: bool) -> Iterator[str]:
    if not body.model:
        yield "you must provide a model parameter"
    if not body.messages:
        yield "Invalid 'messages': empty array. Expected an array with minimum length 1."
    for message in body.messages:
        yield from _of_message(message)
    yield from _of_limits(body)
    yield from _pairs(body.messages)
    if strict:
        yield from _of_templates(body.messages)


def _of_message(message: Said) -> Iterator[str]:
    if message.role not in {"system", "developer", "user", "assistant", "tool"}:
        yield f"Invalid value: '{message.role}'."
    if message.content is None and not message.tool_calls:
        yield "Invalid value for 'content': expected a string, got null."
    if message.role == "tool" and not isinstance(message.content, str):
        yield "Image URLs are only allowed for messages with role 'user'."


def _of_limits(body: Body) -> Iterator[str]:
    if body.model.startswith(("o3", "gpt-6")) and body.max_tokens is not None:
        yield "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    if body.max_tokens is not None and body.max_completion_tokens is not None:
        yield "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."


def _pairs(messages: Sequence[Said]) -> Iterator[str]:
    open_calls: set[str] = set()
    for message in messages:
        if message.role == "tool":
            if message.tool_call_id not in open_calls:
                yield "messages with role 'tool' must be a response to a preceding 'tool_calls'."
            open_calls.discard(message.tool_call_id)
        elif open_calls:
            yield f"tool_call_ids did not have response messages: {', '.join(sorted(open_calls))}"
        open_calls |= {call.id for call in message.tool_calls}
    if open_calls:
        yield f"tool_call_ids did not have response messages: {', '.join(sorted(open_calls))}"


def _of_templates(messages: Sequence[Said]) -> Iterator[str]:
    rest = [message.role for message in messages]
    if rest[:1] == ["system"]:
        rest = rest[1:]
    if not {"system", "developer"}.isdisjoint(rest):
        yield "System message must be at the beginning."
    spoken = [role for role in rest if role != "tool"]
    if any(one == after == "user" for one, after in pairwise(spoken)):
        yield "Conversation roles must alternate user/assistant/user/assistant/..."
    for message in messages:
        for call in message.tool_calls:
            if not isinstance(json.loads(call.function.arguments), dict):
                yield "invalid tool call arguments"


Chunk = dict[str, object]


def text(piece: str) -> Chunk:
    """A piece of the answer."""
    return delta(content=piece)


def delta(**fields: object) -> Chunk:
    """A chunk with these fields of a delta."""
    return _chunk([{"index": 0, "delta": fields, "finish_reason": None}])


def call(
    index: int | None = None,
    *,
    id: str | None = None,
    name: str | None = None,
    arguments: object = None,
) -> dict[str, object]:
    """A piece of a tool call; what is None is left out."""
    function = {"name": name, "arguments": arguments}
    piece: dict[str, object] = {"index": index, "id": id, "type": "function"}
    kept = {key: value for key, value in piece.items() if value is not None}
    return {**kept, "function": {k: v for k, v in function.items() if v is not None}}


def finish(reason: str = "stop") -> Chunk:
    """The chunk that says why the model stopped."""
    return _chunk([{"index": 0, "delta": {}, "finish_reason": reason}])


def usage(
    input: int = 10, output: int = 5, *, cached: int | None = None, written: int | None = None
) -> Chunk:
    """The last chunk, without choices."""
    details = {"cached_tokens": cached, "cache_write_tokens": written}
    counts = {
        "prompt_tokens": input,
        "completion_tokens": output,
        "total_tokens": input + output,
        "prompt_tokens_details": {k: v for k, v in details.items() if v is not None},
    }
    return {**_chunk([]), "usage": counts}


def stream_of(*chunks: object, done: bool = True) -> Reply:
    """The chunks as unnamed server-sent events, `[DONE]` last."""
    parts = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks]
    if done:
        parts.append(b"data: [DONE]\n\n")
    return Reply(headers=(("content-type", "text/event-stream"),), parts=tuple(parts))


def answer(*pieces: str) -> Reply:
    """A whole ordinary answer."""
    return stream_of(delta(role="assistant", content=""), *map(text, pieces), finish(), usage())


def calling(*pieces: dict[str, object], reason: str = "tool_calls") -> Reply:
    """An answer that calls tools; each piece comes in a chunk of its own."""
    return stream_of(*(delta(tool_calls=[piece]) for piece in pieces), finish(reason), usage())


def raw(reply: Reply, data: str) -> Reply:
    """`reply` with an event before all others that is just `data`."""
    return replace(reply, parts=(f"data: {data}\n\n".encode(), *reply.parts))


def _chunk(choices: list[dict[str, object]]) -> Chunk:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_763_600_000,
        "model": MODEL,
        "choices": choices,
    }
