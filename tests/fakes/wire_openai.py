"""OpenAI's Responses API on the loopback; it refuses what the real one refuses (PROVIDERS)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from tests.fakes.wire_server import Reply, Seen, WireServer, json_reply, sse_reply

KEY = "sk-proj-CANARY-0123456789abcdef"


class Item(BaseModel):
    """One input item, of whatever type."""

    type: str = "message"
    role: str = ""
    content: str | list[dict[str, str]] = ""
    phase: str = ""
    call_id: str = ""
    name: str = ""
    arguments: str = ""
    output: str | list[dict[str, str]] = ""
    id: str = ""
    encrypted_content: str = ""
    summary: list[dict[str, str]] | None = None


class Tool(BaseModel):
    """One tool definition."""

    type: str
    name: str
    description: str = ""
    parameters: dict[str, object]
    strict: bool | None = None


class Body(BaseModel):
    """The body of a request."""

    model: str = ""
    instructions: str = ""
    input: list[Item] = Field(default_factory=list)
    tools: list[Tool] = Field(default_factory=list)
    max_output_tokens: int | None = None
    prompt_cache_key: str = ""
    store: bool = True
    include: list[str] = Field(default_factory=list)
    stream: bool = False


def openai_server(*script: Reply, key: str = KEY) -> WireServer[Body]:
    """A server that accepts `key`; its API lies at `url` + `/v1`."""
    return WireServer(Body, check=lambda seen: _refusal(seen, key=key), script=script)


def openai_model(respond: Callable[[Seen[Body]], Reply], *, key: str = KEY) -> WireServer[Body]:
    """A server that lets `respond` answer whatever the real one would accept."""
    return WireServer(Body, check=lambda seen: _refusal(seen, key=key) or respond(seen), script=())


def error(
    status: int,
    message: str,
    *,
    code: str | None = None,
    type: str = "invalid_request_error",
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """A refusal in the API's own form."""
    body = {"error": {"message": message, "type": type, "param": None, "code": code}}
    return json_reply(status, body, headers=headers)


def _refusal(seen: Seen[Body], *, key: str) -> Reply | None:
    given = seen.headers.get("authorization", "").removeprefix("Bearer ")
    if not given:
        return error(401, "You didn't provide an API key.")
    if given != key:
        return error(401, f"Incorrect API key provided: {given}.", code="invalid_api_key")
    if seen.path not in {"/v1/responses", "/v1/responses/input_tokens"}:
        return error(404, f"Invalid URL (POST {seen.path})")
    complaint = next(_complaints(seen.body), None)
    return error(400, complaint) if complaint else None


def _complaints(body: Body) -> Iterator[str]:
    if not body.model:
        yield "Missing required parameter: 'model'."
    if not body.input:
        yield "Missing required parameter: 'input'."
    least = 16
    if body.max_output_tokens is not None and body.max_output_tokens < least:
        yield (
            "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= "
            f"{least}, but got {body.max_output_tokens} instead."
        )
    for item in body.input:
        if item.type == "message" and item.role not in {"user", "assistant", "system", "developer"}:
            yield f"Invalid value: '{item.role}'."
    yield from _reasoning(body)
    yield from _pairs(body.input)


def _reasoning(body: Body) -> Iterator[str]:
    if body.include and body.model.startswith("gpt-4"):
        yield "Encrypted content is not supported with this model."
    for place, item in enumerate(body.input):
        if item.type != "reasoning":
            continue
        if item.encrypted_content != encrypted(item.id):
            yield f"The encrypted content for item {item.id} could not be verified."
        following = body.input[place + 1].type if place + 1 < len(body.input) else ""
        if following not in {"message", "function_call", "reasoning"}:
            yield (
                f"Item '{item.id}' of type 'reasoning' was provided without its required "
                "following item."
            )


def encrypted(id: str) -> str:
    """The encrypted content this server gives a reasoning item, and asks back."""
    return f"gAAAA{id}=="


def _pairs(items: Sequence[Item]) -> Iterator[str]:
    open_calls: set[str] = set()
    for item in items:
        if item.type == "function_call":
            open_calls.add(item.call_id)
        elif item.type == "function_call_output":
            if item.call_id not in open_calls:
                yield f"No tool call found for function call output with call_id {item.call_id}."
            open_calls.discard(item.call_id)
    for call in sorted(open_calls):
        yield f"No tool output found for function call {call}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A function call the model makes; its arguments come in `pieces`."""

    id: str
    name: str
    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoned:
    """A reasoning item with what only the server can read."""

    id: str
    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phased:
    """A message that says which phase of the answer it is."""

    text: str
    phase: str


