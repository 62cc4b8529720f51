"""One thing is said once: near copies of a better candidate are left out, with the reason."""

from collections.abc import Iterable, Sequence

from stratal_memory.recall.candidates import Candidate, Verdict
from stratal_memory.records import Form, Memory
from stratal_memory.text import terms

SAME_WORDS = 0.8  # share of distinct terms two texts have in common to count as one


def distinct(ranked: Sequence[Candidate]) -> list[Candidate]:
    """`ranked` in its order, with what repeats a better one marked out."""
    kept: list[Candidate] = []
    result: list[Candidate] = []
    for candidate in ranked:
        better = candidate.verdict is Verdict.IN and _twin(candidate.memory, kept)
        if better:
            result.append(candidate.out(f"says the same as {better}"))
            continue
        if candidate.verdict is Verdict.IN:
            kept.append(candidate)
        result.append(candidate)
    return result


def _twin(memory: Memory, kept: Iterable[Candidate]) -> str:
    """The id of a kept memory that says the same; empty when there is none."""
    words = set(terms(memory.text))
    for other in kept:
        if memory.key == other.memory.key or _learned_from(memory, other.memory):
            return other.memory.id
        theirs = set(terms(other.memory.text))
        together = words | theirs
        if together and len(words & theirs) / len(together) >= SAME_WORDS:
            return other.memory.id
    return ""


def _learned_from(memory: Memory, other: Memory) -> bool:
    """Whether `memory` is the raw message that the fact `other` was learned from."""
    if memory.form is not Form.MESSAGE or other.form is not Form.FACT:
        return False
    heard = {seen.ref for seen in other.evidence}
    return any(seen.ref in heard for seen in memory.evidence)
