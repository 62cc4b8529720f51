"""all-MiniLM-L6-v2 on onnxruntime: no torch, and no `onnx` package either.

The graph is a weightless skeleton in `assets/`; its weights come from the model's safetensors.
"""

import threading
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import numpy as np

from stratal_memory.embedding.batches import Tokens, length_sorted, padded
from stratal_memory.embedding.embedder import Generation, Vectors
from stratal_memory.embedding.initializers import (
    WIDTH,
    Initializers,
    float32_initializers,
    int8_initializers,
)
from stratal_memory.embedding.model_folder import ModelFolder, open_model
from stratal_memory.errors import EmbeddingError
from stratal_memory.text import storable

Form = Literal["float32", "int8"]

# The model card's limit. tokenizer.json bakes in 128, which would cut long texts silently.
MAX_TOKENS = 256
# Ordinary text fills 256 tokens within 2,000 characters; a megabyte takes seconds to tokenise.
MAX_CHARACTERS = 64_000
PADDING = 0  # the id of [PAD]; masked out, so any id would do
BATCH_SIZE = 16  # measured best: 8 to 32; larger ones fall out of the cache
_ERRORS_ONLY = 3  # onnxruntime's log level; its warnings are about graphics cards

_Encode = Callable[[str], list[int]]
_Run = Callable[[Tokens, Tokens], Vectors]


class OnnxEmbedder:
    """The model in a folder, as float32 (one text, one vector, whatever the batch) or int8.

    int8 is a generation of its own (`revision` ends in `-int8`): twice as fast on one text, cosine
    to float32 0.991 on average. onnxruntime scales int8 activations over a whole batch, so int8
    texts are run one by one; otherwise a vector would depend on its neighbours.

    Constructing it reads and hashes the files (70 ms); the first `embed` loads the engine (0.6 s).
    Any number of threads may call it. At most 256 tokens of a text count.
    """

    def __init__(self, folder: Path, *, form: Form = "float32", pinned: bool = False) -> None:
        """With `pinned` the files must be those of `pins.FILES`.

        Raises `ModelHashMismatch`, or `EmbeddingError` for a missing, damaged or unsuited model.
        """
        self._model = open_model(folder, pinned=pinned)
        self._form: Form = form
        self._engine: tuple[_Encode, _Run] | None = None
        self._loading = threading.Lock()

    @property
    def generation(self) -> Generation:
        """The model's name and the first 12 digits of its weights' hash."""
        suffix = "" if self._form == "float32" else f"-{self._form}"
        revision = self._model.weights.sha256[:12] + suffix
        return Generation(model=self._model.name, revision=revision, dimension=WIDTH)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length row a text, `(len(texts), 384) float32`, in the order given."""
        vectors = np.empty((len(texts), WIDTH), np.float32)
        if not texts:
            return vectors
        encode, run = self._loaded()
        tokens = [encode(storable(text[:MAX_CHARACTERS])) for text in texts]
        size = BATCH_SIZE if self._form == "float32" else 1
        for batch in length_sorted([len(row) for row in tokens], size=size):
            ids, mask = padded([tokens[position] for position in batch], filler=PADDING)
            vectors[batch] = run(ids, mask)
        return vectors

    def _loaded(self) -> tuple[_Encode, _Run]:
        with self._loading:
            if self._engine is None:
                self._engine = (_tokenizer(self._model), _runner(self._model, self._form))
            return self._engine


def _tokenizer(model: ModelFolder) -> _Encode:
    """Text to token ids. One text a call: batches start threads that a later fork would break."""
    from tokenizers import Tokenizer

    tokenizer: Any = Tokenizer.from_str(model.tokenizer)
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()  # the file asks for 128; we pad to the longest of a batch

    def encode(text: str) -> list[int]:
        ids: list[int] = tokenizer.encode(text).ids
        return ids

    return encode


def _runner(model: ModelFolder, form: Form) -> _Run:
    """Token ids and mask to unit vectors.

    Raises `EmbeddingError` when the weights don't fit the graph, or onnxruntime is too old for it.
    """
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as engine

    failures = (engine.Fail, engine.InvalidArgument, engine.InvalidGraph, engine.InvalidProtobuf)
    failures += (engine.NotImplemented, engine.RuntimeException)
    try:
        session, values = _session(onnxruntime, _initializers(model, form), form)
    except failures as error:
        raise EmbeddingError(
            f"onnxruntime {onnxruntime.__version__} can't load {model.weights.path}: {error}",
            hint="Stratal needs onnxruntime 1.20 or later: `pip install -U onnxruntime`.",
        ) from error

    def run(ids: Tokens, mask: Tokens) -> Vectors:
        assert values, "the session points into their memory"
        try:
            found = session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})
        except failures as error:
            raise EmbeddingError(
                f"onnxruntime failed on {ids.shape[0]} texts of {ids.shape[1]} tokens: {error}"
            ) from error
        vectors: Vectors = found[0]
        return vectors

    return run


def _initializers(model: ModelFolder, form: Form) -> Initializers:
    compute = float32_initializers if form == "float32" else int8_initializers
    return compute(model.weights.tensors)


def _session(runtime: Any, weights: Initializers, form: Form) -> tuple[Any, list[Any]]:
    """The session, and the values it points into: they must live as long as it does."""
    options = runtime.SessionOptions()
    options.log_severity_level = _ERRORS_ONLY
    aligned = [np.require(array, requirements=["C", "A"]) for array in weights.values()]
    values = [runtime.OrtValue.ortvalue_from_numpy(array) for array in aligned]
    options.add_external_initializers(list(weights), values)
    graph = files("stratal_memory").joinpath("assets", f"minilm-{form}.onnx").read_bytes()
    session = runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    return session, values