Event = tuple[str, dict[str, object]]
Said = tuple[str, ...] | Call | Reasoned | Phased


def answer(
    *said: Said,
    reasoning: str = "",
    refusal: str = "",
    incomplete: str = "",
    usage: Mapping[str, int] | None = None,
) -> Reply:
    """A streamed response with these output items, in the API's own events."""
    events: list[Event] = [("response.created", {"response": _response("in_progress")})]
    if reasoning:
        delta: dict[str, object] = {"item_id": "rs_1", "output_index": 0, "delta": reasoning}
        events.append(("response.reasoning_summary_text.delta", {**delta, "summary_index": 0}))
    for place, item in enumerate(said):
        events += _item(place, item)
    if refusal:
        events.append(("response.refusal.delta", {**_place(0), "delta": refusal}))
    ending = "incomplete" if incomplete else "completed"
    response = _response(ending, incomplete=incomplete, usage=usage or {})
    events.append((f"response.{ending}", {"response": response}))
    return stream_of(events)


def stream_of(events: Sequence[Event]) -> Reply:
    """The events with their type and number inside, as the API sends them."""
    return sse_reply(
        (name, {"type": name, "sequence_number": number, **data})
        for number, (name, data) in enumerate(events)
    )


def failed(code: str, message: str) -> Event:
    """The event that ends a response that failed."""
    response = {**_response("failed"), "error": {"code": code, "message": message}}
    return "response.failed", {"response": response}


def _response(
    status: str, *, incomplete: str = "", usage: Mapping[str, int] | None = None
) -> dict[str, object]:
    counted = {"input": 10, "output": 5, "cached": 0, "written": 0, **(usage or {})}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_763_600_000,
        "model": "gpt-6-sol-2026-09-01",
        "status": status,
        "error": None,
        "incomplete_details": {"reason": incomplete} if incomplete else None,
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": None
        if usage is None
        else {
            "input_tokens": counted["input"],
            "input_tokens_details": {
                "cached_tokens": counted["cached"],
                "cache_write_tokens": counted["written"],
            },
            "output_tokens": counted["output"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": counted["input"] + counted["output"],
        },
    }


def counted(tokens: int) -> Reply:
    """The answer of the token counting endpoint."""
    return json_reply(200, {"object": "response.input_tokens", "input_tokens": tokens})


def _item(place: int, said: Said) -> list[Event]:
    if isinstance(said, Call):
        return _call(place, said)
    if isinstance(said, Reasoned):
        return _reasoned(place, said)
    if isinstance(said, Phased):
        return _message(place, (said.text,), phase=said.phase)
    return _message(place, said)


def _reasoned(place: int, said: Reasoned) -> list[Event]:
    summary = [{"type": "summary_text", "text": said.summary}] if said.summary else []
    item: dict[str, object] = {"id": said.id, "type": "reasoning", "summary": []}
    done = {**item, "summary": summary, "encrypted_content": encrypted(said.id)}
    return [
        ("response.output_item.added", {"output_index": place, "item": item}),
        ("response.output_item.done", {"output_index": place, "item": done}),
    ]


def _place(place: int) -> dict[str, object]:
    return {"item_id": f"item_{place}", "output_index": place, "content_index": 0}


def _message(place: int, texts: tuple[str, ...], *, phase: str = "") -> list[Event]:
    item: dict[str, object] = {
        **({"phase": phase} if phase else {}),
        "id": f"item_{place}",
        "type": "message",
        "role": "assistant",
        "status": "in_progress",
        "content": [],
    }
    whole = {"type": "output_text", "text": "".join(texts), "annotations": []}
    done: dict[str, object] = {**item, "status": "completed", "content": [whole]}
    return [
        ("response.output_item.added", {"output_index": place, "item": item}),
        *(("response.output_text.delta", {**_place(place), "delta": t}) for t in texts),
        ("response.output_item.done", {"output_index": place, "item": done}),
    ]


def _call(place: int, call: Call) -> list[Event]:
    item: dict[str, object] = {
        "id": f"item_{place}",
        "type": "function_call",
        "call_id": call.id,
        "name": call.name,
        "arguments": "",
        "status": "in_progress",
    }
    done: dict[str, object] = {**item, "status": "completed", "arguments": "".join(call.pieces)}
    return [
        ("response.output_item.added", {"output_index": place, "item": item}),
        *(
            ("response.function_call_arguments.delta", {**_place(place), "delta": piece})
            for piece in call.pieces
        ),
        ("response.output_item.done", {"output_index": place, "item": done}),
    ]
