"""What parent and parser child say to each other: length-prefixed frames of JSON and bytes."""

import json
import struct
from dataclasses import asdict, dataclass
from typing import IO

from stratal_ingest.document import ReadDocument

_LENGTH = struct.Struct(">Q")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a file was refused; `type` is a class name of `stratal_ingest.errors`."""

    type: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the child makes of one file: exactly one of the two is set."""

    document: ReadDocument | None = None
    refusal: Refusal | None = None


def encode(answer: Answer) -> bytes:
    """`answer` as JSON; never pickle, for the child has touched hostile bytes."""
    return json.dumps(asdict(answer), ensure_ascii=False).encode("utf-8", "replace")


def send(stream: IO[bytes], payload: bytes) -> None:
    """Write one frame."""
    stream.write(_LENGTH.pack(len(payload)))
    stream.write(payload)
    stream.flush()


def receive(stream: IO[bytes], *, limit: int) -> bytes:
    """The next frame.

    Raises `EOFError` when the other side has gone, `ValueError` for a frame over `limit` bytes.
    """
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    if length > limit:
        raise ValueError(f"a frame of {length:,} bytes, {limit:,} are allowed")
    return _exactly(stream, length)


def _exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError("the other side closed the pipe")
    return data
