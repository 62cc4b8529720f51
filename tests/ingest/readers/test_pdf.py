import pytest

from stratal_ingest.errors import CorruptDocument, EmptyDocument
from stratal_ingest.readers.registry import read
from tests.ingest.samples import pdf


def test_each_page_is_a_block_with_its_number() -> None:
    document = read(pdf("First page", "", "Third page"), "a.pdf")

    assert document.pages == 3
    assert [(block.page, block.text) for block in document.blocks] == [
        (1, "First page"),
        (3, "Third page"),
    ]


def test_pages_without_text_are_reported() -> None:
    with pytest.raises(EmptyDocument, match="no text layer") as caught:
        read(pdf("", ""), "scan.pdf")

    assert "OCR" in caught.value.hint


def test_a_damaged_file_is_corrupt() -> None:
    with pytest.raises(CorruptDocument):
        read(pdf("First page")[:120], "a.pdf")
