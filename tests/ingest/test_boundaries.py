import pytest

from stratal_ingest.boundaries import parts
from stratal_ingest.document import BlockKind


def split(text: str, kind: BlockKind = BlockKind.PROSE, *, most: int = 100) -> list[str]:
    spans = parts(text, (0, len(text)), kind, fits=lambda start, end: end - start <= most)
    return [text[start:end] for start, end in spans]


def test_prose_is_parted_after_sentences() -> None:
    assert split("One. Two! (Three?) Four") == ["One. ", "Two! ", "(Three?) ", "Four"]


@pytest.mark.parametrize(
    "text",
    ["Dr. Who met J. Smith", "It costs 3.50 here", "see e.g. The Times", "at 5 p.m. he left"],
)
def test_a_full_stop_that_ends_no_sentence_parts_nothing(text: str) -> None:
    assert split(text) == [text]


def test_chinese_sentences_need_no_blank() -> None:
    assert split("你好。再见！") == ["你好。", "再见！"]


def test_items_of_a_list_are_parts() -> None:
    assert split("- tea\n- milk") == ["- tea\n", "- milk"]


def test_rows_of_a_table_are_parts_and_a_long_row_is_cut_between_cells() -> None:
    assert split("a | b\nlong | longer", BlockKind.TABLE, most=8) == [
        "a | b\n",
        "long | ",
        "longer",
    ]


def test_code_that_fits_stays_whole() -> None:
    code = "def a():\n    pass\n\n    return"

    assert split(code, BlockKind.CODE) == [code]
    assert split(code, BlockKind.CODE, most=20) == ["def a():\n    pass\n\n", "    return"]


def test_an_accent_stays_with_its_letter() -> None:
    assert all(not part.startswith("\u0301") for part in split("e\u0301" * 9, most=5))
