import gzip
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratal.errors import ConfigError
from stratal.tokens.vocabulary import PIECE, load_encoding, vocabulary_path, vocabulary_tokens

pytestmark = pytest.mark.skipif(find_spec("bpe_openai") is None, reason="needs bpe-openai (dev)")


def count(text: str) -> int:
    path = vocabulary_path()
    assert path is not None
    return vocabulary_tokens(text, path=path)


def test_known_counts() -> None:  # covers O15
    assert count("") == 0
    assert count("hello world") == 2
    assert count("a" * 8) == 1
    assert count("1234567") == 3


@pytest.mark.filterwarnings("ignore:open_binary is deprecated:DeprecationWarning")  # its own code
def test_it_counts_what_another_implementation_counts() -> None:
    from bpe_openai import get_encoding

    other = get_encoding("o200k_base")
    texts = [
        Path(__file__).read_text(),
        "We'll meet at 10:30,\r\n\tin   Zürich.  \n\n",
        "明日の会議は三時から。내일 오후 세 시. Завтра! मैं ठीक हूँ।",
        "👨‍👩‍👧‍👦 ½ ① \x00 <|endoftext|>",
    ]

    assert [count(text) for text in texts] == [len(other.encode_ordinary(text)) for text in texts]


def test_a_long_text_is_cut_where_no_token_reaches_across() -> None:
    sentence = "We met in the old library at noon, and  then walked home (slowly).\n"
    text = sentence * (3 * PIECE // len(sentence))

    whole = load_encoding(vocabulary_path() or Path()).encode_ordinary(text)

    assert count(text) == len(whole)


def test_the_name_of_a_special_token_is_only_text() -> None:
    assert count("<|endoftext|>") == 7


def test_lone_surrogates_are_counted_as_a_replacement() -> None:
    assert count("a\ud800b") == count("a?b")


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=())))
def test_any_text_can_be_counted(text: str) -> None:
    assert bool(count(text)) == bool(text)


@pytest.mark.parametrize("letter", ["a", " ", "\n", ".", "我", "😀", "aA"])
def test_a_megabyte_of_one_letter_is_counted(letter: str) -> None:
    """Without pieces the blanks overflow tiktoken's stack; the letters took minutes once."""
    assert count(letter * (1_000_000 // len(letter))) > 5_000


def test_a_file_that_is_not_the_vocabulary_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "o200k_base.tiktoken.gz"
    path.write_bytes(gzip.compress(b"aGVsbG8= 0\n"))

    with pytest.raises(ConfigError, match="not the o200k vocabulary"):
        vocabulary_tokens("hello", path=path)
