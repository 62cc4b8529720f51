"""Who counts tokens for an engine."""

from functools import lru_cache

from stratal_memory.embedding.embedder import CountsTokens
from stratal_memory.embedding.recent import RecentEmbedder


def counter_of(engine: object) -> CountsTokens | None:
    """`engine`, or what stands behind it, where that counts tokens; None where it can't."""
    return _counter_of(engine)


@lru_cache(maxsize=8)  # asking what an object can do costs more than counting
def _counter_of(engine: object) -> CountsTokens | None:
    inner: object = engine.inner if isinstance(engine, RecentEmbedder) else engine
    return inner if isinstance(inner, CountsTokens) else None
