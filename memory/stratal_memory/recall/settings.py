"""The numbers of recall: one table, whose defaults are the documents' and whose presets differ."""

from dataclasses import dataclass, field

from stratal_memory.recall.reranker import Reranker
from stratal_memory.records import ScopeKind
from stratal_memory.scopes import SCOPE_PRIORITY


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """How candidates are scored, ordered and capped.

    Weights are Z13's; items and characters of memories Z10 and Z11; knowledge and episodes O19
    (their tokens) and Os1 (their items).
    """

    similarity_weight: float = 0.5
    confidence_weight: float = 0.3
    scope_weight: float = 0.2
    scope_priority: dict[ScopeKind, float] = field(default_factory=lambda: dict(SCOPE_PRIORITY))
    minimum_similarity: float | None = None  # None: the gate is calibrated on the embedder
    plain_cosine: bool = False  # preset zeus: similarity is the bare cosine
    memory_items: int = 5
    memory_characters: int = 2_000
    knowledge_items: int = 5
    knowledge_tokens: int = 3_000
    episode_items: int = 3
    episode_tokens: int = 1_000
    proposals: int = 40  # per arm and tier
    reranker: Reranker | None = None  # reads the best candidates again
