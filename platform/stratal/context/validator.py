"""What each provider refuses, checked before anything is sent; written apart from the assembler."""

import json
import re
from collections.abc import Callable, Iterator, Sequence

from stratal.context.request import Request
from stratal.errors import InvalidRequest
from stratal_memory.records import MediaKind, Message, Role

SPEAKERS = frozenset({Role.CONTEXT, Role.USER, Role.ASSISTANT, Role.TOOL})
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
MOST_CACHE_MARKS = 4  # Anthropic and Bedrock, PROVIDERS section 4
MOST_MESSAGES = 100_000  # Anthropic, PROVIDERS section 4
# Kinds of attachments each API has a block for.
MEDIA = {
    "anthropic": frozenset({MediaKind.IMAGE, MediaKind.DOCUMENT}),
    "bedrock": frozenset({MediaKind.IMAGE, MediaKind.DOCUMENT}),
    "openai": frozenset({MediaKind.IMAGE, MediaKind.DOCUMENT}),
    **dict.fromkeys(("openai-chat", "azure", "ollama"), frozenset({MediaKind.IMAGE})),
    "gemini": frozenset(MediaKind),
}

Rule = Callable[[Request], Iterator[str]]


def validate(request: Request, *, provider: str) -> None:
    """Return when `provider` would accept `request`, as far as its published rules say.

    A provider whose rules are not written down here has to pass all of them. Raises
    `InvalidRequest` with the first thing that is wrong: a bug of ours, nothing was sent.
    """
    for rule in (*RULES.get(provider, EVERY_RULE), _media_of(provider)):
        for problem in rule(request):
            raise InvalidRequest(
                f"the request can't be sent to {provider}: {problem}",
                hint="Nothing was sent. This is a fault in Stratal: please report it.",
            )


def _output(request: Request) -> Iterator[str]:
    if request.max_output < 1:
        yield f"max_output is {request.max_output}"


def _roles(request: Request) -> Iterator[str]:
    for index, message in enumerate(request.messages):
        if message.role not in SPEAKERS:
            yield f"message {index} has the role {message.role}, which belongs in `system`"


def _ends(request: Request) -> Iterator[str]:
    """The first message is somebody asking, the last one is something to answer."""
    if not request.messages:
        yield "it has no messages"
        return
    first, last = request.messages[0].role, request.messages[-1].role
    if first not in {Role.USER, Role.CONTEXT}:
        yield f"its first message has the role {first}, not user"
    if last == Role.ASSISTANT:
        yield "its last message is an assistant's, and there is nothing to answer"


def _content(request: Request) -> Iterator[str]:
    """No empty content; a tool result may be empty, an assistant message with calls too."""
    for index, block in enumerate(request.system):
        if not block.text.strip():
            yield f"system block {index} is empty"
    for index, message in enumerate(request.messages):
        carried = message.text.strip() or message.media or message.tool_calls
        if message.role != Role.TOOL and not carried:
            yield f"message {index} ({message.role}) is empty"


def _pairs(request: Request) -> Iterator[str]:
    """Directly after calls stand their results: each exactly once, and no others."""
    open_calls: dict[str, None] = {}
    for index, message in enumerate(request.messages):
        if message.role == Role.TOOL:
            if message.tool_call_id not in open_calls:
                yield f"message {index} answers {message.tool_call_id!r}, not a call before it"
            open_calls.pop(message.tool_call_id, None)
        elif open_calls:
            yield f"message {index} comes before the result of {next(iter(open_calls))!r}"
        if message.role == Role.ASSISTANT:
            open_calls = dict.fromkeys(call.id for call in message.tool_calls)
    if open_calls:
        yield f"the call {next(iter(open_calls))!r} has no result"


def _calls(request: Request) -> Iterator[str]:
    for index, message in enumerate(request.messages):
        ids = [call.id for call in message.tool_calls]
        if message.tool_calls and message.role != Role.ASSISTANT:
            yield f"message {index} ({message.role}) has tool calls"
        if len(set(ids)) < len(ids):
            yield f"message {index} has two calls with one id"
        if not all(call.id and call.name for call in message.tool_calls):
            yield f"message {index} has a call without an id or a name"


def _ids_once(request: Request) -> Iterator[str]:
    """Anthropic wants the ids of calls unique in the whole request."""
    seen: set[str] = set()
    for index, call in _all_calls(request.messages):
        if call in seen:
            yield f"message {index} uses the call id {call!r} a second time"
        seen.add(call)


