import io

import docx
import pytest

from stratal_ingest.document import BlockKind
from stratal_ingest.errors import CorruptDocument
from stratal_ingest.readers.registry import read
from tests.ingest.office_samples import word
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
        (BlockKind.TABLE, ("Leave", "Weeks"), "who weeks\nall\t12"),
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
    cell = document.add_table(rows=1, cols=2).rows[0].cells[0]
    cell.add_table(rows=1, cols=1).rows[0].cells[0].text = "inner"
    out = io.BytesIO()
    document.save(out)

    assert read(out.getvalue(), "nested.docx").text == "inner"


def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{run(text)}</w:p>"


def test_changes_count_as_accepted() -> None:
    struck = "<w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
    moved = f"<w:moveFrom>{run('moved')}</w:moveFrom>"
    end_struck = paragraph("One ", "<w:rPr><w:del/></w:rPr>")

    body = f"<w:p>{run('Keep ')}{struck}{moved}<w:ins>{run('new')}</w:ins></w:p>"
    text = read(word(body + end_struck + paragraph("sentence.")), "a.docx").text

    assert text == "Keep new\n\nOne sentence."


def test_notes_and_comments_follow_their_paragraph() -> None:
    body = (
        "<w:p><w:r><w:t>Leave</w:t><w:footnoteReference w:id='2'/></w:r>"
        "<w:r><w:commentReference w:id='7'/></w:r></w:p>" + paragraph("Next.")
    )
    parts = {
        "footnotes": f"<w:footnote w:id='2'>{paragraph('Paid.')}</w:footnote>",
        "comments": f"<w:comment w:id='7' w:author='Ann'>{paragraph('Why?')}</w:comment>",
    }

    document = read(word(body, parts), "a.docx")

    assert [block.text for block in document.blocks] == [
        "Leave",
        "[Footnote 1: Paid.]",
        "[Comment by Ann: Why?]",
        "Next.",
    ]


def test_levels_come_from_the_outline_whatever_a_style_is_called() -> None:
    styles = (
        "<w:style w:styleId='a'><w:name w:val='Kapitel'/><w:pPr><w:outlineLvl w:val='0'/></w:pPr>"
        "</w:style><w:style w:styleId='b'><w:name w:val='Mein'/><w:basedOn w:val='a'/></w:style>"
    )
    body = paragraph("Eins", "<w:pStyle w:val='b'/>") + paragraph("x", "<w:outlineLvl w:val='9'/>")

    blocks = read(word(body, {"styles": styles}), "a.docx").blocks

    assert [block.kind for block in blocks] == [BlockKind.HEADING, BlockKind.PROSE]
    assert blocks[1].heading == ("Eins",)


def test_lists_count_as_word_shows_them() -> None:
    numbering = (
        "<w:abstractNum w:abstractNumId='5'>"
        "<w:lvl w:ilvl='0'><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/></w:lvl>"
        "<w:lvl w:ilvl='1'><w:numFmt w:val='lowerLetter'/><w:lvlText w:val='%1.%2)'/></w:lvl>"
        "</w:abstractNum><w:num w:numId='1'><w:abstractNumId w:val='5'/></w:num>"
    )

    def item(text: str, level: int) -> str:
        listed = f"<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='1'/></w:numPr>"
        return paragraph(text, listed)

    body = item("a", 0) + item("b", 1) + item("c", 1) + item("d", 0) + item("e", 1)

    assert read(word(body, {"numbering": numbering}), "a.docx").text == (
        "1. a\n  1.a) b\n  1.b) c\n2. d\n  2.a) e"
    )


def test_a_box_is_read_once_after_its_paragraph() -> None:
    mc = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    box = f"<w:txbxContent>{paragraph('boxed')}</w:txbxContent>"
    body = (
        f"<w:p>{run('before')}<w:r><mc:AlternateContent xmlns:mc='{mc}'><mc:Choice>{box}"
        f"</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r>{run('!')}</w:p>"
    )

    assert read(word(body), "a.docx").text == "before!\n\nboxed"


def test_a_merged_cell_is_in_each_of_its_rows() -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"

    body = (
        f"<w:tbl><w:tr>{cell('north', '<w:vMerge w:val=&quot;restart&quot;/>')}{cell('1')}</w:tr>"
        f"<w:tr>{cell('', '<w:vMerge/>')}{cell('2')}</w:tr>"
        f"<w:tr><w:trPr><w:del/></w:trPr>{cell('struck')}{cell('3')}</w:tr></w:tbl>"
    ).replace("&quot;", '"')

    assert read(word(body), "a.docx").text == "north\t1\nnorth\t2"


def test_headers_are_read_once_and_page_numbers_not_at_all() -> None:
    parts = {"header": paragraph("ACME"), "footer": paragraph("Page 3")}

    assert read(word(paragraph("Body."), parts), "a.docx").text == "ACME\n\nBody."


def test_the_title_is_the_first_heading_where_the_properties_hold_a_file_name() -> None:
    document = docx.Document()
    document.core_properties.title = "Microsoft Word - draft.doc"
    document.add_heading("Leave", level=1)
    out = io.BytesIO()
    document.save(out)

    assert read(out.getvalue(), "a.docx").title == "Leave"


def test_strict_files_are_read_as_all_others() -> None:
    name = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    inner = f"<w:body>{paragraph('strictly')}</w:body>"
    body = f"<w:document xmlns:w='{name}'>{inner}</w:document>"

    assert read(zipped(word__document_xml=body.encode()), "a.docx").text == "strictly"
