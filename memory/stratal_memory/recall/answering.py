"""Where an attribute of the user is asked for: what tells of it, and little beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from stratal_memory.learning.dates import resolve
from stratal_memory.recall.candidates import Candidate
from stratal_memory.recall.wanted import TELLS, Wanted
from stratal_memory.records import Form, Memory

PLANS = ("trip", "appointment", "event", "exam", "moving")  # attributes whose time passes
GRACE = timedelta(days=1)  # a day that has passed has passed everywhere on earth
BESIDE = 0.5  # the similarity of something else, from which it may stand beside what tells of it


def answered(
    asked: Wanted | None, considered: Mapping[str, Sequence[Candidate]], *, now: datetime
) -> dict[str, list[Candidate]]:
    """`considered` where an attribute is asked for: what tells of it, and what is close beside it.

    Of an attribute with one value at a time the latest counts: of facts the latest one, of lines
    those said after it.
    """
    there = [one for some in considered.values() for one in some if one.is_in]
    if asked is None or not asked.surely:
        return {name: list(some) for name, some in considered.items()}
    facts = [one.memory.valid_from for one in there if asked.told_by(one.memory)]
    lines = [one.memory.valid_from for one in there if _line(one) and one.tells >= TELLS]
    telling = _Telling(
        asked=asked,
        now=now,
        fact=max(facts, default=None),
        last=max((*facts, *lines), default=None),
    )
    return {name: [telling.fit(one) for one in some] for name, some in considered.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Telling:
    """When what tells of the attribute was last said, as a fact and as a line."""

    asked: Wanted
    now: datetime
    fact: datetime | None  # when a fact told it last
    last: datetime | None  # when it was surely told last

    def fit(self, one: Candidate) -> Candidate:
        """The candidate, out where it is not the one that tells."""
        attribute = self.asked.attributes[0]
        if not one.is_in or one.is_pinned or self.last is None:
            return one
        if self.asked.told_by(one.memory):
            return self._latest(one, self.fact)
        if _line(one) and one.tells:
            if attribute.name in PLANS and _is_over(one.memory, self.now):
                return one.out("its time is over")
            return self._latest(one, self.last)
        close = one.parts.similarity >= BESIDE and one.memory.form is not Form.EPISODE
        return one if close else one.out(f"not about their {attribute.label}")

    def _latest(self, one: Candidate, last: datetime | None) -> Candidate:
        attribute = self.asked.attributes[0]
        if attribute.one and last is not None and one.memory.valid_from < last:
            return one.out(f"their {attribute.label} was told later")
        return one


def _line(one: Candidate) -> bool:
    return one.memory.form is Form.MESSAGE


def _is_over(memory: Memory, now: datetime) -> bool:
    """Whether every time that a line names has passed."""
    named = resolve(memory.text, memory.valid_from)
    return bool(named) and all(one.end + GRACE < now for one in named)
