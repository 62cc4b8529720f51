import pytest

from stratal_ingest.errors import CorruptDocument, EmptyDocument
from stratal_ingest.readers.registry import read
from tests.ingest.samples import numbered_pdf, pdf


def test_each_page_is_a_block_with_its_number() -> None:
    document = read(pdf("First page", "", "Third page"), "a.pdf")

    assert document.pages == 3
    assert [(block.page, block.text) for block in document.blocks] == [
        (1, "First page"),
        (3, "Third page"),
    ]


def test_pages_without_text_are_reported() -> None:
    with pytest.raises(EmptyDocument, match=r"2 page\(s\) have no text layer") as caught:
        read(pdf("", ""), "scan.pdf")

    assert "OCR" in caught.value.hint


def test_a_damaged_file_is_corrupt() -> None:
    with pytest.raises(CorruptDocument):
        read(pdf("First page")[:120], "a.pdf")


def test_a_header_and_a_footer_of_every_page_are_read_once() -> None:
    pages = [
        f"Handbook) Tj 0 -20 Td (Text {'abcd'[n]}) Tj 0 -20 Td (Page {n + 1} of 4" for n in range(4)
    ]

    document = read(pdf(*pages), "a.pdf")

    assert [block.text for block in document.blocks] == [
        "Handbook\nText a\nPage 1 of 4",
        "Text b",
        "Text c",
        "Text d",
    ]


def with_notes(*notes: str) -> bytes:
    numbers = " ".join(f"{n} 0 R" for n in range(4, 4 + len(notes)))
    return numbered_pdf(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Annots [{numbers}] >>",
            *notes,
        ]
    )


def test_filled_forms_and_remarks_are_read() -> None:
    document = read(
        with_notes(
            "<< /Subtype /Widget /FT /Tx /T (name) /TU (Your name) /V (Ann) /Rect [0 0 9 9] >>",
            "<< /Subtype /Widget /FT /Btn /T (box) /V /Off /Rect [0 0 9 9] >>",
            "<< /Subtype /FreeText /Contents (Look here) /Rect [0 0 9 9] >>",
            "<< /Subtype /Link /Contents (no text) /Rect [0 0 9 9] >>",
        ),
        "form.pdf",
    )

    assert document.text == "Your name: Ann\nLook here"


def test_files_in_a_pdf_are_enclosed() -> None:
    data = numbered_pdf(
        [
            "<< /Type /Catalog /Pages 2 0 R "
            "/Names << /EmbeddedFiles << /Names [(a) 4 0 R] >> >> >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>",
            "<< /Type /Filespec /F (notes.txt) /UF (notes.txt) /EF << /F 5 0 R >> >>",
            "<< /Type /EmbeddedFile /Length 10 >>\nstream\nThe notes.\nendstream",
        ]
    )

    inside = read(data, "a.pdf").enclosed

    assert [(file.name, file.document and file.document.text) for file in inside] == [
        ("notes.txt", "The notes.")
    ]
