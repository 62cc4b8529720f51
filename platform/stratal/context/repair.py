"""A turn as it may be sent: interrupted tool calls answered, leftovers of a crash set right."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from stratal_memory.records import Message, Role, ToolCall

# What is said of a call with an effect that did not come to its end.
UNKNOWN = (
    "Outcome unknown: it may have taken effect. Don't call it again before that was looked up "
    "or the person was asked."
)
INTERRUPTED = "[interrupted; outcome unknown]"  # each result of a call cut off begins so
CUT_OFF = f"{INTERRUPTED} {UNKNOWN}"  # of one that may have acted
EMPTY = "[empty message]"


def repaired(turn: Iterable[Message]) -> tuple[Message, ...]:
    """A view of `turn` that every provider accepts; the messages themselves never change.

    A call without a result gets one that says so, and that it may have acted: nobody knows here
    which only look. A result without its call, a second result
    and an assistant message that says nothing are left out; an empty user message is named.
    Results stand in the order of their calls, directly after them.
    """
    messages = tuple(turn)
    if _is_whole(messages):  # nearly always
        return messages
    view: list[Message] = []
    for index, message in enumerate(messages):
        if message.role == Role.ASSISTANT and message.tool_calls:
            view += [message, *_answers(message.tool_calls, messages[index + 1 :])]
        elif message.role == Role.USER:
            view.append(message if _says_something(message) else replace(message, text=EMPTY))
        elif message.role == Role.ASSISTANT and _says_something(message):
            view.append(message)
    return tuple(view)


def _is_whole(messages: Iterable[Message]) -> bool:
    """Whether everybody says something, and calls are answered at once, once and in order."""
    waiting: list[str] = []
    for message in messages:
        if message.role == Role.TOOL:
            if not waiting or waiting.pop(0) != message.tool_call_id:
                return False
        elif waiting or message.role not in (Role.USER, Role.ASSISTANT):
            return False
        elif message.role == Role.ASSISTANT and message.tool_calls:
            waiting = [call.id for call in message.tool_calls]
        elif not _says_something(message):
            return False
    return not waiting


def _says_something(message: Message) -> bool:
    return bool(message.text.strip() or message.media)


def _answers(calls: Iterable[ToolCall], later: Iterable[Message]) -> Iterator[Message]:
    """One result a call, in the order of the calls; only what follows before the next speaker."""
    results: dict[str, Message] = {}
    for message in later:
        if message.role != Role.TOOL:
            break
        results.setdefault(message.tool_call_id, message)
    for call in calls:
        missing = Message(role=Role.TOOL, text=CUT_OFF, tool_call_id=call.id, tool_failed=True)
        yield results.get(call.id, missing)
