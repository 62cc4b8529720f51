"""One thing is said once: near copies of a better candidate are left out, with the reason."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from stratal_memory.recall.candidates import Candidate, Verdict
from stratal_memory.records import Form, Memory
from stratal_memory.text import terms

RELEVANCE = 0.7  # weight of the score beside what is new (MMR)
VARIED = 12  # candidates of a block that are put in order
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


def varied(ranked: Sequence[Candidate]) -> list[Candidate]:
    """`ranked` with what is in ordered so that each says something new; the rest stays behind.

    Maximal marginal relevance over the best twelve: the score, less what its words share with
    one already taken. The best one is always first.
    """
    passed = [one for one in ranked if _is_in(one)]
    left = [_Scored(one, frozenset(terms(one.memory.text))) for one in passed[:VARIED]]
    taken: list[_Scored] = []
    while left:
        worth = [_marginal(one, taken) for one in left]
        taken.append(left.pop(worth.index(max(worth))))  # a tie goes to the first
    first = [one.candidate for one in taken] + passed[VARIED:]
    return first + [one for one in ranked if not _is_in(one)]


@dataclass(frozen=True, slots=True)
class _Scored:
    candidate: Candidate
    words: frozenset[str]


def _is_in(candidate: Candidate) -> bool:
    return candidate.verdict is Verdict.IN


def _marginal(one: _Scored, taken: Sequence[_Scored]) -> float:
    shared = max((_alike(one.words, other.words) for other in taken), default=0.0)
    return RELEVANCE * one.candidate.score - (1 - RELEVANCE) * shared * one.candidate.score


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    together = len(one | other)
    return len(one & other) / together if together else 0.0


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
