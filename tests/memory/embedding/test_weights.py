import hashlib
import json
import struct
from pathlib import Path

import numpy as np
import pytest

from stratal_memory.embedding.weights import open_weights
from stratal_memory.errors import EmbeddingError, ModelHashMismatch


def written(path: Path, header: object, data: bytes = b"") -> Path:
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def entry(*shape: int, offsets: tuple[int, int], dtype: str = "F32") -> dict[str, object]:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def test_tensors_are_read_by_name_and_shape(tmp_path: Path) -> None:
    data = np.array([1, 2, 3, 4, 5, 6, 7], "<f4").tobytes()
    header = {"b": entry(2, 3, offsets=(4, 28)), "a": entry(1, offsets=(0, 4))}

    tensors = open_weights(written(tmp_path / "w", header, data)).tensors

    assert tensors["a"].tolist() == [1]
    assert tensors["b"].tolist() == [[2, 3, 4], [5, 6, 7]]


def test_metadata_and_other_number_formats_are_left_out(tmp_path: Path) -> None:
    header = {
        "__metadata__": {"format": "pt"},
        "ids": entry(1, offsets=(0, 8), dtype="I64"),
        "x": entry(offsets=(8, 12)),
    }

    tensors = open_weights(written(tmp_path / "w", header, bytes(12))).tensors

    assert list(tensors) == ["x"]


def test_the_hash_is_that_of_the_whole_file(tmp_path: Path) -> None:
    path = written(tmp_path / "w", {})

    found = open_weights(path).sha256

    assert found == hashlib.sha256(path.read_bytes()).hexdigest()
    assert open_weights(path, sha256=found).sha256 == found


def test_a_file_with_another_hash_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "w"
    path.write_bytes(b"not safetensors at all")

    with pytest.raises(ModelHashMismatch, match=r"pinned model has 000000000000") as raised:
        open_weights(path, sha256="0" * 64)

    assert str(path) in str(raised.value)
    assert "stratal models pull" in raised.value.hint


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "can't be read"),
        (b"short", "it has 5 bytes"),
        (struct.pack("<Q", 500) + b"{}", "header claims 500 of 10 bytes"),
        (struct.pack("<Q", 2**63), "header claims"),
        (struct.pack("<Q", 2) + b"{x", "not JSON"),
        (struct.pack("<Q", 2) + b"\xff\xff", "not JSON"),
        (struct.pack("<Q", 2) + b"[]", "not a JSON object"),
    ],
)
def test_a_file_that_is_not_safetensors_says_what_is_wrong(
    tmp_path: Path, content: bytes, what: str
) -> None:
    path = tmp_path / "w"
    path.write_bytes(content)

    with pytest.raises(EmbeddingError, match=what) as raised:
        open_weights(path)

    assert str(path) in str(raised.value)


@pytest.mark.parametrize(
    "bad",
    [
        entry(2, offsets=(0, 4)),  # two numbers in four bytes
        entry(2, offsets=(0, 8)),  # past the end of the file
        entry(1, offsets=(-4, 0)),  # inside the header
        entry(1, offsets=(4, 0)),
        {"dtype": "F32", "shape": [1]},
        {"dtype": "F32", "shape": ["x"], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": None, "data_offsets": [0, 4]},
        "x",
    ],
)
def test_an_entry_that_does_not_fit_is_named(tmp_path: Path, bad: object) -> None:
    path = written(tmp_path / "w", {"layer.7": bad}, bytes(4))

    with pytest.raises(EmbeddingError, match=r"layer\.7"):
        open_weights(path)


def test_a_missing_file_is_an_embedding_error(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match=r"nowhere.*can't be read"):
        open_weights(tmp_path / "nowhere")


def test_a_file_replaced_after_opening_does_not_change_the_tensors(tmp_path: Path) -> None:
    one, two = (np.array([n], "<f4").tobytes() for n in (1, 2))
    header = {"a": entry(1, offsets=(0, 4))}
    weights = open_weights(written(tmp_path / "w", header, one))

    written(tmp_path / "new", header, two).replace(tmp_path / "w")

    assert weights.tensors["a"].tolist() == [1]
