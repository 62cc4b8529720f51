"""Streamed answers break between words."""

from hypothesis import given
from hypothesis import strategies as st

from stratal.cli.wrapping import Wrapper


def wrapped(*pieces: str, width: int) -> str:
    wrapper = Wrapper(width)
    return "".join(wrapper.take(piece) for piece in pieces) + wrapper.flush()


def test_a_line_breaks_between_words_however_the_pieces_come() -> None:
    assert wrapped("one tw", "o thr", "ee four", width=9) == "one two\nthree\nfour"


def test_line_ends_of_the_text_stay() -> None:
    assert wrapped("a\n\n- b c", width=3) == "a\n\n- b\nc"


def test_a_word_longer_than_the_line_is_not_cut() -> None:
    assert wrapped("hi mem_0123456789", width=6) == "hi\nmem_0123456789"


@given(st.lists(st.text("ab \n", max_size=6), max_size=8), st.integers(1, 12))
def test_no_word_is_lost_or_cut(pieces: list[str], width: int) -> None:
    assert wrapped(*pieces, width=width).split() == "".join(pieces).split()
