"""What was measured; the first six fields of retrieval are those of the reference evaluator."""

from stratal.cli.shapes.base import Shape


class RetrievalScores(Shape):
    """How well memory found the evidence of questions, by the measures of RETRIEVAL."""

    n: int
    overall: dict[str, float]
    index_s: float
    ms_per_query: float
    per_category: dict[str, dict[str, float]]
    ci95: dict[str, tuple[float, float]]
    per_question: tuple[dict[str, str | bool | float], ...]
    auroc: float | None
    unanswerable_injecting_nothing: float | None
    knowledge_update: float | None
    knowledge_updates: int
