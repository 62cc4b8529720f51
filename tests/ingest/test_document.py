from hypothesis import given
from hypothesis import strategies as st

from stratal_ingest.document import Block, BlockKind, Outline, ReadDocument, clean, cleaned


def test_offsets_of_placed_blocks_point_into_the_text() -> None:
    document = ReadDocument(format="text", blocks=(Block(text="one"), Block(text="two")))

    assert document.text == "one\n\ntwo"
    assert [(start, block.text) for start, block in document.placed()] == [(0, "one"), (5, "two")]


def test_a_heading_closes_those_as_deep_as_itself() -> None:
    outline = Outline()

    outline.enter(1, "A")
    outline.enter(2, "B")
    outline.enter(2, "C")

    assert outline.path == ("A", "C")


def test_hidden_characters_and_terminal_codes_are_taken_out() -> None:
    assert clean("\x1b[31mred\x1b[0m \u202etxt\u202c z\u200bebra\U000e0041") == "red txt zebra"


def test_joiners_of_persian_and_emoji_stay() -> None:
    assert clean("می\u200cخواهم 👩\u200d🔬") == "می\u200cخواهم 👩\u200d🔬"


def test_code_keeps_its_indent_and_blank_blocks_go() -> None:
    code = Block(text="\n    x = 1\n", kind=BlockKind.CODE)

    document = cleaned(ReadDocument(format="code", blocks=(Block(text=" \x00 "), code)))

    assert [block.text for block in document.blocks] == ["    x = 1"]


@given(st.text(st.characters(codec=None)))
def test_cleaned_text_can_always_be_stored(text: str) -> None:
    stored = clean(text)

    assert stored.encode("utf-8").decode("utf-8") == stored
    assert "\x00" not in stored
