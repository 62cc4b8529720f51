import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.text import MAX_WORD, REPLACEMENT, storable, terms, text_hash


def test_nul_and_lone_surrogates_are_shown_as_replacements() -> None:
    assert storable("a\x00b\ud800c\udfff") == f"a{REPLACEMENT}b{REPLACEMENT}c{REPLACEMENT}"


@given(st.text(alphabet=st.characters()))
def test_what_is_storable_has_utf8_bytes_and_stays_so(text: str) -> None:
    once = storable(text)

    assert once.encode("utf-8").decode("utf-8") == once
    assert storable(once) == once
    assert len(once) == len(text)


@given(st.text(alphabet=st.characters()))
def test_terms_and_hash_take_any_text(text: str) -> None:
    assert text_hash(text) == text_hash(text)
    assert all(term and len(term) <= MAX_WORD and not term.isspace() for term in terms(text))


def test_case_form_blanks_and_end_punctuation_make_no_other_text() -> None:
    assert text_hash("Café au  lait!") == text_hash(unicodedata.normalize("NFD", "café au lait"))
    assert text_hash("I like tea") != text_hash("I like coffee")


def test_words_are_stemmed_and_empty_words_dropped() -> None:
    assert terms("The bakery's ovens were running") == ["bakeri", "oven", "run"]


def test_scripts_without_blanks_become_pairs() -> None:
    assert terms("我喜欢绿茶") == ["我喜", "喜欢", "欢绿", "绿茶"]
    assert terms("抹茶が好き") == ["抹茶", "茶が", "が好", "好き"]


def test_a_latin_word_inside_such_a_script_stays_a_word() -> None:
    assert "iphon" in terms("我的iPhone手机")
    assert "2024" in terms("在2024年搬家")


def test_an_endless_run_is_no_word() -> None:
    assert terms("x" * 100_000) == []
