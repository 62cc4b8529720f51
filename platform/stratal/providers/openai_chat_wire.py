"""A request in the words of the Chat Completions API (O8, C14); nothing is sent."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from stratal.context.request import SYSTEM_SEPARATOR, Request, ToolSpec
from stratal.errors import InvalidRequest
from stratal.providers.attachments import IMAGE_TYPES, attached, unreadable
from stratal.providers.marks import system_blocks
from stratal.providers.schemas import schema_of
from stratal_memory.records import Media, MediaKind, Message, Role, ToolCall

if TYPE_CHECKING:
    from openai.types.chat import (
        ChatCompletionAssistantMessageParam,
        ChatCompletionContentPartImageParam,
        ChatCompletionContentPartParam,
        ChatCompletionFunctionToolParam,
        ChatCompletionMessageFunctionToolCallParam,
        ChatCompletionMessageParam,
        ChatCompletionUserMessageParam,
    )

# PROVIDERS, section 4: from o1 and gpt-5 on a limit is `max_completion_tokens`, and system text
# comes from the developer. `gpt-35` is Azure's name for gpt-3.5.
_NEW_MODEL = re.compile(r"(?:^|[/:])(?:o\d|gpt-(?!35)(?:[5-9]|[1-9]\d))(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What a server takes beside what all of them take; the default is the narrowest."""

    free_roles: bool = False  # several system messages, and several of the user's in a row
    developer: bool = False  # the role `developer`, where the model is new enough
    cache_key: bool = False  # `prompt_cache_key`
    stores: bool = False  # keeps answers unless it is told not to


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatBody:
    """The parts of the body that a request decides; of the two limits one is None."""

    messages: "list[ChatCompletionMessageParam]"
    tools: "list[ChatCompletionFunctionToolParam]"
    max_tokens: int | None
    max_completion_tokens: int | None
    cache_key: str


def chat_body(request: Request, dialect: Dialect, *, model: str) -> ChatBody:
    """`request` as the server takes it, in its own order; blank texts are left out.

    `model` is the maker's name of the model, which on Azure is not the one in the request. Cache
    marks are not sent: these servers cache equal beginnings by themselves (C14). Raises
    `InvalidRequest` when nothing is left to answer.
    """
    new = bool(_NEW_MODEL.search(model))
    writing = _Writing(request, dialect, developer=dialect.developer and new)
    messages = list(writing.messages())
    if not messages:
        raise InvalidRequest(
            "the request holds no message with text", hint="Send a message that is not blank."
        )
    return ChatBody(
        messages=[*writing.system(), *messages],
        tools=[_tool(tool) for tool in request.tools],
        max_tokens=None if new else request.max_output,
        max_completion_tokens=request.max_output if new else None,
        cache_key=request.cache_key if dialect.cache_key else "",
    )


class _Writing:
    """The messages of one request, rendered."""

    def __init__(self, request: Request, dialect: Dialect, *, developer: bool) -> None:
        self._request = request
        self._free = dialect.free_roles
        self._developer = developer
        said = [message for message in request.messages if message.role != Role.SYSTEM]
        moved = 0
        if request.context_as_system and not self._free:
            # Where one system message is all a server takes, context in front of the history
            # joins it; context further down is said by the user.
            moved = len(list(takewhile(lambda message: message.role == Role.CONTEXT, said)))
        self._leading, self._said = said[:moved], said[moved:]

    def system(self) -> "Iterator[ChatCompletionMessageParam]":
        """All system text as one message, or none."""
        texts = [block.text for block in system_blocks(self._request)]
        texts += [message.text for message in self._leading if message.text.strip()]
        if texts:
            separator = SYSTEM_SEPARATOR if self._request.system_joined else "\n\n"
            yield self._by_us(separator.join(texts))

    def messages(self) -> "Iterator[ChatCompletionMessageParam]":
        """Everything else, in order; images of tool results follow as the user's."""
        waiting: list[Message] = []  # what the user says next
        for message in self._said:
            if message.role == Role.TOOL:
                if any(one.role != Role.TOOL for one in waiting):
                    yield from self._flushed(waiting)
                    waiting = []
                yield _result(message)
                waiting += [message] if message.media else []
            elif self._is_users(message):
                waiting.append(message)
            else:
                yield from self._flushed(waiting)
                waiting = []
                yield from self._other(message)
        yield from self._flushed(waiting)

    def _is_users(self, message: Message) -> bool:
        if message.role == Role.CONTEXT:
            return not (self._request.context_as_system and self._free)
        return message.role == Role.USER

    def _other(self, message: Message) -> "Iterator[ChatCompletionMessageParam]":
        if message.role == Role.CONTEXT:
            if message.text.strip():
                yield self._by_us(message.text)  # O8
        elif message.text.strip() or message.tool_calls:
            yield _answer(message)

    def _by_us(self, text: str) -> "ChatCompletionMessageParam":
        if self._developer:
            return {"role": "developer", "content": text}
        return {"role": "system", "content": text}

    def _flushed(self, said: Sequence[Message]) -> "Iterator[ChatCompletionMessageParam]":
        """What the user said, as one message each, or as a single one.

        Many chat templates refuse two messages of the user in a row ("roles must alternate").
        """
        runs = [[message] for message in said] if self._free else [list(said)]
        for run in runs:
            texts = [m.text for m in run if m.role != Role.TOOL and m.text.strip()]
            images = [_image(media) for message in run for media in message.media]
            if texts or images:
                yield _user("\n\n".join(texts), images)


def _user(
    text: str, images: "list[ChatCompletionContentPartImageParam]"
) -> "ChatCompletionUserMessageParam":
    if not images:
        return {"role": "user", "content": text}
    parts: list[ChatCompletionContentPartParam] = []
    if text:
        parts.append({"type": "text", "text": text})
    return {"role": "user", "content": [*parts, *images]}


def _image(media: Media) -> "ChatCompletionContentPartImageParam":
    source = attached(media, provider="the Chat Completions API", takes={MediaKind.IMAGE})
    if source.data and source.media_type not in IMAGE_TYPES:
        raise unreadable(media, source, provider="the Chat Completions API")
    return {"type": "image_url", "image_url": {"url": media.source}}


def _result(message: Message) -> "ChatCompletionMessageParam":
    # There is no field for a failure, so the words have to say it.
    text = f"Error: {message.text}" if message.tool_failed else message.text
    return {"role": "tool", "tool_call_id": message.tool_call_id, "content": text}


def _answer(message: Message) -> "ChatCompletionAssistantMessageParam":
    content = message.text if message.text.strip() else None
    answer: ChatCompletionAssistantMessageParam = {"role": "assistant", "content": content}
    if message.tool_calls:
        answer["tool_calls"] = [_call(call) for call in message.tool_calls]
    return answer


def _call(call: ToolCall) -> "ChatCompletionMessageFunctionToolCallParam":
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": _arguments(call.arguments)},
    }


def _arguments(text: str) -> str:
    """The text the model wrote where it is an object, else an object that holds it.

    Ollama and vLLM read the arguments of earlier calls and refuse the request for a broken one.
    """
    try:
        whole = isinstance(json.loads(text or "{}"), dict)
    except (ValueError, RecursionError):
        whole = False
    return (text or "{}") if whole else json.dumps({"unparsed_arguments": text})


def _tool(tool: ToolSpec) -> "ChatCompletionFunctionToolParam":
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": schema_of(tool),
        },
    }
