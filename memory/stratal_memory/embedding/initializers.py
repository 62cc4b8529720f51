"""What the weightless graphs in `assets/` ask for by name, computed from a model's tensors.

`scripts/build_embedding_graph.py` writes the graphs and lists the names.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from stratal_memory.errors import EmbeddingError

LAYERS, WIDTH, INNER, WORDS, POSITIONS = 6, 384, 1536, 30_522, 512
LARGEST_INT8 = 127  # -128 stays unused, so that the range is symmetric around zero

Tensor = NDArray[np.float32]
Initializers = dict[str, NDArray[np.float32] | NDArray[np.int8]]


def float32_initializers(tensors: Mapping[str, Tensor]) -> Initializers:
    """Every initializer of `minilm-float32.onnx`.

    Raises `EmbeddingError` when a tensor is missing or has another shape.
    """
    return {**_small(tensors), **_matrices(tensors)}


def int8_initializers(tensors: Mapping[str, Tensor]) -> Initializers:
    """Every initializer of `minilm-int8.onnx`: int8 matrices, one float32 scale a column.

    Raises `EmbeddingError` when a tensor is missing or has another shape.
    """
    found: Initializers = {**_small(tensors)}
    for name, matrix in _matrices(tensors).items():
        quantised, scale = quantised_by_column(matrix)
        found[name] = quantised
        found[name.replace(".weight", ".scale")] = scale
    return found


def quantised_by_column(matrix: Tensor) -> tuple[NDArray[np.int8], Tensor]:
    """Integers and scales, so that integers * scales is `matrix` to half a step a column.

    >>> integers, scales = quantised_by_column(np.array([[1.27, 0], [-0.64, 0]], np.float32))
    >>> integers.tolist()
    [[127, 0], [-64, 0]]
    """
    largest = np.abs(matrix).max(axis=0)
    scale = np.where(largest > 0, largest / LARGEST_INT8, 1).astype(np.float32)
    return np.rint(matrix / scale).astype(np.int8), scale


def _small(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Everything but the four matrices of a layer."""
    positions = _shaped(tensors, "embeddings.position_embeddings.weight", POSITIONS, WIDTH)
    kinds = _shaped(tensors, "embeddings.token_type_embeddings.weight", 2, WIDTH)
    found = {
        "embeddings.words": _shaped(tensors, "embeddings.word_embeddings.weight", WORDS, WIDTH),
        "embeddings.positions": positions + kinds[0],  # every token of a single text is of kind 0
        **_norm(tensors, "embeddings.LayerNorm", to="embeddings"),
    }
    for number in range(LAYERS):
        source, at = f"encoder.layer.{number}", f"layer.{number}"
        found[f"{at}.qkv.bias"] = np.concatenate(
            [_shaped(tensors, f"{name}.bias", WIDTH) for name in _query_key_value(source)]
        )
        for ours, theirs, width in (
            ("attended", "attention.output.dense", WIDTH),
            ("widened", "intermediate.dense", INNER),
            ("narrowed", "output.dense", WIDTH),
        ):
            found[f"{at}.{ours}.bias"] = _shaped(tensors, f"{source}.{theirs}.bias", width)
        found |= _norm(tensors, f"{source}.attention.output.LayerNorm", to=f"{at}.attended")
        found |= _norm(tensors, f"{source}.output.LayerNorm", to=f"{at}.narrowed")
    return found


def _matrices(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The four matrices of each layer: torch keeps them as (out, in), the graph has (in, out)."""
    found: dict[str, Tensor] = {}
    for number in range(LAYERS):
        source, at = f"encoder.layer.{number}", f"layer.{number}"
        parts = [_shaped(tensors, f"{n}.weight", WIDTH, WIDTH) for n in _query_key_value(source)]
        found[f"{at}.qkv.weight"] = np.concatenate(parts).T
        for ours, theirs, rows, columns in (
            ("attended", "attention.output.dense", WIDTH, WIDTH),
            ("widened", "intermediate.dense", INNER, WIDTH),
            ("narrowed", "output.dense", WIDTH, INNER),
        ):
            matrix = _shaped(tensors, f"{source}.{theirs}.weight", rows, columns)
            found[f"{at}.{ours}.weight"] = matrix.T
    return found


def _query_key_value(source: str) -> list[str]:
    return [f"{source}.attention.self.{name}" for name in ("query", "key", "value")]


def _norm(tensors: Mapping[str, Tensor], source: str, *, to: str) -> dict[str, Tensor]:
    return {
        f"{to}.norm.gain": _shaped(tensors, f"{source}.weight", WIDTH),
        f"{to}.norm.bias": _shaped(tensors, f"{source}.bias", WIDTH),
    }


def _shaped(tensors: Mapping[str, Tensor], name: str, *shape: int) -> Tensor:
    tensor = tensors.get(name)
    if tensor is None or tensor.shape != shape:
        found = "is missing" if tensor is None else f"has shape {tensor.shape}"
        raise EmbeddingError(
            f"the model's tensor {name!r} {found}, the onnx engine needs {shape} float32",
            hint="It runs models shaped like all-MiniLM-L6-v2 only; name others as `st:MODEL`.",
        )
    return tensor
