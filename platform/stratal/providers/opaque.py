"""A provider's own blocks of an answer, signed or encrypted: kept as JSON, given back unchanged.

`Completion.opaque` and `Message.opaque` hold `{"provider", "model", "blocks"}`. The blocks are in
the order of the answer; what the message holds anyway, its text and calls, has only its place.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from stratal.context.request import Request
from stratal.errors import ProviderRejected
from stratal.providers.provider import Completion, StreamItem
from stratal_memory.records import Message, Role, ToolCall

SENT_WITHOUT = "The provider refused its own earlier reasoning; it was sent again without it."
# Anthropic: "Invalid `signature` in `thinking` block. The block is bound to a different
# conversation", "thinking blocks ... cannot be modified"; OpenAI: "The encrypted content ...
# could not be verified" (codex #8119).
_REFUSED_BLOCKS = re.compile(
    r"`?signature`? in `?(redacted_)?thinking|thinking`? blocks .{0,80}cannot be modified"
    r"|encrypted content .{0,300}could not be|invalid_encrypted_content"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """A block that only its provider reads."""

    block: dict[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A piece of the answer's text; `phase` is OpenAI's word for what the piece is."""

    text: str
    phase: str = ""


Part = Own | Spoken | ToolCall
Send = Callable[[Request], Iterator[StreamItem]]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Own(_Entry):
    own: dict[str, JsonValue]


class _Text(_Entry):
    text: int = Field(ge=0)  # characters of the message's text
    phase: str = ""


class _Call(_Entry):
    call: str  # id


class _Kept(_Entry):
    provider: str
    model: str
    blocks: list[_Own | _Text | _Call]


def packed(provider: str, model: str, entries: Iterable[Mapping[str, object]]) -> str:
    """The JSON text for `entries`, each `{"own": block}`, `{"text": length}` or `{"call": id}`.

    Empty when there is nothing to keep: no block of the provider's own, and no phase.
    """
    blocks = [dict(entry) for entry in entries]
    if not any("own" in block or block.get("phase") for block in blocks):
        return ""
    return json.dumps({"provider": provider, "model": model, "blocks": blocks})


def parts(message: Message, *, provider: str, model: str, own: bool) -> list[Part]:
    """The message in the order of the answer it came from, without blank texts.

    The provider's own blocks are among them when `own` is asked for and this `provider` and
    `model` wrote them. An opaque text that is malformed, of another model, or does not fit the
    message any more is ignored. No block of the provider's own comes last: APIs refuse that.
    """
    kept = _read(message.opaque) if message.opaque else None
    if kept is not None and (kept.provider, kept.model) == (provider, model):
        laid_out = _laid_out(message, kept.blocks)
        if laid_out is not None:
            return _closed([part for part in laid_out if own or not isinstance(part, Own)])
    return _closed([Spoken(text=message.text), *message.tool_calls])


def current_turn(request: Request) -> int:
    """The index of the last user message: own blocks go back only behind it.

    Newer Claude models sign a block together with everything before it, and the recall of an
    earlier turn is not in the history any more ("preserved thinking", platform.claude.com).
    """
    users = [n for n, message in enumerate(request.messages) if message.role == Role.USER]
    return users[-1] if users else -1


def sent_again_without(send: Send, request: Request) -> Iterator[StreamItem]:
    """The stream of `send`; when it refuses the own blocks in the request, once more without."""
    begun = False
    try:
        for item in send(request):
            begun = True
            yield item
        return
    except ProviderRejected as error:
        carries = any(message.opaque for message in request.messages)
        if begun or not carries or not _REFUSED_BLOCKS.search(str(error)):
            raise
    plain = tuple(replace(message, opaque="") for message in request.messages)
    for item in send(replace(request, messages=plain)):
        if isinstance(item, Completion):
            yield replace(item, warnings=(*item.warnings, SENT_WITHOUT))
        else:
            yield item


def _read(text: str) -> _Kept | None:
    try:
        kept = _Kept.model_validate_json(text)
        kept.model_dump_json().encode()  # half a character inside could not be sent
    except (ValidationError, ValueError):
        return None
    return kept


def _laid_out(message: Message, blocks: list[_Own | _Text | _Call]) -> list[Part] | None:
    """The parts in order, or None when the message is not the one the blocks belong to."""
    calls = {call.id: call for call in message.tool_calls}
    if [block.call for block in blocks if isinstance(block, _Call)] != list(calls):
        return None
    if sum(block.text for block in blocks if isinstance(block, _Text)) != len(message.text):
        return None
    laid_out: list[Part] = []
    at = 0
    for block in blocks:
        if isinstance(block, _Own):
            laid_out.append(Own(block=block.own))
        elif isinstance(block, _Call):
            laid_out.append(calls[block.call])
        else:
            text = message.text[at : at + block.text]
            laid_out.append(Spoken(text=text, phase=block.phase))
            at += block.text
    return laid_out


def _closed(laid_out: Iterable[Part]) -> list[Part]:
    kept = [p for p in laid_out if not isinstance(p, Spoken) or p.text.strip()]
    while kept and isinstance(kept[-1], Own):
        kept.pop()
    return kept
