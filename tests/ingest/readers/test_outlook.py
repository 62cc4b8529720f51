import struct

import pytest

from stratal_ingest.errors import CorruptDocument, EncryptedDocument
from stratal_ingest.readers.registry import read
from tests.ingest.compound import ole

SENT = (133_870_000_000 * 1_000_000 + 10_000_000).to_bytes(8, "little")


def wide(text: str) -> bytes:
    return text.encode("utf-16-le")


def fixed(header: int, *properties: tuple[int, bytes]) -> bytes:
    entries = (struct.pack("<II8s", tag, 6, value) for tag, value in properties)
    return b"\0" * header + b"".join(entries)


MESSAGE = {
    "__properties_version1.0": fixed(32, (0x00390040, SENT)),
    "__substg1.0_0037001F": wide("Leave"),
    "__substg1.0_0C1A001F": wide("Ann"),
    "__substg1.0_5D01001F": wide("ann@example.org"),
    "__substg1.0_0E04001F": wide("Bob; Cy"),
    "__substg1.0_1000001F": wide("Thirty days.\r\n\r\nBye"),
    "__recip_version1.0_#00000000/__properties_version1.0": fixed(8, (0x0C150003, b"\1")),
    "__recip_version1.0_#00000000/__substg1.0_3001001F": wide("Bob"),
    "__recip_version1.0_#00000000/__substg1.0_39FE001F": wide("bob@example.org"),
    "__recip_version1.0_#00000001/__properties_version1.0": fixed(8, (0x0C150003, b"\2")),
    "__recip_version1.0_#00000001/__substg1.0_3001001F": wide("Dee"),
    "__attach_version1.0_#00000000/__substg1.0_3707001F": wide("notes.txt"),
    "__attach_version1.0_#00000000/__substg1.0_37010102": b"The notes.",
}


def test_headers_body_and_attachments_are_read() -> None:
    document = read(ole(MESSAGE), "a.msg")

    assert (document.format, document.title) == ("msg", "Leave")
    assert [block.text for block in document.blocks] == [
        "From: Ann <ann@example.org>\nTo: Bob <bob@example.org>; Cy\nCc: Dee\n"
        "Date: 2025-03-21 03:06 UTC\nSubject: Leave",
        "Thirty days.",
        "Bye",
    ]
    notes = document.enclosed[0]
    assert (notes.name, notes.document and notes.document.text) == ("notes.txt", "The notes.")


def test_a_mail_in_a_mail_is_part_of_it() -> None:
    folder = "__attach_version1.0_#00000000/__substg1.0_3701000D"
    inner = {
        f"{folder}/__properties_version1.0": fixed(24),
        f"{folder}/__substg1.0_0037001F": wide("Before"),
        f"{folder}/__substg1.0_1000001F": wide("Older text."),
    }
    outer = {path: data for path, data in MESSAGE.items() if "attach" not in path}

    document = read(ole(outer | inner), "a.msg")

    assert document.blocks[-1].text == "Older text."
    assert document.blocks[-1].heading == ("Leave", "Before")


def test_text_in_a_code_page_is_read_in_it() -> None:
    page = (1251).to_bytes(4, "little")
    message = {
        "__properties_version1.0": fixed(32, (0x3FFD0003, page)),
        "__substg1.0_0037001E": "Привет".encode("cp1251"),
        "__substg1.0_10130102": "<html><p>Тридцать дней".encode("cp1251"),
    }

    document = read(ole(message), "a.msg")

    assert document.title == "Привет"
    assert document.blocks[-1].text == "Тридцать дней"


def test_a_body_that_is_only_packed_rtf_is_read() -> None:
    rtf = rb"{\rtf1\ansi Thirty days.\par}"
    packed = struct.pack("<IIII", len(rtf) + 12, len(rtf), 0x414C454D, 0) + rtf
    message = {
        "__properties_version1.0": fixed(32),
        "__substg1.0_0037001F": wide("Leave"),
        "__substg1.0_10090102": packed,
    }

    assert read(ole(message), "a.msg").blocks[-1].text == "Thirty days."


def test_large_streams_are_read_too() -> None:
    message = {**MESSAGE, "__substg1.0_1000001F": wide("word " * 3_000)}

    assert len(read(ole(message), "a.msg").blocks[1].text) == 14_999


def test_an_encrypted_office_file_and_a_broken_mail_are_refused() -> None:
    with pytest.raises(EncryptedDocument):
        read(ole({"EncryptedPackage": b"x", "EncryptionInfo": b"x"}), "a.docx")
    with pytest.raises(CorruptDocument):
        read(ole(MESSAGE)[:512] + wide("__properties_version1.0"), "a.msg")
