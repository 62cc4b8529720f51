from hypothesis import given
from hypothesis import strategies as st

from stratal_ingest.readers.table import named_lines, plain_line, row_of, table_lines

NAMES = row_of(["who", "weeks", "paid"])


def test_below_a_row_of_names_each_value_has_its_name() -> None:
    rows = [row_of(["Leave"]), NAMES, row_of(["alice", "12"])]

    assert list(named_lines(rows, pairs=False)) == [
        "Leave",
        "who\tweeks\tpaid",
        "who: alice | weeks: 12",
    ]


def test_a_form_of_two_columns_of_words_has_no_names() -> None:
    form = [row_of(["Name", "Alice"]), row_of(["Role", "Admin"])]

    assert list(named_lines(form, pairs=False)) == ["Name\tAlice", "Role\tAdmin"]
    assert list(named_lines(form, pairs=True)) == ["Name\tAlice", "Name: Role | Alice: Admin"]


def test_of_two_rows_of_names_the_fuller_one_counts() -> None:
    rows = [row_of(["", "2023", "2024"]), NAMES, row_of(["a", "1", "2"])]

    assert list(named_lines(rows, pairs=False))[-1] == "who: a | weeks: 1 | paid: 2"


def test_years_name_columns_and_amounts_do_not() -> None:
    years = [row_of(["", "2023", "2024"]), row_of(["Sales", "5", "6"])]
    amounts = [row_of(["", "20.5", "24"]), row_of(["Sales", "5", "6"])]

    assert list(named_lines(years, pairs=False))[1] == "Sales | 2023: 5 | 2024: 6"
    assert list(named_lines(amounts, pairs=False))[1] == "Sales\t5\t6"


def test_an_empty_cell_keeps_its_place() -> None:
    assert plain_line(row_of(["a", "", "b"])) == "a\t\tb"


def test_a_long_table_of_a_text_names_its_columns() -> None:
    rows = [NAMES, *[row_of([f"person {n}", str(n), "yes"]) for n in range(200)]]

    assert table_lines(rows)[-1] == "who: person 199 | weeks: 199 | paid: yes"
    assert table_lines(rows[:3])[-1] == "person 1\t1\tyes"


@given(st.lists(st.lists(st.text(max_size=5), max_size=5), max_size=6), st.booleans())
def test_no_cell_is_lost(cells: list[list[str]], pairs: bool) -> None:
    rows = [row_of(row) for row in cells]

    text = "\n".join(named_lines(rows, pairs=pairs))
    assert all(cell in text for row in rows for cell in row.values())
