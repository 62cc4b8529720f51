"""What parent and parser child say to each other: length-prefixed frames of JSON and bytes."""

import json
import struct
from dataclasses import asdict, dataclass
from typing import IO, Any

from stratal_ingest.document import Block, BlockKind, Enclosed, ReadDocument, Refusal

LENGTH = struct.Struct(">Q")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the child makes of one file: exactly one of the two is set."""

    document: ReadDocument | None = None
    refusal: Refusal | None = None


def encode(answer: Answer) -> bytes:
    """`answer` as JSON; never pickle, for the child has touched hostile bytes."""
    plain = json.dumps(asdict(answer), ensure_ascii=False, default=_no_bytes)
    return plain.encode("utf-8", "replace")


def _no_bytes(value: object) -> str:
    """Empty: the bytes of an enclosed file never leave the child."""
    return ""


def decode(payload: bytes) -> Answer:
    """The answer `encode` made.

    For a child that asks its own fork; who trusts neither checks the types too.
    Raises `ValueError`, `KeyError` or `TypeError` where it is none.
    """
    plain = json.loads(payload)
    document, refusal = plain["document"], plain["refusal"]
    return Answer(
        document=_document(document) if document else None,
        refusal=Refusal(**refusal) if refusal else None,
    )


def _document(plain: Any) -> ReadDocument:
    fields: Any = {
        **plain,
        "blocks": tuple(map(_block, plain["blocks"])),
        "enclosed": tuple(map(_enclosed, plain["enclosed"])),
    }
    return ReadDocument(**fields)


def _block(plain: Any) -> Block:
    kind, heading = BlockKind(plain["kind"]), tuple(plain["heading"])
    fields: Any = {**plain, "kind": kind, "heading": heading}
    return Block(**fields)


def _enclosed(plain: Any) -> Enclosed:
    document, refusal = plain["document"], plain["refusal"]
    fields: Any = {
        **plain,
        "data": b"",
        "document": _document(document) if document else None,
        "refusal": Refusal(**refusal) if refusal else None,
    }
    return Enclosed(**fields)


def send(stream: IO[bytes], payload: bytes) -> None:
    """Write one frame."""
    stream.write(LENGTH.pack(len(payload)))
    stream.write(payload)
    stream.flush()


def receive(stream: IO[bytes], *, limit: int) -> bytes:
    """The next frame.

    Raises `EOFError` when the other side has gone, `ValueError` for a frame over `limit` bytes.
    """
    (length,) = LENGTH.unpack(_exactly(stream, LENGTH.size))
    if length > limit:
        raise ValueError(f"a frame of {length:,} bytes, {limit:,} are allowed")
    return _exactly(stream, length)


def _exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError("the other side closed the pipe")
    return data
