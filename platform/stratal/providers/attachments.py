"""An attachment's source, taken apart for a provider's own image and document blocks."""

from collections.abc import Collection
from dataclasses import dataclass

from stratal.errors import InvalidRequest
from stratal_memory.records import Media, MediaKind, Message

# What both APIs read: anthropic 2.11.0 `Base64ImageSourceParam`; OpenAI's guide on images.
IMAGE_TYPES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """Where the bytes are: at an https `url`, or here as base64 `data` of a `media_type`."""

    url: str = ""
    data: str = ""
    media_type: str = ""


def attached(media: Media, *, provider: str, takes: Collection[MediaKind]) -> Attached:
    """The source of `media` in parts.

    Raises `InvalidRequest` for a kind that is not among those `provider` takes, and for a source
    that is neither an https address nor a base64 data URL: nothing is dropped in silence.
    """
    if media.kind not in takes:
        raise InvalidRequest(
            f"{provider} takes no {media.kind} attachments",
            hint="Send the message without it, or use a model that takes it.",
        )
    if media.source.startswith("https://"):
        return Attached(url=media.source)
    head, comma, data = media.source.partition(",")
    if not (head.startswith("data:") and head.endswith(";base64") and comma and data):
        raise InvalidRequest(
            f"the source of an {media.kind} attachment is no https address and no base64 data URL: "
            f"{media.source[:40]!r}",
            hint="Attach the file again.",
        )
    media_type = head.removeprefix("data:").removesuffix(";base64").split(";")[0].lower()
    return Attached(data=data, media_type=media_type)


def refuse_made(message: Message, *, provider: str) -> None:
    """Raise `InvalidRequest` when an assistant's message has attachments: no API takes them."""
    if message.media:
        raise InvalidRequest(
            f"{provider} takes no attachments of an assistant's message",
            hint="Send the conversation without them.",
        )


def unreadable(media: Media, source: Attached, *, provider: str) -> InvalidRequest:
    """The error for a media type, or an address, that `provider` does not read."""
    what = f"of the type {source.media_type!r}" if source.media_type else "at an address"
    return InvalidRequest(
        f"{provider} reads no {media.kind} {what}",
        hint="Convert it to PNG, JPEG or PDF, and attach it again.",
    )
