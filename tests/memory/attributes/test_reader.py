"""Attributes read from vectors of the embedding model that is installed with Stratal."""

import numpy as np
import pytest

from stratal_memory.attributes.catalogue import ATTRIBUTES, BY_NAME
from stratal_memory.attributes.reader import Reader, reader_for
from stratal_memory.embedding.embedder import Embedder
from stratal_memory.embedding.hashing import HashEmbedder


@pytest.mark.parametrize(
    ("line", "attribute"),
    [
        ("the person I answer to at work is Ingrid", "manager"),
        ("penicillin makes my skin come up in welts, doctors know", "allergy"),
        ("I drive an old Volvo estate", "car"),
        ("we pay 1,100 a month for this flat", "rent"),
        ("please keep your replies short and dry", "answer_style"),
    ],
)
def test_a_line_in_new_words_is_read(
    reader: Reader, minilm: Embedder, line: str, attribute: str
) -> None:
    assert reader.best_told(minilm.embed([line])[0]).attribute.name == attribute


@pytest.mark.parametrize(
    ("question", "attribute"),
    [
        ("who is it I answer to at work?", "manager"),
        ("what am I not allowed to eat because I'd swell up?", "allergy"),
        ("what do I drive?", "car"),
        ("how much goes to the landlord each month?", "rent"),
    ],
)
def test_what_a_question_asks_for_is_among_the_first(
    reader: Reader, minilm: Embedder, question: str, attribute: str
) -> None:
    found = reader.asked(minilm.embed([question])[0], most=3)
    assert attribute in [one.attribute.name for one in found]
    assert [one.sure for one in found] == sorted((one.sure for one in found), reverse=True)


@pytest.mark.parametrize(
    "line",
    [
        "it rained all day",
        "write me a haiku about rust",
        "def main(): return 0",
        "lol",
        "ok thanks",
    ],
)
def test_small_talk_and_tasks_tell_of_nothing(reader: Reader, minilm: Embedder, line: str) -> None:
    assert reader.best_told(minilm.embed([line])[0]).sure < 0.3


def test_shares_are_of_one_whole(reader: Reader, minilm: Embedder) -> None:
    shares = reader.told(minilm.embed(["my cat is called Mo", "it rained"]))
    assert shares.shape == (2, len(ATTRIBUTES))
    assert np.all(shares >= 0)
    assert np.all(shares.sum(axis=1) <= 1 + 1e-5)


def test_what_an_attribute_is_not_told_with_is_its_value(reader: Reader) -> None:
    landlord = BY_NAME["landlord"]
    assert reader.residue(landlord, "we rent from Jens Holm") == "Jens Holm"
    assert reader.residue(landlord, "we rent") == ""
    assert reader.residue(landlord, "") == ""


def test_a_word_unlike_all_values_is_none(reader: Reader, minilm: Embedder) -> None:
    allergy = BY_NAME["allergy"]
    strawberries, remember = minilm.embed(["strawberries", "remember"])
    assert reader.is_value(allergy, strawberries)
    assert not reader.is_value(allergy, remember)


def test_there_is_no_reader_for_the_vectors_of_another_model() -> None:
    assert reader_for(HashEmbedder().generation) is None
    assert reader_for(None) is None
