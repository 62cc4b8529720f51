"""The versions of one fact, and what their evidence claims: what the timeline is made of."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from stratal_memory.learning.contrasts import apart
from stratal_memory.learning.statement import Statement
from stratal_memory.learning.timeline import Claim, Says
from stratal_memory.learning.trust import Voice, who_says
from stratal_memory.records import Evidence, Memory, Status, Trust
from stratal_memory.text import text_hash
from stratal_memory.truth.vectors import LIVE


def folded(one: Memory | Statement) -> str:
    """What two statements about one thing are compared by."""
    return text_hash(one.value or one.text)


def says_same(memory: Memory, statement: Statement) -> bool:
    """Whether a version says what the statement says: by value, or word for word.

    Where several values hold together, the words around an equal one must not tell them apart.
    """
    if text_hash(memory.text) == text_hash(statement.text):
        return True
    if folded(memory) != folded(statement):
        return False
    alone = statement.single_valued or not statement.facet
    return alone or not apart(memory.text, statement.text, value=statement.value)


def until(like: Memory | Statement, new: Statement | None = None) -> datetime | None:
    """When what is not over yet will be, as it was said last; None where nobody knows."""
    if new is not None and new.valid_to is not None and folded(new) == folded(like):
        return new.valid_to
    return like.valid_to if isinstance(like, Statement) or like.status in LIVE else None


def evidence_of(statement: Statement, *, at: datetime | None = None) -> Evidence:
    """A statement's evidence with its date (its start, or `at`), trust and source."""
    return replace(
        statement.evidence,
        at=at or statement.valid_from,
        trust=statement.trust,
        source=statement.source,
    )


def claimed_at(statement: Statement) -> tuple[datetime, ...]:
    """The moments a statement speaks of, in order: from when on, and when it was said to be so."""
    now = statement.holds_at
    if now is None or not statement.single_valued or now <= statement.valid_from:
        return (statement.valid_from,)
    return (statement.valid_from, now)


def told(memory: Memory) -> list[Evidence]:
    """The evidence of a memory with dates, trust and sources filled in; never none."""
    return [
        replace(
            seen,
            at=seen.at or memory.valid_from,
            trust=seen.trust or memory.trust,
            source=seen.source or memory.source,
        )
        for seen in memory.evidence or (Evidence(ref=memory.id),)
    ]


def voices_of(memory: Memory) -> list[Voice]:
    """Who says it, in the order they said it; one who counts once may be there often."""
    return [
        (who_says(trust, source=seen.source, ref=seen.ref), trust)
        for seen in told(memory)
        for trust in (seen.trust or memory.trust,)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """One piece of evidence and the row it stands in; no row: it is new."""

    row: Memory | None
    evidence: Evidence


@dataclass(slots=True, kw_only=True)
class Family:
    """The versions of one fact and what is claimed by them."""

    rows: Sequence[Memory]
    statement: Statement | None
    said: list[_Said] = field(default_factory=list[_Said])
    claims: list[Claim] = field(default_factory=list[Claim])
    values: dict[str, str] = field(default_factory=dict[str, str])  # by version, folded
    claiming: set[str] = field(default_factory=set[str])  # versions whose evidence counts
    ends: set[tuple[str, datetime]] = field(default_factory=set[tuple[str, datetime]])
    known: set[tuple[str, datetime, str]] = field(default_factory=set[tuple[str, datetime, str]])

    def take_row(self, row: Memory) -> None:
        """What a version claims; one that never was true claims nothing."""
        closed = row.valid_to if row.status not in LIVE else None  # a plan knows its end before
        new = self.statement
        same = new is not None and says_same(row, new)
        self.values[row.id] = folded(new) if new is not None and same else folded(row)
        if row.status not in LIVE and closed is None:
            return
        if row.status not in LIVE and closed is not None and closed <= row.valid_from:
            if row.status is Status.RETRACTED and row.supersedes:
                self._claim(row, row.valid_from, Says.VOID)
            return
        for seen in told(row):
            at = seen.at or row.valid_from
            if closed is None or at < closed:
                self._say(row, seen, at)
        if row.status is Status.RETRACTED and closed is not None:
            self._claim(row, closed, Says.ENDED)
            self.ends.add((self.values[row.id], closed))  # what was said to be over, and when

    def _claim(self, row: Memory, at: datetime, says: Says) -> None:
        claim = Claim(value=self.values[row.id], at=at, trust=row.trust, source=row.id, says=says)
        self.claims.append(claim)

    def _say(self, row: Memory, seen: Evidence, at: datetime) -> None:
        trust = seen.trust or row.trust
        source = who_says(trust, source=seen.source or row.source, ref=seen.ref)
        known = (self.values[row.id], at, source)
        if known in self.known:
            return
        self.known.add(known)
        self.claiming.add(row.id)
        held = row.status is Status.PROVISIONAL
        self._add(_Said(row=row, evidence=seen), known[0], at, trust, source=source, held=held)

    def take_statement(self, statement: Statement) -> None:
        """What is new: that it is true from its start, and at the time it was said.

        An undated statement says only the second, so one with an earlier start that is said
        later has the last word, while what was so in between stays in its place.
        """
        source = who_says(statement.trust, source=statement.source, ref=statement.evidence.ref)
        held = statement.status is Status.PROVISIONAL
        for at in claimed_at(statement):
            said = _Said(row=None, evidence=evidence_of(statement, at=at))
            self._add(said, folded(statement), at, statement.trust, source=source, held=held)

    def _add(
        self, said: _Said, value: str, at: datetime, trust: Trust, *, source: str, held: bool
    ) -> None:
        origin = len(self.said)
        self.said.append(said)
        self.claims.append(
            Claim(value=value, at=at, trust=trust, source=source, held=held, origin=origin)
        )
