import io

import docx
import pytest

from stratal_ingest.document import BlockKind
from stratal_ingest.errors import CorruptDocument
from stratal_ingest.readers.registry import read
from tests.ingest.samples import zipped


def letter() -> bytes:
    document = docx.Document()
    document.core_properties.title = "Handbook"
    document.add_heading("Leave", level=1)
    document.add_paragraph("Thirty days\ta year.")
    document.add_heading("Weeks", level=2)
    table = document.add_table(rows=2, cols=2)
    for row, texts in zip(table.rows, [("who", "weeks"), ("all", "12")], strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    table.rows[0].cells[0].merge(table.rows[0].cells[1])
    document.add_paragraph("The end.")
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_headings_paragraphs_and_tables_come_in_the_order_of_the_body() -> None:
    document = read(letter(), "letter.docx")

    assert (document.title, document.format) == ("Handbook", "docx")
    assert [(block.kind, block.heading, block.text) for block in document.blocks] == [
        (BlockKind.HEADING, ("Leave",), "Leave"),
        (BlockKind.PROSE, ("Leave",), "Thirty days\ta year."),
        (BlockKind.HEADING, ("Leave", "Weeks"), "Weeks"),
        (BlockKind.TABLE, ("Leave", "Weeks"), "who weeks\nall | 12"),
        (BlockKind.PROSE, ("Leave", "Weeks"), "The end."),
    ]


def test_a_word_file_is_known_under_any_name() -> None:
    assert read(letter(), "letter.pdf").format == "docx"


@pytest.mark.parametrize("part", [b"<w:document", b"<!DOCTYPE a><a/>", b""])
def test_a_broken_body_is_corrupt(part: bytes) -> None:
    with pytest.raises(CorruptDocument):
        read(zipped(word__document_xml=part), "letter.docx")


def test_a_table_in_a_cell_is_read_once() -> None:
    document = docx.Document()
    cell = document.add_table(rows=1, cols=1).rows[0].cells[0]
    cell.add_table(rows=1, cols=1).rows[0].cells[0].text = "inner"
    out = io.BytesIO()
    document.save(out)

    assert read(out.getvalue(), "nested.docx").text == "inner"
