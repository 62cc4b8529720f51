import pytest

from stratal_ingest.document import BlockKind
from stratal_ingest.errors import CorruptDocument
from stratal_ingest.readers.registry import read

ARTICLE = b"""<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//X" "x.dtd">
<article><front><issn>2050-084X</issn><title>Moths</title></front>
<body><sec><title>Wings</title><p>They <i>fly</i>.<!-- no --></p>
<table><tr><th>who</th><th>days</th></tr><tr><td>all</td><td>30</td></tr></table></sec>
<sec><title>Eyes</title><p>They see&nbsp;.</p></sec></body></article>"""


def test_a_text_is_read_under_its_titles() -> None:
    document = read(ARTICLE, "a.xml")

    assert document.title == "Moths"
    assert [(block.kind, block.heading, block.text) for block in document.blocks] == [
        (BlockKind.TABLE, (), "issn: 2050-084X"),
        (BlockKind.HEADING, ("Moths",), "Moths"),
        (BlockKind.HEADING, ("Moths", "Wings"), "Wings"),
        (BlockKind.PROSE, ("Moths", "Wings"), "They fly."),
        (BlockKind.TABLE, ("Moths", "Wings"), "who\tdays\nall\t30"),
        (BlockKind.HEADING, ("Moths", "Eyes"), "Eyes"),
        (BlockKind.PROSE, ("Moths", "Eyes"), "They see ."),
    ]


def test_data_is_records_of_values_with_their_paths() -> None:
    data = (
        b"<?xml version='1.0'?><r><i id='7'><name>a</name><n>1</n></i>"
        b"<i><name>b</name><in><x k='v'>2</x></in></i><deep>leaf</deep></r>"
    )

    assert [block.text for block in read(data, "a.xml").blocks] == [
        "i | id: 7 | name: a | n: 1",
        "i.name: b\ni.in.x@k: v\ni.in.x: 2",
        "deep: leaf",
    ]


def test_an_encoding_that_is_named_wrong_is_found() -> None:
    data = "<?xml version='1.0' encoding='utf-8'?><a><b>naïve</b></a>".encode("cp1252")

    assert read(data, "a.xml").text == "b: naïve"


@pytest.mark.parametrize(
    "data",
    [
        b"<?xml version='1.0'?><a><b></a>",
        b"<!DOCTYPE a [<!ENTITY x 'y'>]><a><b>z</b></a>",
        b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
        b"<a>" * 10_000,
    ],
)
def test_broken_xml_and_entities_of_its_own_are_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptDocument):
        read(data, "a.xml")


def test_a_spreadsheet_of_excel_2003_is_rows() -> None:
    names = "urn:schemas-microsoft-com:office:spreadsheet"
    cells = "<Cell><Data>{}</Data></Cell><Cell ss:Index='3'><Data>{}</Data></Cell>"
    rows = "".join(f"<Row>{cells.format(*row)}</Row>" for row in (("who", "days"), ("all", 30)))
    data = (
        f"<?xml version='1.0'?><Workbook xmlns='{names}' xmlns:ss='{names}'>"
        f"<Worksheet ss:Name='S'><Table>{rows}</Table></Worksheet></Workbook>"
    )

    blocks = read(data.encode(), "a.xls").blocks

    assert [(block.page, block.text) for block in blocks] == [
        (1, "S"),
        (1, "who\t\tdays\nwho: all | days: 30"),
    ]


def test_runs_of_one_paragraph_are_not_parted_and_references_are() -> None:
    data = b"<r><p><t>wor</t><t>ld</t></p><ref><name>Ann</name><year>2024</year></ref></r>"

    assert read(data, "a.xml").text == "world\n\nAnn 2024"
