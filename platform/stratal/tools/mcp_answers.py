"""What a foreign tool answered, as the text the model reads. A part of `mcp.py`."""

import json
from typing import TYPE_CHECKING

from stratal.tools.mcp_schema import cleaned

if TYPE_CHECKING:
    from mcp_types import CallToolResult, ContentBlock, EmbeddedResource

MOST_NAME = 200  # characters of a name, a type or an address


def text_of(result: "CallToolResult") -> str:
    """Every part in its order; structured content where no text says the same.

    Pictures, sound and files are named with their type and size: a tool's result is text.
    """
    parts = [_part(block) for block in result.content]
    structured = result.structured_content
    if structured is not None and not any(_says(part, structured) for part in parts):
        parts.append(json.dumps(structured, ensure_ascii=False))
    return "\n".join(parts)


def _says(part: str, structured: object) -> bool:
    """Servers wrap what is no object into `result`, and say it again as text."""
    if structured == {"result": part}:
        return True
    try:
        said: object = json.loads(part)
    except (ValueError, RecursionError):
        return False
    return said == structured or {"result": said} == structured


def _part(block: "ContentBlock") -> str:
    from mcp_types import AudioContent, EmbeddedResource, ImageContent, ResourceLink, TextContent

    match block:
        case TextContent():
            return block.text
        case ImageContent() | AudioContent():
            return _note(block.type, block.mime_type, block.data)
        case EmbeddedResource():
            return _resource(block)
        case ResourceLink():
            about = f": {cleaned(block.description, most=MOST_NAME)}" if block.description else ""
            return f"[{_short(block.name)} at {_short(block.uri)}{about}]"


def _resource(block: "EmbeddedResource") -> str:
    from mcp_types import TextResourceContents

    held = block.resource
    if isinstance(held, TextResourceContents):
        return f"[{_short(held.uri)}]\n{held.text}"
    return _note(f"file {_short(held.uri)}", held.mime_type or "of no type", held.blob)


def _note(what: str, kind: str, data: str) -> str:
    """`data` is base64: four characters hold three bytes."""
    return f"[{what}, {_short(kind)}, {len(data) * 3 // 4:,} bytes; it can't be shown here]"


def _short(text: str) -> str:
    return cleaned(text, most=MOST_NAME)
