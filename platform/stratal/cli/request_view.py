"""A request as text for people: everything the provider is given, in its order."""

from collections.abc import Iterator

from rich.console import Group
from rich.text import Text

from stratal.cli.shapes.talk import Replayed
from stratal.cli.terminal import cell
from stratal_memory.records import Message

MARK = "── cached up to here ──"


def request_view(replayed: Replayed) -> Group:
    """Model and digest, then tools, system blocks and messages, with the cache marks."""
    return Group(*_head(replayed), *_prompt(replayed), *_messages(replayed))


def _head(replayed: Replayed) -> Iterator[Text]:
    request = replayed.request
    yield cell(
        f"{request.model or 'no model'}, at most {request.max_output:,} tokens of answer", "bold"
    )
    if replayed.verified:
        yield cell(f"the same bytes as were sent: {replayed.digest}", "green")
    else:
        yield cell("no digest was stored with this turn, so nothing was compared", "yellow")


def _prompt(replayed: Replayed) -> Iterator[Text]:
    request = replayed.request
    for tool in request.tools:
        yield from _block(f"tool {tool.name}", f"{tool.description}\n{tool.schema}")
    if request.cached_tools:
        yield cell(MARK, "cyan")
    for block in request.system:
        yield from _block("system", block.text)
        if block.cached:
            yield cell(MARK, "cyan")


def _messages(replayed: Replayed) -> Iterator[Text]:
    for index, message in enumerate(replayed.request.messages):
        yield from _block(message.role.value, "\n".join(_said(message)))
        if index in replayed.request.cached_messages:
            yield cell(MARK, "cyan")


def _said(message: Message) -> Iterator[str]:
    if message.tool_call_id:
        failed = ", failed" if message.tool_failed else ""
        yield f"[answers {message.tool_call_id}{failed}]"
    if message.text:
        yield message.text
    for call in message.tool_calls:
        yield f"[calls {call.name} as {call.id}] {call.arguments}"
    for media in message.media:
        yield f"[{media.kind.value}] {media.source[:80]}"


def _block(head: str, text: str) -> Iterator[Text]:
    yield Text()
    yield cell(head, "bold")
    yield cell(text)
