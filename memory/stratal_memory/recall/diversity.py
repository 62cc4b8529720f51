"""One thing is said once: near copies of a better candidate are left out, with the reason."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from stratal_memory.recall.candidates import Candidate
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
    kept = _Told()
    result: list[Candidate] = []
    for candidate in ranked:
        if not candidate.is_in:
            result.append(candidate)
            continue
        words = _words(candidate.memory.text)
        one = _Kept(candidate.memory, words)
        better = _twin(one, kept.like(one), words & set(asked))
        if better:
            result.append(candidate.out(f"says the same as {better}"))
        else:
            kept.add(one)
            result.append(candidate)
    return result


def varied(ranked: Sequence[Candidate]) -> list[Candidate]:
    """`ranked` with what is in ordered so that each says something new; the rest stays behind.

    Maximal marginal relevance over the best twelve: the score, less what its words share with
    one already taken. The best one is always first, behind what is pinned.
    """
    pinned = [one for one in ranked if one.is_pinned]
    passed = [one for one in ranked if one.is_in and not one.is_pinned]
    left = [_Scored(one, _words(one.memory.text)) for one in passed[:VARIED]]
    said = [_words(one.memory.text) for one in pinned]
    shared = [max((_alike(one.words, other) for other in said), default=0.0) for one in left]
    taken: list[_Scored] = []
    while left:
        worth = [_marginal(one, most) for one, most in zip(left, shared, strict=True)]
        best = worth.index(max(worth))  # a tie goes to the first
        del shared[best]
        taken.append(left.pop(best))
        shared = [
            max(most, _alike(one.words, taken[-1].words))
            for one, most in zip(left, shared, strict=True)
        ]
    first = [*pinned, *(one.candidate for one in taken), *passed[VARIED:]]
    return first + [one for one in ranked if not one.is_in]


@dataclass(frozen=True, slots=True)
class _Scored:
    candidate: Candidate
    words: frozenset[str]


def _marginal(one: _Scored, shared: float) -> float:
    """What it is worth beside those taken, when it shares at most `shared` with one of them."""
    return RELEVANCE * one.candidate.score - (1 - RELEVANCE) * shared * one.candidate.score


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    both = len(one & other)
    together = len(one) + len(other) - both
    return both / together if together else 0.0


@dataclass(frozen=True, slots=True)
class _Kept:
    memory: Memory
    words: frozenset[str]


@lru_cache(maxsize=4_096)
def _words(text: str) -> frozenset[str]:
    return frozenset(terms(text))


class _Told:
    """What was kept, by the words and the sources a repetition would share with it."""

    def __init__(self) -> None:
        self._kept: list[_Kept] = []
        self._by_word: dict[str, list[int]] = {}
        self._by_source: dict[str, list[int]] = {}

    def add(self, one: _Kept) -> None:
        place = len(self._kept)
        self._kept.append(one)
        for word in one.words:
            self._by_word.setdefault(word, []).append(place)
        for seen in one.memory.evidence:
            self._by_source.setdefault(seen.ref, []).append(place)

    def like(self, one: _Kept) -> list[_Kept]:
        """Those that `one` may repeat, in the order they were kept.

        Of two texts that share `SAME_WORDS` of their words, each misses few of the other's: one
        of any handful that is larger than that is in both.
        """
        some = int((1 - SAME_WORDS) * len(one.words)) + 2  # one more: for rounding
        rarest = sorted((self._by_word.get(word, ()) for word in one.words), key=len)[:some]
        places = {place for held in rarest for place in held}
        for seen in one.memory.evidence:
            places.update(self._by_source.get(seen.ref, ()))
        return [self._kept[place] for place in sorted(places)]


def _twin(one: _Kept, kept: Iterable[_Kept], wanted: Collection[str]) -> str:
    """The id of a kept memory that says the same; empty when there is none."""
    for other in kept:
        if one.memory.key == other.memory.key:
            continue  # another version: alike in words, and the difference is the point
        if _alike(one.words, other.words) >= SAME_WORDS:
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
