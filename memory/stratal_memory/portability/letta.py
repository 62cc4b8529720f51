"""Agents as Letta exports them: agent files (.af, both shapes), and lists of archival passages.

Its `human` blocks and passages become statements, its messages a conversation; its persona and
instructions are about the agent, not about the user.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime

from stratal_memory.portability.past import Item, Noted, Past, Said, Skipped, moment
from stratal_memory.portability.reading import Object, object_of, objects, text_of
from stratal_memory.records import Role

HUMAN = "human"


def is_agent_file(value: Object) -> bool:
    """Whether a file looks like an agent file: of today, or of before August 2025."""
    today = isinstance(value.get("agents"), list) and "blocks" in value
    return today or ("agent_type" in value and "core_memory" in value)


def is_passage(value: Object) -> bool:
    """Whether an element looks like an archival passage."""
    return isinstance(value.get("text"), str) and ("agent_id" in value or "archive_id" in value)


def passage(value: Object) -> Iterator[Item]:
    """The statement of one archival passage."""
    text = text_of(value.get("text")).strip()
    at = moment(value.get("created_at")) or moment(value.get("updated_at"))
    if text and at is not None:
        yield Noted(id=text_of(value.get("id")) or text, text=text, at=at)
    else:
        yield Skipped(reason="passages without a text or a date")


def agent_file(value: Object) -> Iterator[Item]:
    """What an agent file holds about the user."""
    agents = objects(value.get("agents")) or [value]
    pasts = [list(_conversation(agent)) for agent in agents]
    told = [
        one.said[-1].at for items in pasts for one in items if isinstance(one, Past) and one.said
    ]
    blocks = [*objects(value.get("blocks")), *objects(value.get("core_memory"))]
    yield from _blocks(blocks, at=max(told, default=moment(value.get("updated_at"))))
    for agent, items in zip(agents, pasts, strict=True):
        yield from items
        for one in objects(agent.get("archival_memory")):
            yield from passage(one)


def _blocks(blocks: list[Object], *, at: datetime | None) -> Iterator[Item]:
    """Each line of a block about the user; without any date in the file, of the epoch."""
    for block in blocks:
        label = text_of(block.get("label"))
        if label != HUMAN:
            yield Skipped(reason=f"blocks about the agent ({label[:40] or 'unnamed'})")
            continue
        for number, line in enumerate(text_of(block.get("value")).splitlines()):
            if line.strip():
                named = f"{text_of(block.get('id')) or label}:{number}"
                yield Noted(id=named, text=line.strip(), at=at or datetime.fromtimestamp(0, UTC))


def _conversation(agent: Object) -> Iterator[Item]:
    said: list[Said] = []
    for number, message in enumerate(objects(agent.get("messages"))):
        one = _message(message, number)
        if isinstance(one, Said):
            said.append(one)
        else:
            yield one
    if said:
        name = text_of(agent.get("id")) + "/" + text_of(agent.get("name"))
        yield Past(id=f"{name}/{said[0].id}", title=text_of(agent.get("name")), said=tuple(said))


def _message(message: Object, number: int) -> Said | Skipped:
    role, at = text_of(message.get("role")), moment(message.get("created_at"))
    text = _text(message)
    if role == "user":
        told = _packed(text)
        if told is None:
            return Skipped(reason="heartbeats and alerts")
        text = told
    elif role == "assistant":
        text = _sent(message) or text
    else:
        return Skipped(reason="messages of tools and systems")
    if not text.strip() or at is None:
        return Skipped(reason="messages without a text or a date")
    id = text_of(message.get("id")) or str(number)
    return Said(id=id, role=Role(role), text=text, at=at)


def _text(message: Object) -> str:
    content = message.get("content", message.get("text"))
    if isinstance(content, str):
        return content
    texts = [text_of(one.get("text")) for one in objects(content) if one.get("type") == "text"]
    return "\n".join(text for text in texts if text)


def _packed(text: str) -> str | None:
    """What the user said: Letta packs it in JSON; None for what it told the agent itself."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        packed = object_of(json.loads(text))
    except (ValueError, RecursionError):
        return text
    if "type" not in packed:
        return text
    return text_of(packed.get("message")) if packed["type"] == "user_message" else None


def _sent(message: Object) -> str:
    """What an agent said by its tool `send_message`."""
    sent: list[str] = []
    for call in objects(message.get("tool_calls")):
        function = object_of(call.get("function"))
        if function.get("name") == "send_message":
            try:
                arguments = object_of(json.loads(text_of(function.get("arguments"))))
            except (ValueError, RecursionError):
                continue
            sent.append(text_of(arguments.get("message")))
    return "\n".join(sent)
