"""Three wire formats behind one small interface: what a request says, and how it is answered."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, JsonValue

from stratal.providers.anthropic import AnthropicProvider
from stratal.providers.openai import OpenAIProvider
from stratal.providers.openai_chat import openai_chat
from stratal.providers.provider import Provider
from tests.fakes import wire_anthropic, wire_openai, wire_openai_chat
from tests.fakes.wire_anthropic import Block
from tests.fakes.wire_server import Reply, html_reply, json_reply

TASK = re.compile(r"TASK-(\d+)")
HUGE = 10**12  # tokens no request has


@dataclass(frozen=True, slots=True)
class View:
    """What a request asks: the last task named by the user, and what came back of it since."""

    task: int
    results: tuple[str, ...]  # of the tools, since the task was named
    tasks: int  # messages of the user that name one


@dataclass(frozen=True, slots=True)
class Call:
    """A call the model makes."""

    id: str
    name: str
    arguments: str = "{}"


Said = str | Sequence[Call]  # an answer, or calls
Respond = Callable[[View], Reply]


class Wire(Protocol):
    """One API. Every reply is a stream unless it is a refusal."""

    model: str

    def serve(self, respond: Respond) -> "Serving": ...

    def provider(self, url: str, *, silence: float) -> Provider: ...

    def reply(self, said: Said, *, usage: int | None = 100) -> Reply:
        """`usage` in tokens is what the server claims; None: it says nothing."""
        ...

    def empty(self) -> Reply: ...

    def error(self, status: int, code: str, message: str) -> Reply: ...

    def error_inside(self, whole: Reply, message: str) -> Reply: ...


class Serving(Protocol):
    """A `WireServer` of whatever body."""

    url: str

    @property
    def seen(self) -> Sequence[object]: ...

    def __enter__(self) -> object: ...

    def __exit__(self, kind: None, error: None, trace: None) -> None: ...


def view(spoken: Iterable[tuple[str, str]]) -> View:
    """The view of `(role, text)` pairs in their order; results have the role `tool`."""
    task, results, tasks = 0, list[str](), 0
    for role, text in spoken:
        if role == "tool":
            results.append(text)
        elif role == "user" and (named := TASK.findall(text)):
            task, results, tasks = int(named[-1]), [], tasks + 1
    return View(task=task, results=tuple(results), tasks=tasks)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return ""


class Anthropic:
    """The Messages API."""

    model = "anthropic:claude-sonnet-5-5"

    def serve(self, respond: Respond) -> Serving:
        return wire_anthropic.anthropic_model(lambda seen: respond(_of_messages(seen.body)))

    def provider(self, url: str, *, silence: float) -> Provider:
        return AnthropicProvider(wire_anthropic.KEY, url, silence=silence)

    def reply(self, said: Said, *, usage: int | None = 100) -> Reply:
        counted = {"input_tokens": usage or 0}
        if isinstance(said, str):
            return wire_anthropic.answer((said[:3], said[3:]), usage=counted)
        uses = [
            wire_anthropic.Use(id=one.id, name=one.name, pieces=_halves(one.arguments))
            for one in said
        ]
        return wire_anthropic.answer("Let me see.", *uses, stop="tool_use", usage=counted)

    def empty(self) -> Reply:
        return wire_anthropic.answer()

    def error(self, status: int, code: str, message: str) -> Reply:
        return wire_anthropic.error(status, code, message)

    def error_inside(self, whole: Reply, message: str) -> Reply:
        name, data = wire_anthropic.error_event("overloaded_error", message)
        return _with_last(whole, f"event: {name}\ndata: {json.dumps(data)}\n\n")


def _of_messages(body: wire_anthropic.Body) -> View:
    return view(
        ("tool" if block.type == "tool_result" else message.role, _said(block))
        for message in body.messages
        for block in message.blocks
    )


def _said(block: Block) -> str:
    return _text(block.content) if block.type == "tool_result" else block.text


class OpenAI:
    """The Responses API."""

    model = "openai:gpt-6-sol"

    def serve(self, respond: Respond) -> Serving:
        return wire_openai.openai_model(lambda seen: respond(_of_input(seen.body)))

    def provider(self, url: str, *, silence: float) -> Provider:
        return OpenAIProvider(wire_openai.KEY, f"{url}/v1", silence=silence)

    def reply(self, said: Said, *, usage: int | None = 100) -> Reply:
        counted = {"input": usage or 0}
        if isinstance(said, str):
            return wire_openai.answer((said[:3], said[3:]), usage=counted)
        calls = [
            wire_openai.Call(id=one.id, name=one.name, pieces=_halves(one.arguments))
            for one in said
        ]
        return wire_openai.answer(("Let me see.",), *calls, usage=counted)

    def empty(self) -> Reply:
        return wire_openai.answer()

    def error(self, status: int, code: str, message: str) -> Reply:
        return wire_openai.error(status, message, code=code)

    def error_inside(self, whole: Reply, message: str) -> Reply:
        data = {"type": "error", "code": "server_error", "message": message, "param": None}
        return _with_last(whole, f"event: error\ndata: {json.dumps(data)}\n\n")


def _of_input(body: wire_openai.Body) -> View:
    return view(
        ("tool", _text(item.output))
        if item.type == "function_call_output"
        else (item.role, _text(item.content))
        for item in body.input
    )


class Chat:
    """Chat Completions."""

    model = "openai-chat:served-model-1"

    def serve(self, respond: Respond) -> Serving:
        return wire_openai_chat.chat_model(lambda seen: respond(_of_chat(seen.body)))

    def provider(self, url: str, *, silence: float) -> Provider:
        # Its silence is the SDK's: nothing stalls here.
        return openai_chat(f"{url}/v1", wire_openai_chat.KEY)

    def reply(self, said: Said, *, usage: int | None = 100) -> Reply:
        tail = () if usage is None else (wire_openai_chat.usage(usage),)
        if isinstance(said, str):
            pieces = map(wire_openai_chat.text, (said[:3], said[3:]))
            return wire_openai_chat.stream_of(*pieces, wire_openai_chat.finish(), *tail)
        chunks = [
            wire_openai_chat.delta(
                tool_calls=[
                    wire_openai_chat.call(place, id=one.id, name=one.name, arguments=one.arguments)
                ]
            )
            for place, one in enumerate(said)
        ]
        return wire_openai_chat.stream_of(*chunks, wire_openai_chat.finish("tool_calls"), *tail)

    def empty(self) -> Reply:
        return self.reply("")

    def error(self, status: int, code: str, message: str) -> Reply:
        return wire_openai_chat.error(status, message, code=code)

    def error_inside(self, whole: Reply, message: str) -> Reply:
        data = {"error": {"message": message, "type": "server_error", "code": 503}}
        return _with_last(whole, f"data: {json.dumps(data)}\n\n")


def _of_chat(body: wire_openai_chat.Body) -> View:
    return view((message.role, _text(message.content)) for message in body.messages)


def _halves(text: str) -> tuple[str, ...]:
    return (text[: len(text) // 2], text[len(text) // 2 :])


def _with_last(whole: Reply, event: str) -> Reply:
    """The first half of a stream, then this."""
    half = whole.cut_after(len(whole.parts) // 2, ending=whole.ending)
    return Reply(headers=half.headers, parts=(*half.parts, event.encode()))


class Wording(BaseModel):
    """A refusal of the corpus (tests/platform/providers)."""

    status: int
    body: JsonValue
    expected: str

    def reply(self) -> Reply:
        if isinstance(self.body, str):
            return html_reply(self.status, self.body)
        return json_reply(self.status, self.body)


WIRES: tuple[Wire, ...] = (Anthropic(), OpenAI(), Chat())
