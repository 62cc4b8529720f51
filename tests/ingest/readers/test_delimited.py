import pytest

from stratal_ingest.readers.delimited import delimiter_of
from stratal_ingest.readers.registry import read


def test_each_row_names_its_columns() -> None:
    document = read(b'who;weeks\nalice;12\n"b; c";3\n', "leave.csv")

    assert document.text == "who\tweeks\nwho: alice | weeks: 12\nwho: b; c | weeks: 3"


def test_a_title_above_the_header_stays_a_line() -> None:
    document = read(b"Stanley Cups\t\t\nTeam\tCups\nBlues\t1\n", "cups.tsv")

    assert (document.format, document.text) == (
        "tsv",
        "Stanley Cups\nTeam\tCups\nTeam: Blues | Cups: 1",
    )


def test_ragged_rows_and_an_open_quote_lose_nothing() -> None:
    document = read(b'a,b\n1\n1,2,3\n"open, quote\n4,5\n', "ragged.csv")

    assert document.text == "a\tb\na: 1\na: 1 | b: 2 | 3\na: open, quote 4,5"


def test_a_table_of_numbers_has_no_header() -> None:
    assert read(b"1,2\n3,4\n", "numbers.csv").text == "1\t2\n3\t4"


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [("a\tb,c\n1\t2\n", "\t"), ("a|b\n1|2", "|"), ("a\nb", ","), ('"a;b",c\n"1;2",3', ",")],
)
def test_the_delimiter_is_what_parts_every_line(text: str, delimiter: str) -> None:
    assert delimiter_of(text) == delimiter


def test_shift_jis_and_twenty_thousand_columns_are_read() -> None:
    japanese = read("氏名,都市\n佐藤太郎,大阪\n".encode("cp932"), "a.csv")
    wide = read(",".join(f"c{n}" for n in range(20_000)).encode(), "wide.csv")

    assert japanese.text.endswith("氏名: 佐藤太郎 | 都市: 大阪")
    assert wide.text.endswith("\tc19999")


def test_a_file_may_name_its_delimiter_in_its_first_line() -> None:
    assert read(b"sep=;\na;b,c\n1;2,3\n", "a.csv").text == "a\tb,c\na: 1 | b,c: 2,3"
