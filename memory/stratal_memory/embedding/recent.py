"""An embedder that remembers its last vectors: one message is embedded for several purposes."""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from stratal_memory.embedding.embedder import Embedder, Generation, Vectors

KEPT = 64  # short texts
LONGEST = 4_000  # characters; longer texts are embedded once anyway


class RecentEmbedder:
    """`inner`, asked only for what is not among its latest answers."""

    def __init__(self, inner: Embedder) -> None:
        self.inner = inner
        self._recent: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def generation(self) -> Generation:
        """That of `inner`."""
        return self.inner.generation

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As `inner` would: the vector of a text does not depend on when it is asked for."""
        new = [text for text in dict.fromkeys(texts) if text not in self._recent]
        fresh = dict(zip(new, self.inner.embed(new), strict=True)) if new else {}
        rows = [fresh[text] if text in fresh else self._recent[text] for text in texts]
        self._keep(fresh)
        if not rows:
            return np.empty((0, self.generation.dimension), dtype=np.float32)
        return np.stack(rows)

    def _keep(self, fresh: dict[str, Vectors]) -> None:
        for text in list(fresh)[-KEPT:]:
            if len(text) <= LONGEST:
                self._recent[text] = fresh[text].copy()  # a view would keep the whole batch
        while len(self._recent) > KEPT:
            self._recent.popitem(last=False)
