import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from stratal_memory.embedding.onnx import OnnxEmbedder

TEXTS = [
    "Alice keeps her spare key under the blue flower pot.",
    "tea",
    "",
    "The oven in the bakery was repaired in March; " * 12,
    "Где лежит запасной ключ?",
    "予備の鍵は青い植木鉢の下にあります。",
    "def add(a, b):\n    return a + b",
    "🙂 ok",
]


def test_a_text_has_the_same_vector_alone_and_among_others(float32: OnnxEmbedder) -> None:
    together = float32.embed(TEXTS * 5)

    alone = np.concatenate([float32.embed([text]) for text in TEXTS])

    np.testing.assert_allclose(together, np.tile(alone, (5, 1)), atol=1e-5)


def test_an_int8_vector_does_not_depend_on_its_neighbours_either(int8: OnnxEmbedder) -> None:
    together = int8.embed(TEXTS)

    alone = np.concatenate([int8.embed([text]) for text in TEXTS])

    np.testing.assert_array_equal(together, alone)


def test_rows_are_unit_length_float32_in_the_order_given(float32: OnnxEmbedder) -> None:
    forwards, backwards = float32.embed(TEXTS), float32.embed(TEXTS[::-1])

    assert forwards.shape == (len(TEXTS), 384)
    assert forwards.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(forwards, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(forwards, backwards[::-1], atol=1e-5)


def test_no_texts_make_no_rows(float32: OnnxEmbedder) -> None:
    assert float32.embed([]).shape == (0, 384)


@pytest.mark.parametrize("form", ["float32", "int8"])
def test_similar_sentences_are_closer_than_unrelated_ones(
    form: str, float32: OnnxEmbedder, int8: OnnxEmbedder
) -> None:
    embedder = {"float32": float32, "int8": int8}[form]

    key, same, other = embedder.embed(
        [
            "Alice keeps her spare key under the flower pot.",
            "The extra key is hidden beneath the plant.",
            "The central bank raised interest rates.",
        ]
    )

    assert key @ same > 0.4 > 0.2 > key @ other


def test_a_known_vector_is_the_one_sentence_transformers_computes(float32: OnnxEmbedder) -> None:
    vector = float32.embed(["This is an example sentence"])[0]

    # The first four numbers of sentence-transformers 6.2.0, torch 2.13.0, with the same model.
    np.testing.assert_allclose(vector[:4], [0.067657, 0.063496, 0.048713, 0.079305], atol=1e-5)


def test_a_text_is_read_beyond_128_tokens_and_up_to_256(float32: OnnxEmbedder) -> None:
    filler = "and so on " * 45  # 135 tokens
    plain, early, late = float32.embed(
        [filler, f"{filler} volcano eruption", f"{filler * 2} volcano eruption"]
    )

    assert plain @ early < 0.99
    assert float32.embed([filler * 2])[0] @ late == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "\ud800",
        "key\udfff",
        "a\x00b",
        "x" * 1_000_000,
        "word " * 200_000,
        "鍵" * 1_000_000,
    ],
)
def test_any_string_has_a_vector(float32: OnnxEmbedder, text: str) -> None:
    vector = float32.embed([text])

    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_it_counts_the_tokens_of_a_whole_text_and_says_how_many_it_takes_in(
    float32: OnnxEmbedder,
) -> None:
    assert float32.window == 254
    assert [float32.count(text) for text in ("", "tea", "one two three.")] == [0, 1, 4]
    assert float32.count("tea " * 1_000) == 1_000


def test_int8_is_a_generation_of_its_own(float32: OnnxEmbedder, int8: OnnxEmbedder) -> None:
    assert float32.generation.id == "all-MiniLM-L6-v2@53aa51172d14/384"
    assert int8.generation.id == "all-MiniLM-L6-v2@53aa51172d14-int8/384"


def test_int8_stays_close_to_float32(float32: OnnxEmbedder, int8: OnnxEmbedder) -> None:
    cosines = (float32.embed(TEXTS) * int8.embed(TEXTS)).sum(axis=1)

    assert cosines.mean() >= 0.985
    assert cosines.min() >= 0.97


def test_threads_share_one_embedder(model_folder: Path) -> None:
    fresh = OnnxEmbedder(model_folder, pinned=True)
    expected = fresh.embed(TEXTS)
    unloaded = OnnxEmbedder(model_folder, pinned=True)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: unloaded.embed(TEXTS), range(4)))

    for vectors in found:
        np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_finding_a_model_loads_no_engine_and_embedding_loads_no_torch() -> None:
    program = """
import sys
from pathlib import Path
from stratal_memory.embedding.discovery import find_embedder

embedder = find_embedder("", models_dir=Path("nowhere"))
print(sorted({"onnxruntime", "tokenizers"} & set(sys.modules)))
embedder.embed(["tea"])
print(sorted({"torch", "onnx", "sentence_transformers", "transformers"} & set(sys.modules)))
"""

    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    ).stdout

    assert printed.splitlines() == ["[]", "[]"]
