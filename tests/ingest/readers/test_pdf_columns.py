from stratal_ingest.readers.registry import read
from tests.ingest.samples import drawn_pdf


def at(x: int, y: int, text: str) -> str:
    return f"BT /F1 10 Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET "


def lines(drawn: str) -> list[str]:
    return read(drawn_pdf(drawn), "a.pdf").text.splitlines()


def test_columns_whose_lines_take_turns_are_read_one_after_the_other() -> None:
    drawn = at(60, 740, "A title that stands over both of the columns of the page, left and right")
    for n in range(10):
        y = 700 - 14 * n
        drawn += at(60, y, f"left line {n} of a column with words")
        drawn += at(320, y, f"right line {n} of a column with words")

    found = lines(drawn)

    assert found[0].startswith("A title")
    assert found[1:11] == [f"left line {n} of a column with words" for n in range(10)]
    assert found[11:] == [f"right line {n} of a column with words" for n in range(10)]


def test_a_table_is_read_row_by_row() -> None:
    drawn = "".join(
        at(60, 700 - 14 * n, f"item {n}") + at(320, 700 - 14 * n, f"{n} EUR") for n in range(12)
    )

    assert lines(drawn) == [f"item {n} {n} EUR" for n in range(12)]


def test_columns_written_one_after_the_other_stay_as_they_are() -> None:
    words = "a line of a column with many words in it"
    drawn = "".join(
        at(x, 700 - 14 * n, f"{side} {n} {words}")
        for x, side in ((60, "left"), (320, "right"))
        for n in range(10)
    )

    assert [line.split()[0] for line in lines(drawn)] == ["left"] * 10 + ["right"] * 10
