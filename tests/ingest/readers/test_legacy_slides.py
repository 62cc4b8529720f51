import struct

import pytest

from stratal_ingest.document import BlockKind
from stratal_ingest.errors import EmptyDocument
from stratal_ingest.readers.registry import read
from tests.ingest.office_samples import ole


def record(kind: int, content: bytes, *, version: int = 0, number: int = 0) -> bytes:
    return struct.pack("<HHI", version | number << 4, kind, len(content)) + content


def presentation(*parts: bytes) -> bytes:
    return ole({"PowerPoint Document": b"".join(parts)})


def test_slides_are_pages_under_their_titles_and_boxes_come_after() -> None:
    outline = (
        record(1011, bytes(20))
        + record(3999, struct.pack("<I", 0))
        + record(4000, "Plan ü".encode("utf-16-le"))
        + record(3999, struct.pack("<I", 1))
        + record(4008, b"One\rTwo")
    )
    box = record(1006, record(4008, b"boxed") + record(4008, b"One"), version=0xF)

    document = read(presentation(record(4080, outline, version=0xF), box), "a.ppt")

    assert [(block.kind, block.page, block.heading, block.text) for block in document.blocks] == [
        (BlockKind.HEADING, 1, ("Plan ü",), "Plan ü"),
        (BlockKind.PROSE, 1, ("Plan ü",), "One\nTwo"),
        (BlockKind.PROSE, 0, (), "boxed"),
    ]


def test_one_without_text_is_empty() -> None:
    with pytest.raises(EmptyDocument):
        read(presentation(record(1006, b"", version=0xF)), "a.ppt")
