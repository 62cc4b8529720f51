from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stratal_memory.embedding.initializers import (
    float32_initializers,
    int8_initializers,
    quantised_by_column,
)
from stratal_memory.embedding.weights import open_weights
from stratal_memory.errors import EmbeddingError


@given(arrays(np.float32, (5, 3), elements=st.floats(-100, 100, width=16)))
def test_a_quantised_matrix_is_off_by_half_a_step_at_most(
    matrix: np.ndarray[tuple[int, int], np.dtype[np.float32]],
) -> None:
    integers, scale = quantised_by_column(matrix)

    assert integers.dtype == np.int8
    assert scale.shape == (3,)
    assert (np.abs(integers * scale - matrix) <= scale * 0.501).all()


def test_the_matrices_are_transposed_and_query_key_value_lie_side_by_side(
    model_folder: Path,
) -> None:
    tensors = open_weights(model_folder / "model.safetensors").tensors

    found = float32_initializers(tensors)

    value = tensors["encoder.layer.5.attention.self.value.weight"]
    assert found["layer.5.qkv.weight"].shape == (384, 1152)
    assert (found["layer.5.qkv.weight"][:, 768:] == value.T).all()
    wide = tensors["encoder.layer.0.intermediate.dense.weight"]
    assert (found["layer.0.widened.weight"] == wide.T).all()


def test_int8_keeps_the_names_and_adds_one_scale_a_matrix(model_folder: Path) -> None:
    tensors = open_weights(model_folder / "model.safetensors").tensors

    exact, small = float32_initializers(tensors), int8_initializers(tensors)

    matrices = {name for name, array in small.items() if array.dtype == np.int8}
    assert len(matrices) == 6 * 4
    assert set(small) - set(exact) == {name.replace(".weight", ".scale") for name in matrices}


@pytest.mark.parametrize("form", ["float32", "int8"])
def test_the_graph_is_small_and_asks_for_every_initializer_by_name(
    model_folder: Path, form: str
) -> None:
    tensors = open_weights(model_folder / "model.safetensors").tensors
    compute = float32_initializers if form == "float32" else int8_initializers

    graph = files("stratal_memory").joinpath("assets", f"minilm-{form}.onnx").read_bytes()

    assert len(graph) < 64 * 1024
    assert [name for name in compute(tensors) if name.encode() not in graph] == []


def test_a_tensor_of_another_shape_is_named(model_folder: Path) -> None:
    tensors = dict(open_weights(model_folder / "model.safetensors").tensors)
    name = "encoder.layer.3.output.dense.bias"
    tensors[name] = np.zeros(7, np.float32)

    with pytest.raises(EmbeddingError, match=r"layer\.3\.output\.dense\.bias' has shape \(7,\)"):
        float32_initializers(tensors)


def test_a_missing_tensor_is_named() -> None:
    with pytest.raises(EmbeddingError, match=r"position_embeddings\.weight' is missing") as raised:
        float32_initializers({})

    assert "st:MODEL" in raised.value.hint
