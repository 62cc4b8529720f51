import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.embedding.hashing import HashEmbedder


@given(st.lists(st.text(st.characters(codec=None)), max_size=5), st.integers(1, 400))
def test_every_row_has_unit_length_whatever_the_text(texts: list[str], dimension: int) -> None:
    vectors = HashEmbedder(dimension).embed(texts)

    assert vectors.shape == (len(texts), dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_an_empty_text_is_the_first_axis() -> None:
    assert HashEmbedder(4).embed(["", " ... "]).tolist() == [[1, 0, 0, 0], [1, 0, 0, 0]]


def test_another_process_computes_the_same_vector() -> None:
    program = (
        "from stratal_memory.embedding.hashing import HashEmbedder;"
        "print(HashEmbedder(16).embed(['Alice bakes bread']).tobytes().hex())"
    )

    printed = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONHASHSEED": "7"},
        capture_output=True,
        check=True,
        text=True,
    ).stdout

    assert printed.strip() == HashEmbedder(16).embed(["Alice bakes bread"]).tobytes().hex()


def test_texts_that_share_words_are_closer_than_those_that_do_not() -> None:
    bread, loaf, boat = HashEmbedder().embed(
        ["Alice bakes bread on Sunday", "On Sunday Alice baked bread", "The boat left port"]
    )

    assert bread @ loaf > 0.5 > bread @ boat


def test_case_does_not_matter() -> None:
    upper, lower = HashEmbedder().embed(["BREAD", "bread"])

    assert (upper == lower).all()


def test_its_generation_names_the_dimension() -> None:
    assert HashEmbedder(64).generation.id == "hash@1/64"
