"""What a counter counts: the Protocol, and the texts a message and a tool are made of."""

from collections.abc import Iterator

from stratal.context.counting import Counter
from stratal.context.request import ToolSpec
from stratal_memory.records import Message

__all__ = ["Counter", "message_texts", "sealed_characters", "tool_texts"]

CALL_TYPE = "function"  # P30: the type of a call is counted; there is only this one


def message_texts(message: Message) -> Iterator[str]:
    """Every text the provider receives for `message`: role, media and thoughts aside (P28-P31)."""
    yield message.text
    for call in message.tool_calls:
        yield from (call.id, CALL_TYPE, call.name, call.arguments)
    if message.tool_call_id:
        yield message.tool_call_id


def sealed_characters(message: Message) -> int:
    """The characters of `opaque` beyond the reasoning that it holds a second time, readable."""
    return max(0, len(message.opaque) - len(message.reasoning))


def tool_texts(tool: ToolSpec) -> tuple[str, str, str]:
    """The three texts a tool costs: name, description and schema (P34)."""
    return (tool.name, tool.description, tool.schema)
