"""What documents look like on their way into memory."""

from dataclasses import dataclass

from stratal_memory.records import Trust, Unread


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A document that was understood and is not stored yet."""

    path: str  # absolute, an address, or `stdin:NAME`; `OUTER!/NAME` where it lies in another
    title: str
    format: str
    content_hash: str  # SHA-256 of the file's bytes, in hexadecimal
    characters: int  # of the text that was understood
    pages: int = 0  # 0 where the format has none
    trust: Trust = Trust.DOCUMENT
    root: str = ""  # the folder, pattern or file it was found by
    within: str = ""  # path of the document it lies in
    refused: tuple[Unread, ...] = ()  # what in it could not be read
