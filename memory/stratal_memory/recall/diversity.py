"""One thing is said once: near copies of a better candidate are left out, with the reason."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple

from stratal_memory.recall.candidates import Candidate
from stratal_memory.records import Form, Memory
from stratal_memory.text import terms
from stratal_memory.truth.derived import is_derived

RELEVANCE = 0.7  # weight of the score beside what is new (MMR)
VARIED = 12  # candidates of a block that are put in order
SAME_WORDS = 0.8  # share of distinct terms two texts have in common to count as one
COMMON = 3  # candidates that hold a word from which it is a poor way to find a repetition


def distinct(
    ranked: Sequence[Candidate], *, asked: Collection[str] = frozenset()
) -> list[Candidate]:
    """`ranked` in its order, with what repeats a better one marked out.

    `asked` are the question's terms: a message that holds more of them than the fact learned from
    it says more, and stays.
    """
    asked = frozenset(asked)
    kept = _Told([_said(one.memory.text).words for one in ranked if one.is_in])
    result: list[Candidate] = []
    for candidate in ranked:
        if not candidate.is_in:
            result.append(candidate)
            continue
        one = kept.looked_for(candidate.memory)
        better = _twin(one, kept.like(one), asked)
        if better:
            result.append(candidate.out(f"says the same as {better}"))
        else:
            kept.add(one)
            result.append(candidate)
    return result


def told_once(ranked: Sequence[Candidate]) -> list[Candidate]:
    """`ranked`, where a memory made of others stands beside them: one way of telling is marked out.

    Where two or more of what an observation or a rolled-up episode cites are in, it tells them in
    one line; where one alone is in, that one says it more closely. So does a fact or a message of a
    conversation beside the episode of it.
    """
    inside = {one.memory.id for one in ranked if one.is_in}
    said = _said_in(ranked)
    told_by: dict[str, str] = {}
    needless: dict[str, str] = {}
    for one in ranked:
        if not one.is_in:
            continue
        if one.memory.form is Form.EPISODE and not one.memory.facet:
            heard = [said[seen.ref] for seen in one.memory.evidence if seen.ref in said]
            if heard:
                needless[one.memory.id] = heard[0]
        if not is_derived(one.memory):
            continue
        parts = [seen.ref for seen in one.memory.evidence if seen.ref in inside]
        if len(parts) == 1:
            needless[one.memory.id] = parts[0]
        elif parts:
            told_by |= dict.fromkeys(parts, one.memory.id)
    return [_once(one, told_by, needless) for one in ranked]


def _said_in(ranked: Sequence[Candidate]) -> dict[str, str]:
    """The messages that facts and raw messages among `ranked` tell of, and by which memory."""
    return {
        seen.ref: one.memory.id
        for one in reversed(ranked)
        if one.is_in and one.memory.form in (Form.FACT, Form.MESSAGE)
        for seen in one.memory.evidence
    }


def _once(one: Candidate, told_by: Mapping[str, str], needless: Mapping[str, str]) -> Candidate:
    if not one.is_in or one.is_pinned:
        return one
    if one.memory.id in needless:
        return one.out(f"{needless[one.memory.id]} alone says it")
    if one.memory.id in told_by:
        return one.out(f"told by {told_by[one.memory.id]}")
    return one


def varied(ranked: Sequence[Candidate]) -> list[Candidate]:
    """`ranked` with what is in ordered so that each says something new; the rest stays behind.

    Maximal marginal relevance over the best twelve: the score, less what its words share with
    one already taken. The best one is always first, behind what is pinned.
    """
    pinned = [one for one in ranked if one.is_pinned]
    passed = [one for one in ranked if one.is_in and not one.is_pinned]
    left = [_Scored(one, _said(one.memory.text).words) for one in passed[:VARIED]]
    said = [_said(one.memory.text).words for one in pinned]
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


class _Said(NamedTuple):
    words: frozenset[str]  # the distinct words of a text
    ordered: tuple[str, ...]  # in the same order everywhere


class _Kept(NamedTuple):
    memory: Memory
    words: frozenset[str]
    first: Sequence[str]  # those of them by which a repetition is looked for


@lru_cache(maxsize=8_192)  # the same texts are looked at for every question
def _said(text: str) -> _Said:
    words = frozenset(terms(text))
    return _Said(words, tuple(sorted(words)))


class _Told:
    """What was kept, by the words and the sources a repetition would share with it.

    Two texts that share `SAME_WORDS` of their words each miss few of the other's: when the words
    of both stand in one order, one of the first few is in both. Words that many of `texts` hold
    come last in it.
    """

    def __init__(self, texts: Iterable[frozenset[str]]) -> None:
        self._kept: list[_Kept] = []
        self._by_word: dict[str, list[int]] = {}
        self._by_source: dict[str, list[int]] = {}
        held = Counter(chain.from_iterable(texts))
        self._common = {word for word, count in held.items() if count > COMMON}

    def looked_for(self, memory: Memory) -> _Kept:
        """`memory`, ready to be compared with those that were kept."""
        words, ordered = _said(memory.text)
        some = int((1 - SAME_WORDS) * len(words)) + 2  # one more: for rounding
        first = list(islice((word for word in ordered if word not in self._common), some))
        if len(first) < some:
            first += [word for word in ordered if word in self._common][: some - len(first)]
        return _Kept(memory, words, first)

    def add(self, one: _Kept) -> None:
        place = len(self._kept)
        self._kept.append(one)
        for word in one.first:
            self._by_word.setdefault(word, []).append(place)
        for seen in one.memory.evidence:
            self._by_source.setdefault(seen.ref, []).append(place)

    def like(self, one: _Kept) -> list[_Kept]:
        """Those that `one` may repeat, in the order they were kept."""
        places: list[int] = []
        for word in one.first:
            places += self._by_word.get(word, ())
        for seen in one.memory.evidence:
            places += self._by_source.get(seen.ref, ())
        return [self._kept[place] for place in sorted(set(places))]


def _twin(one: _Kept, kept: Iterable[_Kept], asked: frozenset[str]) -> str:
    """The id of a kept memory that says the same; empty when there is none."""
    for other in kept:
        if one.memory.key == other.memory.key:
            continue  # another version: alike in words, and the difference is the point
        if _alike(one.words, other.words) >= SAME_WORDS:
            return other.memory.id
        if not _learned_from(one.memory, other.memory):
            continue
        if other.words.issuperset(one.words & asked):
            return other.memory.id
    return ""


def _learned_from(memory: Memory, other: Memory) -> bool:
    """Whether `memory` is the raw message that the fact `other` was learned from."""
    if memory.form is not Form.MESSAGE or other.form is not Form.FACT:
        return False
    heard = {seen.ref for seen in other.evidence}
    return any(seen.ref in heard for seen in memory.evidence)
