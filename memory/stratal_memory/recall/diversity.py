"""One thing is said once: near copies of a better candidate are left out, with the reason."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from stratal_memory.recall.candidates import Candidate, Verdict
from stratal_memory.records import Form, Memory
from stratal_memory.text import terms

SAME_WORDS = 0.8  # share of distinct terms two texts have in common to count as one


def distinct(
    ranked: Sequence[Candidate], *, asked: Collection[str] = frozenset()
) -> list[Candidate]:
    """`ranked` in its order, with what repeats a better one marked out.

    `asked` are the question's terms: a message that holds more of them than the fact learned from
    it says more, and stays.
    """
    kept: list[_Kept] = []
    result: list[Candidate] = []
    for candidate in ranked:
        if candidate.verdict is Verdict.OUT:
            result.append(candidate)
            continue
        words = frozenset(terms(candidate.memory.text))
        better = _twin(_Kept(candidate.memory, words), kept, words & set(asked))
        if better:
            result.append(candidate.out(f"says the same as {better}"))
        else:
            kept.append(_Kept(candidate.memory, words))
            result.append(candidate)
    return result


@dataclass(frozen=True, slots=True)
class _Kept:
    memory: Memory
    words: frozenset[str]


def _twin(one: _Kept, kept: Iterable[_Kept], wanted: Collection[str]) -> str:
    """The id of a kept memory that says the same; empty when there is none."""
    for other in kept:
        together = len(one.words | other.words)
        if together and len(one.words & other.words) / together >= SAME_WORDS:
            return other.memory.id
        if _learned_from(one.memory, other.memory) and other.words.issuperset(wanted):
            return other.memory.id
    return ""


def _learned_from(memory: Memory, other: Memory) -> bool:
    """Whether `memory` is the raw message that the fact `other` was learned from."""
    if memory.form is not Form.MESSAGE or other.form is not Form.FACT:
        return False
    heard = {seen.ref for seen in other.evidence}
    return any(seen.ref in heard for seen in memory.evidence)
