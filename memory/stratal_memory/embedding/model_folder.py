"""A model as it lies on disk: weights, tokenizer and configuration, checked before use."""

import json
from dataclasses import dataclass
from pathlib import Path

from stratal_memory.embedding import pins
from stratal_memory.embedding.initializers import WORDS
from stratal_memory.embedding.weights import Weights, open_weights
from stratal_memory.errors import EmbeddingError

# What the graphs in assets/ were drawn for; the weights alone don't show it.
_EXPECTED: dict[str, object] = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": 384,
    "intermediate_size": 1536,
    "layer_norm_eps": 1e-12,
    "num_attention_heads": 12,
    "num_hidden_layers": 6,
}
_POOLING = "1_Pooling/config.json"  # written by sentence-transformers; absent means the mean


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """An opened model of the shape of all-MiniLM-L6-v2."""

    name: str  # all-MiniLM-L6-v2 when the weights are its own, else the folder's name
    weights: Weights
    tokenizer: str  # the text of tokenizer.json


def open_model(folder: Path, *, pinned: bool) -> ModelFolder:
    """The model in `folder`; with `pinned` its three files must be those of `pins.FILES`.

    Raises `ModelHashMismatch`, or `EmbeddingError` for a missing, damaged or unsuited file.
    """
    if pinned:
        for file in (pins.CONFIG, pins.TOKENIZER):
            pins.checked(folder / file.name, file)
    _check_values(folder / pins.CONFIG.name, _EXPECTED)
    if (folder / _POOLING).exists():
        _check_values(folder / _POOLING, {"pooling_mode_mean_tokens": True})
    tokenizer = _checked_tokenizer(folder / pins.TOKENIZER.name)
    pin = pins.WEIGHTS.sha256 if pinned else ""
    weights = open_weights(folder / pins.WEIGHTS.name, sha256=pin)
    ours = weights.sha256 == pins.WEIGHTS.sha256
    name = pins.MODEL if ours else folder.resolve().name
    return ModelFolder(name=name, weights=weights, tokenizer=tokenizer)


def _check_values(path: Path, expected: dict[str, object]) -> None:
    found = _json_object(path, _text(path))
    wrong = [f"{key} is {found.get(key)!r}" for key in expected if found.get(key) != expected[key]]
    if wrong:
        raise EmbeddingError(
            f"{path} describes a model the onnx engine can't run: {', '.join(wrong)}",
            hint="It runs models shaped like all-MiniLM-L6-v2 only; name others as `st:MODEL`.",
        )


def _checked_tokenizer(path: Path) -> str:
    """The file's text. The tokenizer library raises bare `Exception`s, so faults are named here."""
    text = _text(path)
    model = _json_object(path, text).get("model")
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    kind = model.get("type") if isinstance(model, dict) else None
    size = len(vocabulary) if isinstance(vocabulary, dict) else 0
    if kind != "WordPiece" or size != WORDS:
        raise EmbeddingError(
            f"{path} holds a tokenizer of kind {kind!r} with {size:,} words; "
            f"the model needs WordPiece with {WORDS:,}",
            hint="Take tokenizer.json from the same place as model.safetensors.",
        )
    return text


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or NUL in the name
        raise EmbeddingError(
            f"{path} can't be read: {error}",
            hint="A model folder holds model.safetensors, tokenizer.json and config.json.",
        ) from error


def _json_object(path: Path, text: str) -> dict[str, object]:
    try:
        found: object = json.loads(text)
    except ValueError as error:
        raise EmbeddingError(f"{path} is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise EmbeddingError(f"{path} is not a JSON object")
    return found
