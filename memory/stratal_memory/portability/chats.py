"""Conversations as ChatGPT and Claude export them.

ChatGPT writes a list of conversations, each a tree (`mapping`) of which `current_node` is the last
message shown; Claude writes a list with `chat_messages` in order.
"""

from collections.abc import Iterator
from datetime import datetime

from stratal_memory.portability.past import Item, Past, Said, Skipped, moment
from stratal_memory.portability.reading import Object, object_of, objects, text_of
from stratal_memory.portability.report import Refused
from stratal_memory.records import Role

MOST = 100_000  # messages of one conversation
_ROLES = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
}


def is_chatgpt(value: Object) -> bool:
    """Whether an element looks like a conversation of ChatGPT."""
    return isinstance(value.get("mapping"), dict)


def is_claude(value: Object) -> bool:
    """Whether an element looks like a conversation of Claude."""
    return isinstance(value.get("chat_messages"), list)


def chatgpt(value: Object) -> Iterator[Item]:
    """The conversation as it was last shown; branches that were left are not in it."""
    nodes = object_of(value.get("mapping"))
    shown = _branch(nodes, text_of(value.get("current_node")) or _newest(nodes))
    began = moment(value.get("create_time"))
    messages = (object_of(object_of(nodes.get(id)).get("message")) for id in shown)
    said = _in_order((_of_chatgpt(message) for message in messages if message), began)
    yield from _past(value, id=value.get("conversation_id") or value.get("id"), said=said)


def _branch(nodes: Object, last: str) -> list[str]:
    """The ids from the root to `last`. Raises `Refused` when the tree bites its tail."""
    path: list[str] = []
    seen: set[str] = set()
    while last and last in nodes:
        if last in seen or len(path) > MOST:
            raise Refused("its tree of messages has no end")
        seen.add(last)
        path.append(last)
        last = text_of(object_of(nodes[last]).get("parent"))
    return path[::-1]


def _newest(nodes: Object) -> str:
    """The leaf written last, where no current node is named."""

    def written(id: str) -> tuple[float, str]:
        at = moment(object_of(object_of(nodes[id]).get("message")).get("create_time"))
        return (at.timestamp() if at else 0.0, id)

    leaves = [id for id in nodes if not object_of(nodes[id]).get("children")]
    return max(leaves, key=written, default="")


Found = tuple[str, str, str, datetime | None]  # id, role, text, time


def _of_chatgpt(message: Object) -> Found | Skipped:
    role = text_of(object_of(message.get("author")).get("role"))
    content = object_of(message.get("content"))
    if object_of(message.get("metadata")).get("is_visually_hidden_from_conversation"):
        return Skipped(reason="hidden messages")
    if content.get("content_type") not in ("text", "multimodal_text"):
        return Skipped(reason="messages that are no text")
    parts = content.get("parts")
    texts = [text_of(part) for part in parts] if isinstance(parts, list) else []
    text = "\n".join(part for part in texts if part)
    return text_of(message.get("id")), role, text, moment(message.get("create_time"))


def claude(value: Object) -> Iterator[Item]:
    """The conversation in the order of its messages."""
    began = moment(value.get("created_at"))
    messages = objects(value.get("chat_messages"))
    said = _in_order((_of_claude(message) for message in messages), began)
    yield from _past(value, id=value.get("uuid"), said=said)


def _of_claude(message: Object) -> Found:
    blocks = objects(message.get("content"))
    texts = [text_of(block.get("text")) for block in blocks if block.get("type") == "text"]
    text = "\n".join(part for part in texts if part) or text_of(message.get("text"))
    id, role = text_of(message.get("uuid")), text_of(message.get("sender"))
    return id, role, text, moment(message.get("created_at"))


def _in_order(
    found: "Iterator[Found | Skipped]", began: datetime | None
) -> Iterator[Said | Skipped]:
    """The messages that say something; one without a time has that of the one before."""
    at = began
    for number, one in enumerate(found):
        if isinstance(one, Skipped):
            yield one
            continue
        id, name, text, told = one
        at = told or at
        role = _ROLES.get(name)
        if role is None:
            yield Skipped(reason="messages of tools and systems")
        elif not text.strip():
            yield Skipped(reason="messages without a text")
        elif at is None:
            yield Skipped(reason="messages without a date")
        else:
            yield Said(id=id or str(number), role=role, text=text, at=at)


def _past(value: Object, *, id: object, said: Iterator[Said | Skipped]) -> Iterator[Item]:
    messages: list[Said] = []
    for one in said:
        if isinstance(one, Said):
            messages.append(one)
        else:
            yield one
    if not isinstance(id, str) or not id:
        raise Refused("the conversation has no id")
    title = text_of(value.get("title")) or text_of(value.get("name"))
    if messages:
        yield Past(id=id, title=title, said=tuple(messages))
    else:
        yield Skipped(reason="conversations without a message")
