import gzip

import pytest

from stratal_ingest.errors import (
    CorruptDocument,
    DocumentError,
    EncryptedDocument,
    UnsupportedFormat,
)
from stratal_ingest.readers.formats import expected_format, format_of
from tests.ingest.compound import ole
from tests.ingest.samples import pdf, zipped

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
WORD = zipped(word__document_xml=b"<w/>")


@pytest.mark.parametrize(
    ("data", "name", "format"),
    [
        (pdf("x"), "report.docx", "pdf"),
        (b"\n" + pdf("x"), "report", "pdf"),
        (WORD, "report.pdf", "docx"),
        (b"<!DOCTYPE html><p>x", "page.txt", "html"),
        ("<html><p>x".encode("utf-16"), "page", "html"),
        (b"# Title", "a.md", "markdown"),
        (b"a,b", "a.CSV", "csv"),
        (b"{}", "a.jsonl", "ndjson"),
        (b"fn main() {}", "main.rs", "code"),
        (b"A file begins with %PDF-1.4 when it is a PDF.", "a.txt", "text"),
        (b"plain", "README", "text"),
    ],
)
def test_content_decides_and_the_name_helps(data: bytes, name: str, format: str) -> None:
    assert format_of(data, name) == format


@pytest.mark.parametrize(
    ("data", "name", "format"),
    [
        (zipped(xl__workbook_xml=b"<x/>"), "table", "xlsx"),
        (zipped(ppt__presentation_xml=b"<x/>"), "talk.docx", "pptx"),
        (zipped(mimetype=b"application/epub+zip"), "book.zip", "epub"),
        (zipped(mimetype=b"application/vnd.oasis.opendocument.text-template"), "a", "odt"),
        (zipped(content_xml=b"<x/>"), "a.odp", "odp"),
        (zipped(readme=b"x"), "all.zip", "zip"),
        (ole({"WordDocument": b"x", "ObjectPool/1/Workbook": b"x"}), "letter", "doc"),
        (ole({"Workbook": b"x"}), "table.xls", "xls"),
        (ole({"__properties_version1.0": b"x"}), "mail", "msg"),
        (gzip.compress(b"x"), "a.tgz", "tar"),
        (b"<?xml version='1.0'?><a/>", "data", "xml"),
        (rb"{\rtf1 hello}", "letter", "rtf"),
        (b"WEBVTT\n\n00:01", "a.txt", "vtt"),
        (b"1\n00:00:01,000 --> 00:00:02,000\nHi", "subtitles", "srt"),
    ],
)
def test_what_is_wrapped_is_told_by_what_is_inside(data: bytes, name: str, format: str) -> None:
    assert format_of(data, name) == format


@pytest.mark.parametrize("kind", ["document", "template", "document.macroEnabled"])
def test_the_declared_type_of_the_main_part_decides(kind: str) -> None:
    declared = f"application/vnd.ms-word.{kind}.main+xml".encode()

    assert format_of(zipped(**{"[Content_Types]_xml": declared}), "a.bin") == "docx"


@pytest.mark.parametrize(
    ("data", "name", "error"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "image.txt", UnsupportedFormat),
        (zipped(readme=b"x"), "letter.docx", CorruptDocument),
        (zipped(readme=b"x"), "book.epub", CorruptDocument),
        (WORD[:40], "letter.docx", CorruptDocument),
        (OLE + b"\x00" * 99, "old.doc", UnsupportedFormat),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "table.xlsx", EncryptedDocument),
    ],
)
def test_what_has_no_reader_is_refused_with_the_reason(
    data: bytes, name: str, error: type[DocumentError]
) -> None:
    with pytest.raises(error):
        format_of(data, name)


def test_the_refusal_calls_the_file_by_its_name_and_lists_what_can_be_read() -> None:
    with pytest.raises(UnsupportedFormat, match=r"a picture \(JPEG\)") as caught:
        format_of(b"\xff\xd8\xff\xe0\0\x10JFIF", "photo.pdf")

    assert "PDF, DOCX" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "format"), [("a.PDF", "pdf"), ("a.rs", "code"), ("a.docm", "docx"), ("a.xyz", "")]
)
def test_a_name_promises_a_format(name: str, format: str) -> None:
    assert expected_format(name) == format
