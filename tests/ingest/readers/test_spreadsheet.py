import io
from collections.abc import Callable
from datetime import datetime

import pytest
import xlsxwriter  # type: ignore[import-untyped]

from stratal_ingest.document import BlockKind
from stratal_ingest.errors import CorruptDocument
from stratal_ingest.readers.number_format import show
from stratal_ingest.readers.registry import read
from tests.ingest.office_samples import relations, zip_of

NAMES = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def workbook(fill: Callable[[xlsxwriter.Workbook], None]) -> bytes:
    out = io.BytesIO()
    with xlsxwriter.Workbook(out) as book:
        fill(book)
    return out.getvalue()


def test_a_sheet_is_a_page_and_a_row_names_its_columns() -> None:
    def fill(book: xlsxwriter.Workbook) -> None:
        sheet = book.add_worksheet("Sales")
        sheet.write_row(0, 0, ["City", "Share", "Since", "Paid"])
        sheet.write(1, 0, "Oslo")
        sheet.write(1, 1, 0.256, book.add_format({"num_format": "0.0%"}))
        day = book.add_format({"num_format": "dd.mm.yyyy"})
        sheet.write_datetime(1, 2, datetime(2024, 3, 5), day)
        sheet.write_formula(1, 3, "=1+1", None, 2)
        book.add_worksheet("Empty")
        secret = book.add_worksheet("Secret")
        secret.hide()
        secret.write(0, 0, "hush")

    document = read(workbook(fill), "a.xlsx")

    assert document.pages == 3
    assert [(b.kind, b.heading, b.page, b.text) for b in document.blocks] == [
        (BlockKind.HEADING, ("Sales",), 1, "Sales"),
        (
            BlockKind.TABLE,
            ("Sales",),
            1,
            "City\tShare\tSince\tPaid\nCity: Oslo | Share: 25.6% | Since: 2024-03-05 | Paid: 2",
        ),
        (BlockKind.HEADING, ("Secret (hidden sheet)",), 3, "Secret (hidden sheet)"),
        (BlockKind.TABLE, ("Secret (hidden sheet)",), 3, "hush"),
    ]


def test_an_empty_row_parts_tables_but_not_a_header_from_its_rows() -> None:
    def fill(book: xlsxwriter.Workbook) -> None:
        sheet = book.add_worksheet("s")
        sheet.write_row(0, 0, ["a", "b", "c"])
        sheet.write_row(2, 0, [1, 2, 3])
        sheet.write_row(6, 0, ["note"])

    texts = [block.text for block in read(workbook(fill), "a.xlsx").blocks]

    assert texts == ["s", "a\tb\tc\na: 1 | b: 2 | c: 3", "note"]


def test_merged_cells_comments_and_boxes_are_read() -> None:
    def fill(book: xlsxwriter.Workbook) -> None:
        sheet = book.add_worksheet("s")
        sheet.merge_range(0, 0, 1, 0, "north")
        sheet.write(0, 1, 1)
        sheet.write(1, 1, 2)
        sheet.write_comment(1, 1, "Up")
        sheet.insert_textbox(5, 1, "boxed")

    texts = [block.text for block in read(workbook(fill), "a.xlsx").blocks]

    assert texts == ["s", "north\t1\nnorth\t2", "[Comment on B2: Up]", "boxed"]


def sheet_of(rows: str) -> bytes:
    main = (
        f"<workbook xmlns='{NAMES}' xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/"
        "relationships'><sheets><sheet name='s' r:id='r1'/></sheets></workbook>"
    )
    return zip_of(
        {
            "_rels/.rels": relations(("r", "officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": main,
            "xl/_rels/workbook.xml.rels": relations(("r1", "worksheet", "/xl/sheet.xml")),
            "xl/sheet.xml": f"<worksheet xmlns='{NAMES}'><sheetData>{rows}</sheetData></worksheet>",
        }
    )


def test_two_cells_of_billions_cost_two_cells() -> None:
    first = "<row r='1'><c r='A1' t='inlineStr'><is><t>first</t></is></c></row>"
    last = "<row r='1048576'><c r='XFD1048576' t='inlineStr'><is><t>last</t></is></c></row>"

    assert read(sheet_of(first + last), "a.xlsx").text == "s\n\nfirst\n\nlast"


def test_cells_without_places_stand_side_by_side() -> None:
    row = "<row><c><v>1</v></c><c t='b'><v>1</v></c><c t='e'><v>#N/A</v></c></row>"

    assert read(sheet_of(row), "a.xlsx").text == "s\n\n1\tTRUE\t#N/A"


def test_a_broken_sheet_is_corrupt() -> None:
    with pytest.raises(CorruptDocument):
        read(sheet_of("<row><c></row>"), "a.xlsx")


@pytest.mark.parametrize(
    ("code", "number", "shown"),
    [
        ("General", 0.1 + 0.2, "0.3"),
        ("#,##0.00", 1234.567, "1234.57"),
        ("0%", 0.5, "50%"),
        ('#,##0 "kg"', 12.0, "12"),
        ("[$-409]d-mmm-yy;@", 45292.0, "2024-01-01"),
        ("yyyy-mm-dd hh:mm", 45292.5, "2024-01-01 12:00"),
        ("h:mm AM/PM", 0.75, "18:00:00"),
        ("[h]:mm", 1.5, "36:00:00"),
        ("[Red]0.0", -2.25, "-2.2"),
        ("dd/mm/yyyy", -1.0, "-1"),
    ],
)
def test_numbers_look_as_a_person_reads_them(code: str, number: float, shown: str) -> None:
    assert show(code)(number) == shown


def test_days_may_be_counted_from_1904() -> None:
    assert show("yyyy-mm-dd", since_1904=True)(0) == "1904-01-01"
