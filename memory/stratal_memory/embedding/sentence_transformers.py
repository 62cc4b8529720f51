"""Any sentence-transformers model behind the same Protocol; an extra, because it brings torch."""

import hashlib
import threading
from collections.abc import Sequence
from importlib import import_module
from pathlib import PurePath
from typing import Any

import numpy as np

from stratal_memory.embedding.embedder import Generation, Vectors
from stratal_memory.embedding.extra import INSTALL
from stratal_memory.errors import EmbeddingError
from stratal_memory.text import storable

BATCH_SIZE = 32  # the library sorts by length itself
MAX_TOKENS = 512  # where a model names no limit: that of BERT, which most were made from
SPECIAL_TOKENS = 2


class SentenceTransformerEmbedder:
    """A model of the library, by folder or by name on the model hub.

    No code from a model is run, and nothing is downloaded unless `download` says so. Its generation
    is never that of the onnx engine, even for the same weights: they agree to 1e-6, not to the bit.
    Constructing it loads the model (seconds). Any number of threads may call it, one at a time.
    """

    def __init__(self, model: str, *, download: bool = False) -> None:
        """Raises `EmbeddingError` when the library or the model is missing, or can't be loaded."""
        self._model = _loaded(model, download=download)
        self._running = threading.Lock()  # its tokenizer refuses a second thread
        self.generation = Generation(
            model=PurePath(model).name,
            revision=f"st-{_fingerprint(self._model)}",
            dimension=int(self._model.encode([""], show_progress_bar=False).shape[1]),
            setting=f"st:{model}",
        )

    @property
    def window(self) -> int:
        """What the model takes, less the tokens of begin and end."""
        return int(self._model.max_seq_length or MAX_TOKENS) - SPECIAL_TOKENS

    def count(self, text: str) -> int:
        """The tokens of the whole `text` in the model's own vocabulary."""
        with self._running:
            found = self._model.tokenizer(
                storable(text), add_special_tokens=False, truncation=False, verbose=False
            )
        return len(found["input_ids"])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length row a text, `(len(texts), dimension) float32`, in the order given."""
        if not texts:
            return np.empty((0, self.generation.dimension), np.float32)
        clean = [storable(text) for text in texts]
        with self._running:
            found = self._model.encode(
                clean, batch_size=BATCH_SIZE, show_progress_bar=False, normalize_embeddings=True
            )
        vectors: Vectors = np.asarray(found, dtype=np.float32)
        return vectors


def _loaded(model: str, *, download: bool) -> Any:
    try:
        library: Any = import_module("sentence_transformers")
    except ImportError as error:
        raise EmbeddingError(
            f"the embedding model st:{model} needs sentence-transformers and torch: {error}",
            hint=INSTALL,
        ) from error
    try:
        return library.SentenceTransformer(
            model, trust_remote_code=False, local_files_only=not download
        )
    except (OSError, ValueError) as error:
        raise EmbeddingError(
            f"sentence-transformers can't load {model!r}: {error}",
            hint="Check the name or the path."
            if download
            else f"Nothing is downloaded unless you say so: `st:{model}?download`.",
        ) from error


def _fingerprint(model: Any) -> str:
    """12 hex digits of all that decides a vector: the parameters and where texts are cut."""
    torch: Any = import_module("torch")
    digest = hashlib.sha256(repr(model.max_seq_length).encode())
    for name, tensor in sorted(model.state_dict().items()):
        content = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
        digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
        digest.update(content.numpy())
    return digest.hexdigest()[:12]
