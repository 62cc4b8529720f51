import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_ingest.document import BlockKind
from stratal_ingest.errors import CorruptDocument
from stratal_ingest.readers.registry import read
from stratal_ingest.readers.rich_text import RichTextReader


def texts(inner: str) -> list[str]:
    data = ("{\\rtf1\\ansi " + inner + "}").encode("latin-1")
    return [block.text for block in read(data, "a.rtf").blocks]


def test_headings_come_from_styles_and_outline_levels() -> None:
    data = (
        rb"{\rtf1{\stylesheet{\s0 Normal;}{\s3\b heading 2;}}{\info{\title Handbook}}"
        rb"{\pard\outlinelevel0 One\par}\pard\s3 Two\par\pard Text.\par}"
    )

    document = read(data, "a.rtf")

    assert document.title == "Handbook"
    assert [(block.kind, block.heading) for block in document.blocks] == [
        (BlockKind.HEADING, ("One",)),
        (BlockKind.HEADING, ("One", "Two")),
        (BlockKind.PROSE, ("One", "Two")),
    ]


@pytest.mark.parametrize(
    ("inner", "shown"),
    [
        (r"caf\'e9", "café"),
        (r"\u8217?x\uc2\u20013\'8b\'e5!", "'x中!"),
        (r"\u-10179?\u-8704?", "😀"),
        (r"{\fonttbl{\f0\fcharset128 MS;}{\f1\fcharset204 A;}}\f0\'93\'fa\'96\'7b", "日本"),
        (r"{\fonttbl{\f1\fcharset204 A;}}{\f1\'cc\'e8\'f0} ok", "Мир ok"),
        (r"a\~b\_c\emdash d\{\}\\", "a\xa0b\u2011c—d{}\\"),
        (r"{\*\unknown hidden}{\pict 00ff}{\v secret}shown{\deleted gone}", "shown"),
        (r"{\field{\*\fldinst HYPERLINK x}{\fldrslt link}}", "link"),
        (r"{\pict\bin3 }}}x}y", "y"),
    ],
)
def test_characters_are_decoded_and_what_is_no_text_is_skipped(inner: str, shown: str) -> None:
    assert texts(inner) == [shown]


def test_a_table_is_rows_and_what_follows_comes_after_it() -> None:
    row = r"\trowd\pard\intbl {}\cell {}\par more\cell\row "

    assert texts(row.format("a", "b") + row.format("c", "d") + r"\pard end\par") == [
        "a\tb more\nc\td more",
        "end",
    ]


def test_items_make_a_list_and_a_footnote_follows_its_paragraph() -> None:
    items = r"{\listtext 1.\tab}one\par{\pntext\'b7\tab}two\par "
    note = r"Leave{\footnote {\super 1} Paid.} is granted.\par"

    assert texts(items + note) == [
        "1. one\n- two",
        "Leave is granted.",
        "[Footnote 1: 1 Paid.]",
    ]


def test_a_footnote_that_nothing_ends_loses_nothing() -> None:
    assert read(rb"{\rtf1 Leave{\footnote Paid.", "a.rtf").text == "LeavePaid."


def test_headers_are_read_once() -> None:
    head = r"{\header ACME\par}{\footer \chpgn\par}"

    assert texts(head + r"Body.\par\sect" + head) == ["ACME", "Body."]


def test_what_is_no_rtf_is_corrupt() -> None:
    with pytest.raises(CorruptDocument):
        RichTextReader().read(b"hello", "a.rtf")


@given(st.text(alphabet="\\{}'*ubin par\n\x00é9-", max_size=60))
def test_no_rtf_breaks_the_reader(inner: str) -> None:
    RichTextReader().read(b"{\\rtf1" + inner.encode("latin-1"), "a.rtf")
