import pytest

from stratal_ingest.errors import (
    CorruptDocument,
    DocumentError,
    EncryptedDocument,
    UnsupportedFormat,
)
from stratal_ingest.readers.formats import format_of
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
    ("data", "name", "error"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "image.txt", UnsupportedFormat),
        (zipped(xl__workbook_xml=b"<x/>"), "table.xlsx", UnsupportedFormat),
        (zipped(readme=b"x"), "letter.docx", CorruptDocument),
        (zipped(readme=b"x"), "all.zip", UnsupportedFormat),
        (WORD[:40], "letter.docx", CorruptDocument),
        (OLE + b"\x00" * 99, "old.doc", UnsupportedFormat),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "table.xlsx", EncryptedDocument),
        (b"From: a@example.com\n\nHello", "mail.eml", UnsupportedFormat),
        (b"<?xml version='1.0'?><a/>", "data", UnsupportedFormat),
        (rb"{\rtf1 hello}", "letter", UnsupportedFormat),
    ],
)
def test_what_has_no_reader_is_refused_with_the_reason(
    data: bytes, name: str, error: type[DocumentError]
) -> None:
    with pytest.raises(error):
        format_of(data, name)


def test_the_refusal_lists_what_can_be_read() -> None:
    with pytest.raises(UnsupportedFormat) as caught:
        format_of(zipped(ppt__presentation_xml=b"<x/>"), "talk.pptx")

    assert "PDF, DOCX, HTML" in caught.value.hint
