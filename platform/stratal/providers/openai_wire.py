"""A request in the words of OpenAI's Responses API (O8, C14); nothing is sent."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stratal.context.request import Request, ToolSpec
from stratal.errors import InvalidRequest
from stratal_memory.records import Message, Role

if TYPE_CHECKING:
    from openai.types.responses import FunctionToolParam, ResponseInputItemParam

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
    items = [item for message in request.messages for item in _items(message, request)]
    if not items:
        raise InvalidRequest(
            "the request holds no message with text", hint="Send a message that is not blank."
        )
    return OpenAIBody(
        instructions="\n\n".join(block.text for block in request.system if block.text.strip()),
        input=items,
        tools=[_tool(tool) for tool in request.tools],
        max_output_tokens=max(LEAST_OUTPUT, request.max_output),
    )


def _items(message: Message, request: Request) -> "Iterator[ResponseInputItemParam]":
    text = message.text
    if message.role == Role.TOOL:
        # There is no field for a failure, so the words have to say it.
        output = f"Error: {text}" if message.tool_failed else text
        yield {"type": "function_call_output", "call_id": message.tool_call_id, "output": output}
        return
    if text.strip():
        yield _said(message, request)
    for call in message.tool_calls:
        yield {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": call.arguments or "{}",
        }


def _said(message: Message, request: Request) -> "ResponseInputItemParam":
    if message.role == Role.CONTEXT and request.context_as_system:
        return {"role": "system", "content": message.text}  # O8
    if message.role in (Role.USER, Role.CONTEXT):
        return {"role": "user", "content": message.text}
    return {"role": "assistant", "content": message.text}


def _tool(tool: ToolSpec) -> "FunctionToolParam":
    schema: object = json.loads(tool.schema)
    if not isinstance(schema, dict):
        raise InvalidRequest(
            f"the schema of tool {tool.name} is not a JSON object",
            hint="Register the tool again with a schema of type object.",
        )
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": {str(key): item for key, item in schema.items()},
        "strict": False,
    }
