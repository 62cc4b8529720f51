"""An embedder of a few lines for tests: words and letter triples, hashed. It knows no meaning."""

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np

from stratal_memory.embedding.embedder import Generation, Vectors

REVISION = "1"  # raise it when a vector changes
WORD_WEIGHT, TRIPLE_WEIGHT = 1.0, 0.5  # a shared word says more than a shared triple
_WORD = re.compile(r"\w+")


class HashEmbedder:
    """Signed feature hashing: texts that share words are close, all others nearly orthogonal.

    The same vector in every process and on every machine. A text without words is the first axis.
    """

    def __init__(self, dimension: int = 384) -> None:
        """`dimension` is at least 1; from about 64 on, unlike texts are far apart."""
        self.generation = Generation(
            model="hash", revision=REVISION, dimension=dimension, setting=f"hash:{dimension}"
        )

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length row a text, `(len(texts), dimension) float32`, in the order given."""
        vectors = np.zeros((len(texts), self.generation.dimension), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for feature, weight in _features(text):
                position, sign = _hashed(feature, self.generation.dimension)
                row[position] += sign * weight
            norm = float(np.linalg.norm(row))
            if norm > 0:
                row /= norm
            else:
                row[0] = 1
        return vectors


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text.casefold()):
        yield word, WORD_WEIGHT
        edged = f"<{word}>"
        for start in range(len(edged) - 2):
            yield edged[start : start + 3], TRIPLE_WEIGHT


def _hashed(feature: str, dimension: int) -> tuple[int, int]:
    digest = blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(digest, "little")
    return (number >> 1) % dimension, 1 if number & 1 else -1