def _all_calls(messages: Sequence[Message]) -> Iterator[tuple[int, str]]:
    for index, message in enumerate(messages):
        for call in message.tool_calls:
            yield index, call.id


def _tools(request: Request) -> Iterator[str]:
    names = [tool.name for tool in request.tools]
    for name in names:
        if not TOOL_NAME.fullmatch(name):
            yield f"the tool name {name[:80]!r} is not 1 to 64 of a-z, A-Z, 0-9, _ and -"
        if names.count(name) > 1:
            yield f"two tools are named {name!r}"
    for tool in request.tools:
        if not _is_object(tool.schema):
            yield f"the schema of tool {tool.name!r} is not a JSON object"


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except json.JSONDecodeError:
        return False


def _cache_marks(request: Request) -> Iterator[str]:
    marks = request.cached_messages
    if any(mark not in range(len(request.messages)) for mark in marks):
        yield f"a cache mark stands at none of its {len(request.messages)} messages: {marks}"
    if len(set(marks)) < len(marks):
        yield f"one message has two cache marks: {marks}"
    if request.cached_tools and not request.tools:
        yield "a cache mark stands after its tools, and it has none"
    in_system = sum(block.cached for block in request.system)
    if request.system_joined:  # one block in the end, with one mark (O9)
        in_system = min(1, in_system)
    total = len(marks) + in_system + request.cached_tools
    if total > MOST_CACHE_MARKS:
        yield f"it has {total} cache marks, {MOST_CACHE_MARKS} are allowed"


def _media_of(provider: str) -> Rule:
    """The rule for what `provider` has blocks for; one that is not listed may take all kinds."""
    takes = MEDIA.get(provider, frozenset(MediaKind))

    def rule(request: Request) -> Iterator[str]:
        for index, message in enumerate(request.messages):
            for media in message.media:
                if media.kind not in takes:
                    yield f"message {index} has an attachment of the kind {media.kind}"

    return rule


def _attached(request: Request) -> Iterator[str]:
    """Attachments are shown to the model; it makes none, and it reads no files of ours."""
    for index, message in enumerate(request.messages):
        if message.media and message.role == Role.ASSISTANT:
            yield f"message {index} ({message.role}) has an attachment"
        for media in message.media:
            if not media.source.startswith(("https://", "data:")):
                yield f"message {index} has an attachment that is no https address or data URL"


def _opaque(request: Request) -> Iterator[str]:
    """Signed blocks are parts of answers."""
    for index, message in enumerate(request.messages):
        if message.opaque and message.role != Role.ASSISTANT:
            yield f"message {index} ({message.role}) has blocks only an answer has"


def _declared(request: Request) -> Iterator[str]:
    """Bedrock: "The toolConfig field must be defined when using toolUse and toolResult"."""
    if request.tools:
        return
    for index, _ in _all_calls(request.messages):
        yield f"message {index} has a tool call, and the request has no tools"


def _after_asking(request: Request) -> Iterator[str]:
    """Gemini: a call comes right after a user's message or the results of other calls."""
    before = Role.USER
    for index, message in enumerate(request.messages):
        if message.tool_calls and before == Role.ASSISTANT:
            yield f"message {index} has a tool call right after another answer"
        before = message.role


def _letter_first(request: Request) -> Iterator[str]:
    """Gemini: a function's name begins with a letter or an underscore."""
    for tool in request.tools:
        if not re.match(r"[a-zA-Z_]", tool.name):
            yield f"the tool name {tool.name[:80]!r} begins with neither a letter nor _"


def _length(request: Request) -> Iterator[str]:
    if len(request.messages) > MOST_MESSAGES:
        yield f"it has {len(request.messages):,} messages, {MOST_MESSAGES:,} are allowed"


_COMMON: tuple[Rule, ...] = (
    *(_output, _roles, _ends, _content, _pairs, _calls, _tools),
    *(_attached, _opaque),
)
_ANTHROPIC: tuple[Rule, ...] = (*_COMMON, _ids_once, _cache_marks, _length)
_OPENAI: tuple[Rule, ...] = _COMMON
EVERY_RULE: tuple[Rule, ...] = _ANTHROPIC  # OpenAI asks for nothing that Anthropic does not
RULES: dict[str, tuple[Rule, ...]] = {
    "anthropic": _ANTHROPIC,
    "bedrock": (*_COMMON, _ids_once, _cache_marks, _declared),
    "openai": _OPENAI,
    "openai-chat": _OPENAI,
    "azure": _OPENAI,
    "ollama": _OPENAI,
    "gemini": (*_COMMON, _after_asking, _letter_first),
}
