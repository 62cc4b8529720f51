import pytest

from stratal_ingest.document import BlockKind
from stratal_ingest.errors import CorruptDocument, EncryptedDocument
from stratal_ingest.readers.open_document import OpenDocumentReader
from stratal_ingest.readers.registry import read
from tests.ingest.office_samples import open_document, zip_of

TITLE = '<style:style style:name="P1" style:parent-style-name="Title"/>'


def texts(body: str, *, kind: str = "text", styles: str = "") -> list[str]:
    document = read(open_document(kind, body, styles=styles), "a.odt")
    return [block.text for block in document.blocks]


def test_headings_lists_and_spaces_are_read_as_they_are_meant() -> None:
    body = (
        '<text:p text:style-name="P1">Hand<text:span>book</text:span></text:p>'
        '<text:h text:outline-level="1">Leave</text:h>'
        "<text:p>Thirty\n days<text:s text:c='2'/>a<text:tab/>year<text:line-break/>more</text:p>"
        "<text:list><text:list-item><text:p>a</text:p><text:list><text:list-item><text:p>b</text:p>"
        "</text:list-item></text:list></text:list-item></text:list>"
    )

    document = read(open_document("text", body, styles=TITLE), "a.odt")

    assert document.title == "Handbook"
    assert [(block.kind, block.heading, block.text) for block in document.blocks] == [
        (BlockKind.HEADING, ("Handbook",), "Handbook"),
        (BlockKind.HEADING, ("Handbook", "Leave"), "Leave"),
        (BlockKind.PROSE, ("Handbook", "Leave"), "Thirty days a\tyear\nmore"),
        (BlockKind.PROSE, ("Handbook", "Leave"), "- a\n  - b"),
    ]


def test_notes_comments_and_frames_follow_their_paragraph_and_struck_text_is_gone() -> None:
    body = (
        "<text:tracked-changes><text:p>old</text:p></text:tracked-changes>"
        "<text:p>Leave<text:note text:note-class='footnote'><text:note-citation>1"
        "</text:note-citation><text:note-body><text:p>Paid.</text:p></text:note-body></text:note>"
        "<office:annotation><dc:creator>Ann</dc:creator><text:p>Why?</text:p></office:annotation>"
        " is<draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame>"
        " granted.</text:p>"
    )

    assert texts(body) == [
        "Leave is granted.",
        "[Footnote 1: Paid.]",
        "[Comment by Ann: Why?]",
        "boxed",
    ]


def test_headings_numbered_by_a_list_are_headings() -> None:
    body = (
        "<text:list><text:list-item><text:h text:outline-level='1'>One</text:h></text:list-item>"
        "</text:list><text:p>x</text:p>"
    )

    assert read(open_document("text", body), "a.odt").blocks[1].heading == ("One",)


def cell(text: str, attributes: str = "") -> str:
    return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"


def test_merged_and_repeated_cells_are_in_each_of_their_places() -> None:
    spanned = cell("north", "table:number-rows-spanned='2'")
    repeated = cell("x", "table:number-columns-repeated='2'")
    body = (
        f"<table:table><table:table-row>{spanned}{cell('1')}</table:table-row>"
        f"<table:table-row><table:covered-table-cell/>{cell('2')}</table:table-row>"
        f"<table:table-row>{repeated}</table:table-row>"
        "</table:table>"
    )

    assert texts(body) == ["north\t1\nnorth\t2\nx\tx"]


def test_a_slide_is_a_page_with_its_notes_last() -> None:
    title = " presentation:class='title'"
    frame = "<draw:frame{}><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>"
    body = (
        f"<draw:page>{frame.format('', 'Body')}"
        f"{frame.format(title, 'Plan')}"
        f"<presentation:notes>{frame.format('', 'Say hello')}</presentation:notes></draw:page>"
    )

    document = read(open_document("presentation", body), "a.odp")

    assert [(block.page, block.heading, block.text) for block in document.blocks] == [
        (1, ("Plan",), "Plan"),
        (1, ("Plan",), "Body"),
        (1, ("Plan",), "Notes:\nSay hello"),
    ]


def test_a_million_empty_rows_cost_nothing_and_cells_read_as_shown() -> None:
    empty = "<table:table-row table:number-rows-repeated='1048000'><table:table-cell/>"
    body = (
        "<table:table table:name='S'><table:table-row>"
        f"{cell('first')}</table:table-row>{empty}</table:table-row><table:table-row>"
        f"{cell('25 %')}</table:table-row></table:table>"
    )

    document = read(open_document("spreadsheet", body), "a.ods")

    assert (document.format, document.pages) == ("ods", 1)
    assert [block.text for block in document.blocks] == ["S", "first", "25 %"]


def test_a_flat_file_is_read_as_a_zipped_one() -> None:
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    flat = (
        f'<?xml version="1.0"?><office:document xmlns:office="{urn}:office:1.0" '
        f'xmlns:text="{urn}:text:1.0"><office:body><office:text><text:p>flat</text:p>'
        "</office:text></office:body></office:document>"
    )

    assert read(flat.encode(), "a.fodt").text == "flat"


def test_an_encrypted_file_and_one_without_content_are_refused() -> None:
    with pytest.raises(EncryptedDocument):
        OpenDocumentReader().read(zip_of({"META-INF/manifest.xml": "<encryption-data/>"}), "a.odt")
    with pytest.raises(CorruptDocument):
        OpenDocumentReader().read(zip_of({"meta.xml": "<a/>"}), "a.odt")
