"""A request in the words of Bedrock's Converse API, cache points included (C13); nothing is sent.

There is no client: this is what one would send to `POST /model/{name}/converse`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stratal.context.request import CacheLife, Request, ToolSpec
from stratal.errors import InvalidRequest
from stratal.providers.anthropic_wire import arguments, sound_id
from stratal.providers.attachments import attached, refuse_made, unreadable
from stratal.providers.marks import kept_marks, system_blocks
from stratal.providers.schemas import schema_of
from stratal_memory.records import Media, MediaKind, Message, Role

Block = dict[str, object]  # one member of one of Converse's unions

TAKES = frozenset({MediaKind.IMAGE, MediaKind.DOCUMENT})
# Media types by their name in Converse (AWS reference, ImageBlock and DocumentBlock).
FORMATS = {
    MediaKind.IMAGE: {
        "image/png": "png",
        "image/jpeg": "jpeg",
        "image/gif": "gif",
        "image/webp": "webp",
    },
    MediaKind.DOCUMENT: {
        "application/pdf": "pdf",
        "text/csv": "csv",
        "text/html": "html",
        "text/markdown": "md",
        "text/plain": "txt",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BedrockBody:
    """The parts of the body; `tools` is the list inside `toolConfig`."""

    system: list[Block]
    messages: list[Block]
    tools: list[Block]
    max_tokens: int

    def document(self) -> Block:
        """The whole body as one JSON object, without empty parts."""
        body: Block = {
            "messages": self.messages,
            "inferenceConfig": {"maxTokens": self.max_tokens},
        }
        if self.system:
            body["system"] = self.system
        if self.tools:
            body["toolConfig"] = {"tools": self.tools}
        return body


def bedrock_body(request: Request) -> BedrockBody:
    """`request` as Converse takes it: roles alternate, results come first, no block is blank.

    A cache point is a block of its own behind what it marks, in tools, system and messages, at
    most four of them. Raises `InvalidRequest` when nothing is left to answer.
    """
    system = system_blocks(request)
    sent = {
        index: blocks
        for index, message in enumerate(request.messages)
        if (blocks := list(_blocks(message, index)))
    }
    if not sent:
        raise InvalidRequest(
            "the request holds no message with text", hint="Send a message that is not blank."
        )
    marks = kept_marks(request, system, sent=set(sent))
    point = _point(request.cache_ttl)
    for index in marks.messages:
        sent[index].append(point)
    texts: list[Block] = []
    for index, block in enumerate(system):
        texts.append({"text": block.text})
        if index in marks.system:
            texts.append(point)
    return BedrockBody(
        system=texts,
        messages=_merged(request, sent),
        tools=[*map(_tool, request.tools), *([point] if marks.tools else [])],
        max_tokens=request.max_output,
    )


def _point(life: CacheLife) -> Block:
    point = {"type": "default"} if life == "5m" else {"type": "default", "ttl": life}
    return {"cachePoint": point}


def _merged(request: Request, sent: dict[int, list[Block]]) -> list[Block]:
    """One API message for each run of the same role, tool results before everything else."""
    runs: list[tuple[str, list[Block]]] = []
    for index, blocks in sent.items():
        by_model = request.messages[index].role == Role.ASSISTANT
        role = "assistant" if by_model else "user"
        if runs and runs[-1][0] == role:
            runs[-1][1].extend(blocks)
        else:
            runs.append((role, [*blocks]))
    return [{"role": role, "content": _results_first(blocks)} for role, blocks in runs]


def _results_first(blocks: list[Block]) -> list[Block]:
    """Results, each with the cache point behind it, before everything else."""
    front: list[Block] = []
    rest: list[Block] = []
    into = rest
    for block in blocks:
        if "cachePoint" not in block:  # a point follows what it marks
            into = front if "toolResult" in block else rest
        into.append(block)
    return [*front, *rest]


def _blocks(message: Message, index: int) -> Iterator[Block]:
    if message.role == Role.SYSTEM:
        return
    if message.role == Role.TOOL:
        yield {"toolResult": _result(message, index)}
        return
    if message.role == Role.ASSISTANT:
        refuse_made(message, provider="bedrock")
    yield from _shown(message.media, index)
    if message.text.strip():
        yield {"text": message.text}
    elif any(media.kind == MediaKind.DOCUMENT for media in message.media):
        yield {"text": "See the attached document."}  # a document without a text is refused
    for call in message.tool_calls:
        yield {
            "toolUse": {"toolUseId": sound_id(call.id), "name": call.name, "input": arguments(call)}
        }


def _result(message: Message, index: int) -> Block:
    content: list[Block] = [{"text": message.text}] if message.text.strip() else []
    content += _shown(message.media, index)
    return {
        "toolUseId": sound_id(message.tool_call_id),
        "content": content or [{"text": "(no output)"}],  # a blank text is refused
        "status": "error" if message.tool_failed else "success",
    }


def _shown(media: Iterable[Media], index: int) -> Iterator[Block]:
    for place, one in enumerate(media):
        source = attached(one, provider="bedrock", takes=TAKES)
        form = FORMATS[one.kind].get(source.media_type)
        if source.url or form is None:
            raise unreadable(one, source, provider="bedrock")
        block: Block = {"format": form, "source": {"bytes": source.data}}
        if one.kind == MediaKind.DOCUMENT:
            block["name"] = f"document {index}-{place}"  # names are unique in a request
        yield {one.kind.value: block}


def _tool(tool: ToolSpec) -> Block:
    spec: Block = {"name": tool.name, "inputSchema": {"json": schema_of(tool)}}
    if tool.description.strip():
        spec["description"] = tool.description
    return {"toolSpec": spec}
