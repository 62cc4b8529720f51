from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.learning.visible import Visible, seen


@given(st.lists(st.sampled_from(("a", "b ", "\u200b", "\u202e", "\U000e0041", "é")), max_size=20))
def test_every_seen_character_is_found_again_in_the_whole(pieces: list[str]) -> None:
    text = "".join(pieces)

    plain = Visible.of(text)

    assert plain.text == seen(text)
    assert [text[plain.place(at)] for at in range(len(plain.text))] == list(plain.text)


def test_a_stretch_ends_after_its_last_seen_character() -> None:
    plain = Visible.of("ab\u200bc")

    assert (plain.end(2), plain.end(3), plain.end(0)) == (2, 4, 0)


def test_tags_and_directions_are_gone_and_letters_stay() -> None:
    assert seen("i\U000e0067nore\u202d me, naïve Łódź 東京") == "inore me, naïve Łódź 東京"
