"""A request in the words of OpenAI's Responses API (O8, C14); nothing is sent."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from stratal.context.request import Request, ToolSpec
from stratal.errors import InvalidRequest
from stratal.providers.attachments import IMAGE_TYPES, attached, refuse_made, unreadable
from stratal.providers.marks import system_blocks
from stratal.providers.opaque import Own, Part, Spoken, current_turn, parts
from stratal.providers.schemas import schema_of
from stratal_memory.records import Media, MediaKind, Message, Role

if TYPE_CHECKING:
    from openai.types.responses import (
        EasyInputMessageParam,
        FunctionToolParam,
        ResponseFunctionCallOutputItemListParam,
        ResponseInputFileParam,
        ResponseInputImageParam,
        ResponseInputItemParam,
        ResponseInputTextParam,
    )
    from openai.types.responses.response_input_item_param import FunctionCallOutput

    # The content of a tool's output has types of its own for the same parts.
    Output = ResponseFunctionCallOutputItemListParam
    Shown = ResponseInputImageParam | ResponseInputFileParam

TAKES = frozenset({MediaKind.IMAGE, MediaKind.DOCUMENT})
# Models before the reasoning ones, and the chat variants of later ones.
_NO_REASONING = re.compile(r"^(ft:)?(gpt-3|gpt-4|chatgpt)|-chat\b")
_PHASES: Mapping[str, Literal["commentary", "final_answer"]] = {
    "commentary": "commentary",
    "final_answer": "final_answer",
}
BETWEEN = "\n\n"  # what parts two messages of one answer in its text
LEAST_OUTPUT = 16  # tokens; below it the API answers "integer below minimum value"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAIBody:
    """The parts of the body that a request decides."""

    instructions: str
    input: "list[ResponseInputItemParam]"
    tools: "list[FunctionToolParam]"
    max_output_tokens: int


def openai_body(request: Request) -> OpenAIBody:
    """`request` as the API takes it, in its own order; blank texts are left out.

    Cache marks are not sent: OpenAI caches equal beginnings by itself (C14). Raises
    `InvalidRequest` when nothing is left to answer.
    """
    turn, model = current_turn(request), model_name(request)
    items = [
        item
        for index, message in enumerate(request.messages)
        for item in _items(message, request, model=model, own=index > turn)
    ]
    if not items:
        raise InvalidRequest(
            "the request holds no message with text", hint="Send a message that is not blank."
        )
    return OpenAIBody(
        instructions="\n\n".join(block.text for block in system_blocks(request)),
        input=items,
        tools=[_tool(tool) for tool in request.tools],
        max_output_tokens=max(LEAST_OUTPUT, request.max_output),
    )


def model_name(request: Request) -> str:
    """The model without its provider."""
    return request.model.removeprefix("openai:")


def reasons(request: Request) -> bool:
    """Whether the model reasons, as far as its name says; others refuse to encrypt reasoning."""
    return _NO_REASONING.search(model_name(request)) is None


def _items(
    message: Message, request: Request, *, model: str, own: bool
) -> "Iterator[ResponseInputItemParam]":
    if message.role == Role.TOOL:
        yield _output(message)
    elif message.role == Role.ASSISTANT:
        refuse_made(message, provider="openai")
        for part in parts(message, provider="openai", model=model, own=own):
            yield from _part(part)
    elif message.role != Role.SYSTEM and (message.text.strip() or message.media):
        as_system = message.role == Role.CONTEXT and request.context_as_system  # O8
        yield _given(message, as_system=as_system)


def _part(part: Part) -> "Iterator[ResponseInputItemParam]":
    if isinstance(part, Spoken):
        yield _spoken(part)
    elif isinstance(part, Own):
        yield from _reasoning(part.block)
    else:
        yield {
            "type": "function_call",
            "call_id": part.id,
            "name": part.name,
            "arguments": part.arguments or "{}",
        }


def _spoken(part: Spoken) -> "EasyInputMessageParam":
    text = part.text.removeprefix(BETWEEN)
    said: EasyInputMessageParam = {"role": "assistant", "content": text}
    if part.phase in _PHASES:
        said["phase"] = _PHASES[part.phase]
    return said


def _reasoning(block: Mapping[str, object]) -> "Iterator[ResponseInputItemParam]":
    """The item as it came: what is in it is nobody's but OpenAI's."""
    id, content, summary = (block.get(name) for name in ("id", "encrypted_content", "summary"))
    if isinstance(id, str) and isinstance(content, str) and isinstance(summary, list):
        yield {
            "type": "reasoning",
            "id": id,
            "encrypted_content": content,
            "summary": [
                {"type": "summary_text", "text": str(part["text"])}
                for part in summary
                if isinstance(part, dict) and "text" in part
            ],
        }


def _given(message: Message, *, as_system: bool) -> "EasyInputMessageParam":
    role: Literal["system", "user"] = "system" if as_system else "user"
    if not message.media:
        return {"role": role, "content": message.text}
    return {"role": role, "content": [*_shown(message.media), *_texts(message.text)]}


def _output(message: Message) -> "FunctionCallOutput":
    # There is no field for a failure, so the words have to say it.
    text = f"Error: {message.text}" if message.tool_failed else message.text
    shown = _shown(message.media)
    return {
        "type": "function_call_output",
        "call_id": message.tool_call_id,
        "output": cast("Output", [*_texts(text), *shown]) if shown else text,
    }


def _texts(text: str) -> "list[ResponseInputTextParam]":
    return [{"type": "input_text", "text": text}] if text.strip() else []


def _shown(media: Iterable[Media]) -> "list[Shown]":
    return [_image(one) if one.kind == MediaKind.IMAGE else _file(one) for one in media]


def _image(media: Media) -> "ResponseInputImageParam":
    source = attached(media, provider="openai", takes=TAKES)
    if not source.url and source.media_type not in IMAGE_TYPES:
        raise unreadable(media, source, provider="openai")
    return {"type": "input_image", "detail": "auto", "image_url": source.url or media.source}


def _file(media: Media) -> "ResponseInputFileParam":
    source = attached(media, provider="openai", takes=TAKES)
    if source.url:
        return {"type": "input_file", "file_url": source.url}
    if source.media_type != "application/pdf":
        raise unreadable(media, source, provider="openai")
    return {"type": "input_file", "filename": "document.pdf", "file_data": media.source}


def _tool(tool: ToolSpec) -> "FunctionToolParam":
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": schema_of(tool),
        "strict": False,
    }
