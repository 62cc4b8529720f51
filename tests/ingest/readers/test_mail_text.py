from hypothesis import given
from hypothesis import strategies as st

from stratal_ingest.readers.mail_text import decoded_words, text_in, unflowed


@given(st.text() | st.text("=?utf8bq_ \n", max_size=60))
def test_decoding_words_never_fails(value: str) -> None:
    assert isinstance(decoded_words(value), str)


@given(
    st.binary(max_size=200), st.sampled_from(["", "utf-8", "cp932", "utf-16", "x", "rot13", "hex"])
)
def test_bytes_become_text_whatever_their_charset_is_said_to_be(data: bytes, charset: str) -> None:
    assert isinstance(text_in(data, charset), str)


@given(st.text("ab> \n-", max_size=200))
def test_unflowing_keeps_every_letter(text: str) -> None:
    assert [c for c in unflowed(text) if c in "ab"] == [c for c in text if c in "ab"]


def test_delsp_takes_the_space_away() -> None:
    assert unflowed("日本 \n語", delete_space=True) == "日本語"
