"""What documents look like on their way into memory."""

from dataclasses import dataclass

from stratal_memory.records import Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A document that was understood and is not stored yet."""

    path: str  # absolute, or "stdin"
    title: str
    format: str
    content_hash: str  # SHA-256 of the file's bytes, in hexadecimal
    characters: int  # of the text that was understood
    pages: int = 0  # 0 where the format has none
    trust: Trust = Trust.DOCUMENT
