"""all-MiniLM-L6-v2 on onnxruntime: no torch, and no `onnx` package either.

The graph is a weightless skeleton in `assets/`; its weights come from the model's safetensors.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import numpy as np

from stratal_memory.embedding import pins
from stratal_memory.embedding.batches import Tokens, length_sorted, padded
from stratal_memory.embedding.embedder import Generation, Vectors
from stratal_memory.embedding.initializers import (
    WIDTH,
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
SPECIAL_TOKENS = 2  # [CLS] and [SEP] take two of them
PADDING = 0  # the id of [PAD]; masked out, so any id would do
BATCH_SIZE = 16  # measured best: 8 to 32; larger ones fall out of the cache
_ERRORS_ONLY = 3  # onnxruntime's log level; its warnings are about graphics cards


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
        name = pins.MODEL if pinned else str(folder.absolute())
        self._setting = f"onnx:{name}" if form == "float32" else f"onnx:{name}?{form}"
        self._engine: _Engine | None = None
        self._whole: Any = None  # the tokenizer that cuts nothing
        self._loading = threading.Lock()

    @property
    def window(self) -> int:
        """254: what 256 leave beside the tokens of begin and end."""
        return MAX_TOKENS - SPECIAL_TOKENS

    def count(self, text: str) -> int:
        """The WordPiece tokens of the whole `text`; loads the tokenizer alone."""
        with self._loading:
            if self._whole is None:
                self._whole = _tokenizer(self._model.tokenizer, longest=None)
        return len(self._whole.encode(storable(text), add_special_tokens=False))

    @property
    def generation(self) -> Generation:
        """The model's name and the first 12 digits of its weights' hash."""
        suffix = "" if self._form == "float32" else f"-{self._form}"
        revision = self._model.weights.sha256[:12] + suffix
        return Generation(
            model=self._model.name, revision=revision, dimension=WIDTH, setting=self._setting
        )

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length row a text, `(len(texts), 384) float32`, in the order given."""
        vectors = np.empty((len(texts), WIDTH), np.float32)
        if not texts:
            return vectors
        engine = self._loaded()
        tokens = [engine.tokens(storable(text[:MAX_CHARACTERS])) for text in texts]
        size = BATCH_SIZE if self._form == "float32" else 1
        for batch in length_sorted([len(row) for row in tokens], size=size):
            ids, mask = padded([tokens[position] for position in batch], filler=PADDING)
            vectors[batch] = engine.run(ids, mask)
        return vectors

    def _loaded(self) -> "_Engine":
        with self._loading:
            if self._engine is None:
                self._engine = _engine(self._model, self._form)
            return self._engine


@dataclass(frozen=True, slots=True, kw_only=True)
class _Engine:
    """A loaded tokenizer and session. Third-party objects, so `Any`; typed again on the way out."""

    tokenizer: Any
    session: Any
    values: Sequence[Any]  # the session points into their memory: they live as long as it does
    failures: tuple[type[Exception], ...]  # what onnxruntime raises

    def tokens(self, text: str) -> list[int]:
        """At most 256 ids. One text a call: batches start threads, which a later fork breaks."""
        ids: list[int] = self.tokenizer.encode(text).ids
        return ids

    def run(self, ids: Tokens, mask: Tokens) -> Vectors:
        """One unit vector a row."""
        try:
            found = self.session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})
        except self.failures as error:
            raise EmbeddingError(
                f"onnxruntime failed on {ids.shape[0]} texts of {ids.shape[1]} tokens: {error}",
                hint="Most likely memory ran out; free some and try again.",
            ) from error
        vectors: Vectors = found[0]
        return vectors


def _engine(model: ModelFolder, form: Form) -> _Engine:
    """Tokenizer and session of `model`.

    Raises `EmbeddingError` when the weights don't fit the graph, or onnxruntime is too old for it.
    """
    import onnxruntime

    failures = _failures()
    compute = float32_initializers if form == "float32" else int8_initializers
    weights = compute(model.weights.tensors)
    aligned = [np.require(array, requirements=["C", "A"]) for array in weights.values()]
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in aligned]
    try:
        session = _session(onnxruntime, dict(zip(weights, values, strict=True)), form)
    except failures as error:
        raise EmbeddingError(
            f"onnxruntime {onnxruntime.__version__} can't load {model.weights.path}: {error}",
            hint="Stratal needs onnxruntime 1.20 or later: `pip install -U onnxruntime`.",
        ) from error
    tokenizer = _tokenizer(model.tokenizer, longest=MAX_TOKENS)
    return _Engine(tokenizer=tokenizer, session=session, values=values, failures=failures)


def _failures() -> tuple[type[Exception], ...]:
    """What onnxruntime raises; the classes have no common base, and no public name."""
    raised = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    names = ("Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "NotImplemented")
    return tuple(getattr(raised, name) for name in (*names, "RuntimeException"))


def _session(runtime: Any, values: dict[str, Any], form: Form) -> Any:
    options = runtime.SessionOptions()
    options.log_severity_level = _ERRORS_ONLY
    options.add_external_initializers(list(values), list(values.values()))
    graph = files("stratal_memory").joinpath("assets", f"minilm-{form}.onnx").read_bytes()
    return runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _tokenizer(text: str, *, longest: int | None) -> Any:
    from tokenizers import Tokenizer

    tokenizer: Any = Tokenizer.from_str(text)
    tokenizer.no_truncation()
    if longest is not None:
        tokenizer.enable_truncation(longest)
    tokenizer.no_padding()  # the file asks for 128; we pad to the longest of a batch
    return tokenizer
