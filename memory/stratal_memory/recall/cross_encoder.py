"""A cross-encoder of sentence-transformers as the reranker; an extra, because it brings torch."""

import threading
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

from stratal_memory.embedding.extra import INSTALL
from stratal_memory.errors import ConfigError, EmbeddingError
from stratal_memory.text import storable

PREFIX = "st:"
BATCH_SIZE = 32


@cache
def reranker_of(setting: str) -> "CrossEncoderReranker | None":
    """The reranker `st:MODEL` names; None for an empty setting. One setting, one model in memory.

    Raises `ConfigError` for a setting of another shape. The model is loaded when it first reads.
    """
    if not setting:
        return None
    name = setting.removeprefix(PREFIX)
    if not setting.startswith(PREFIX) or not name:
        raise ConfigError(
            f"{setting!r} is no reranker",
            hint="Write st:MODEL, as st:cross-encoder/ms-marco-MiniLM-L6-v2, or nothing.",
        )
    return CrossEncoderReranker(name)


class CrossEncoderReranker:
    """A model by folder or by name; nothing is downloaded, and no code from it is run.

    Any number of threads may call it, one at a time.
    """

    def __init__(self, model: str) -> None:
        self._name = model
        self._model: Any = None
        self._running = threading.Lock()

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """One number a text, 0..1. Raises `EmbeddingError` when there is no such model here."""
        pairs = [(storable(question), storable(text)) for text in texts]
        with self._running:
            if self._model is None:
                self._model = _loaded(self._name)
            torch: Any = import_module("torch")
            found = self._model.predict(
                pairs,
                batch_size=BATCH_SIZE,
                show_progress_bar=False,
                activation_fn=torch.nn.Sigmoid(),
            )
        return [float(one) for one in found]


def _loaded(model: str) -> Any:
    try:
        library: Any = import_module("sentence_transformers")
    except ImportError as error:
        raise EmbeddingError(
            f"the reranker st:{model} needs sentence-transformers and torch: {error}",
            hint=INSTALL,
        ) from error
    try:
        return library.CrossEncoder(model, trust_remote_code=False, local_files_only=True)
    except (OSError, ValueError) as error:
        raise EmbeddingError(
            f"the reranker {model!r} can't be loaded from this machine: {error}",
            hint="Nothing is downloaded: put the model's folder here and give its path, or leave "
            "recall.reranker empty.",
        ) from error
