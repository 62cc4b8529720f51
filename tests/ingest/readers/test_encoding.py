import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_ingest.errors import UnsupportedFormat
from stratal_ingest.readers.encoding import decode, looks_binary

PANGRAM = "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. "


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le"])
def test_unicode_is_read_with_or_without_a_mark(encoding: str) -> None:
    assert decode(PANGRAM.encode(encoding)) == PANGRAM


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", PANGRAM),
        ("cp1252", "Le garçon a été à l’école où il a reçu une “bonne” note."),
        ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy"),
        ("cp1253", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία"),
        ("cp932", "名前,年齢,住所\n佐藤太郎,30,大阪\n"),
        ("cp1251", "Съешь ещё этих мягких французских булок, да выпей же чаю. " * 3),
    ],
)
def test_an_encoding_that_is_not_declared_is_guessed(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize("data", [b"text\x00text and more", bytes(range(256)) * 20])
def test_binary_data_is_never_text(data: bytes) -> None:
    with pytest.raises(UnsupportedFormat):
        decode(data)


def test_terminal_codes_do_not_make_text_binary() -> None:
    assert not looks_binary(b"\x1b[31mred\x1b[0m \x1b]0;title\x07")


@given(st.text(st.characters(exclude_characters="\x00\ufeff", exclude_categories=["Cs"])))
def test_whatever_is_utf8_comes_back_as_it_was(text: str) -> None:
    assert decode(text.encode()) == text
