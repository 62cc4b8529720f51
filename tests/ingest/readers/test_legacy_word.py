import struct

import pytest

from stratal_ingest.document import BlockKind
from stratal_ingest.errors import CorruptDocument, EncryptedDocument, UnsupportedFormat
from stratal_ingest.readers.registry import read
from tests.ingest.office_samples import ole

TEXT_AT, RUNS_AT = 1024, 2048  # bytes in the document


def looks(marks: list[int], properties: list[bytes]) -> bytes:
    """A page of formatted paragraphs, each ending behind the byte `marks` names."""
    count = len(properties)
    page = bytearray(512)
    struct.pack_into(f"<{count + 1}I", page, 0, TEXT_AT, *marks)
    at = 510
    for place, held in enumerate(properties):
        even = held + b"\0" * (len(held) % 2)
        at -= len(even) + 2
        page[at : at + 2 + len(even)] = bytes([0, len(even) // 2]) + even
        page[4 * (count + 1) + 13 * place] = at // 2
    page[511] = count
    return bytes(page)


def doc(text: str, properties: list[bytes] | None = None, *, flags: int = 0x200) -> bytes:
    """A Word 97 file with `text`, and a style and modifiers for each of its paragraphs."""
    ends = [n + 1 for n, character in enumerate(text) if character in "\r\x07"]
    header = bytearray(TEXT_AT)
    struct.pack_into("<H8xH", header, 0, 0xA5EC, flags)
    struct.pack_into("<I", header, 76, len(text))
    pieces = struct.pack("<II", 0, len(text)) + struct.pack("<HIH", 0, TEXT_AT, 0)
    table = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    struct.pack_into("<II", header, 154 + 8 * 33, 0, len(table))
    document = (bytes(header) + text.encode("utf-16-le")).ljust(RUNS_AT, b"\0")
    if properties:
        runs = struct.pack("<III", TEXT_AT, TEXT_AT + 2 * len(text), RUNS_AT // 512)
        struct.pack_into("<II", header, 154 + 8 * 13, len(table), len(runs))
        table += runs
        document = bytes(header) + document[TEXT_AT:]
        document += looks([TEXT_AT + 2 * end for end in ends], properties)
    return ole({"WordDocument": document, "1Table": table})


def style(number: int, *modifiers: tuple[int, int]) -> bytes:
    held = struct.pack("<H", number)
    return held + b"".join(struct.pack("<HB", code, value) for code, value in modifiers)


def test_the_text_is_found_by_the_piece_table() -> None:
    text = "One\rTwo \x13HYPERLINK x\x14link\x15\x0bnext 中\r"

    assert read(doc(text), "a.doc").text == "One\n\nTwo link\nnext 中"


def test_outline_levels_and_rows_come_from_the_formatting() -> None:
    text = "Title\ra\x07b\x07\x07end\r"
    properties = [
        style(0, (0x2640, 0)),
        style(0, (0x2416, 1)),
        style(0, (0x2416, 1)),
        style(0, (0x2416, 1), (0x2417, 1)),
        style(0),
    ]

    document = read(doc(text, properties), "a.doc")

    assert [(block.kind, block.heading, block.text) for block in document.blocks] == [
        (BlockKind.HEADING, ("Title",), "Title"),
        (BlockKind.TABLE, ("Title",), "a\tb"),
        (BlockKind.PROSE, ("Title",), "end"),
    ]


def test_a_password_an_older_word_and_damage_are_told_apart() -> None:
    with pytest.raises(EncryptedDocument):
        read(doc("x\r", flags=0x300), "a.doc")
    with pytest.raises(UnsupportedFormat, match="Word 95"):
        read(ole({"WordDocument": b"\xdc\xa5" + b"x" * 2000}), "a.doc")
    with pytest.raises(CorruptDocument, match="no table"):
        read(ole({"WordDocument": b"\xec\xa5" + bytes(2000)}), "a.doc")
