"""Where an attribute of the user is asked for: what tells of it, and little beside it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from stratal_memory.attributes.catalogue import Attribute
from stratal_memory.facets import akin
from stratal_memory.learning.dates import resolve
from stratal_memory.recall.candidates import Candidate
from stratal_memory.recall.wanted import TELLS, Wanted
from stratal_memory.records import Form, Memory
from stratal_memory.text import terms
from stratal_memory.truth.moments import GRACE

PLANS = ("trip", "appointment", "event", "exam", "moving")  # attributes whose time passes
BESIDE = 0.5  # the similarity of something else, from which it may stand beside what tells of it


def answered(
    asked: Wanted | None,
    considered: Mapping[str, Sequence[Candidate]],
    *,
    words: Collection[str],
    now: datetime,
) -> dict[str, list[Candidate]]:
    """`considered` where an attribute is asked for: what tells of it, and what is close beside it.

    Of an attribute with one value at a time the latest counts: of facts the latest one, of lines
    those said after it. What holds one of the question's own rare `words` stays whatever it tells.
    """
    there = [one for some in considered.values() for one in some if one.is_in]
    if asked is None or not asked.surely:
        return {name: list(some) for name, some in considered.items()}
    facts = [one.memory for one in there if asked.told_by(one.memory)]
    own = [one.valid_from for one in facts if asked.attributes[0].covers(one.facet)]
    lines = [one.memory.valid_from for one in there if _line(one) and one.tells >= TELLS]
    telling = _Telling(
        asked=asked,
        now=now,
        facts=facts,
        last=max((*own, *lines), default=None),
        words=frozenset(words) - asked.own_words,
    )
    return {name: [telling.fit(one) for one in some] for name, some in considered.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Telling:
    """When what tells of the attribute was last said, as a fact and as a line."""

    asked: Wanted
    now: datetime
    facts: Sequence[Memory]  # those that tell it
    last: datetime | None  # when it was surely told last
    words: frozenset[str]  # of the question, beside those that the attribute is told with

    def fit(self, one: Candidate) -> Candidate:
        """The candidate, out where it is not the one that tells."""
        attribute = self.asked.attributes[0]
        if not one.is_in or one.is_pinned or self.last is None:
            return one
        if self.asked.told_by(one.memory):
            same = akin(one.memory.facet)  # where one grew up is not replaced by where one was born
            told = [fact.valid_from for fact in self.facts if fact.facet in same]
            return self._latest(one, max(told, default=None), of=self._of(one.memory))
        if _line(one) and one.tells:
            if attribute.name in PLANS and _is_over(one.memory, self.now):
                return one.out("its time is over")
            return self._latest(one, self.last, of=attribute)
        if self.words.intersection(terms(one.memory.text)):
            return one
        close = one.parts.similarity >= BESIDE and one.memory.form is not Form.EPISODE
        return one if close else one.out(f"not about their {attribute.label}")

    def _of(self, fact: Memory) -> Attribute:
        """The attribute that a fact is kept under."""
        return next(one for one in self.asked.attributes if one.covers(fact.facet))

    def _latest(self, one: Candidate, last: datetime | None, *, of: Attribute) -> Candidate:
        if of.one and last is not None and one.memory.valid_from < last:
            return one.out(f"their {of.label} was told later")
        return one


def _line(one: Candidate) -> bool:
    return one.memory.form is Form.MESSAGE


def _is_over(memory: Memory, now: datetime) -> bool:
    """Whether every time that a line names has passed."""
    named = resolve(memory.text, memory.valid_from)
    return bool(named) and all(one.end + GRACE < now for one in named)
