"""The versions of one fact put in the order of their dates, after a statement or a judgement.

The timeline says what was true when; the rows follow it: intervals are closed and new versions
added, and nothing that was said is lost.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.learning.family import Family, folded, until
from stratal_memory.learning.statement import Action, Resolution, Statement
from stratal_memory.learning.timeline import Span, Standing, spans
from stratal_memory.records import (
    Evidence,
    Form,
    Kind,
    Memory,
    Status,
    Trust,
    lowest_trust,
    new_id,
)
from stratal_memory.truth import memories, vectors
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.vectors import LIVE

OPEN = {
    Standing.SETTLED: Status.ACTIVE,
    Standing.CONTESTED: Status.CONTESTED,
    Standing.HELD: Status.PROVISIONAL,
}
SAME = 1e-9  # confidences nearer than this are one


def settle(
    journal: Journal,
    rows: Sequence[Memory],
    *,
    statement: Statement | None = None,
    vector: Vectors | None = None,
) -> Resolution | None:
    """Bring the versions of one fact in order, with `statement` among them if there is one.

    What became of the statement; None without one.
    """
    family = Family(rows=rows, statement=statement)
    for row in rows:
        family.take_row(row)
    if statement is not None:
        family.take_statement(statement)
    return _Writer(journal, family, statement, vector).write(spans(family.claims))


class _Writer:
    """Makes the rows follow the spans."""

    def __init__(
        self,
        journal: Journal,
        family: Family,
        statement: Statement | None,
        vector: Vectors | None,
    ) -> None:
        self.journal = journal
        self.family = family
        self.statement = statement
        self.vector = vector
        # The statement's own places among what was said: the last ones.
        self.new = {place for place, said in enumerate(family.said) if said.row is None}
        self.closed: list[Memory] = []  # what was current before, and is no more
        self.moved: list[Memory] = []  # what begins earlier, in a version of its own

    def write(self, made: Sequence[Span]) -> Resolution | None:
        """Close and amend, then add in the order of the dates; what became of the statement."""
        by_span = self._rows()
        rows = [by_span.get((span.value, span.trust, span.start)) for span in made]
        kept = {row.id for row in rows if row is not None}
        for one in self.family.rows:
            if one.id not in kept and (one.status in LIVE or one.id in self.family.claiming):
                self._move(one, made)
        follows = [
            self._follow(span, row) if row is not None else None
            for span, row in zip(made, rows, strict=True)
        ]
        written = [one or self._add(span) for span, one in zip(made, follows, strict=True)]
        latest = list(zip(made, rows, written, strict=True))[::-1]
        for span, row, memory in latest:
            if self._speaks(span):
                return self._told(span, memory, known=row is not None, all_=written)
        return None

    def _speaks(self, span: Span) -> bool:
        """Whether the new statement is among what makes a span."""
        return any(claim.origin in self.new for claim in span.claims)

    def _rows(self) -> dict[tuple[str, Trust, datetime], Memory]:
        """The versions that claim something, by what a span is known by; the oldest of equals."""
        return {
            (self.family.values[row.id], row.trust, row.valid_from): row
            for row in reversed(self.family.rows)
            if row.id in self.family.claiming
        }

    def _status(self, span: Span) -> Status:
        if span.end is None:
            return OPEN[span.standing]
        ended = (span.value, span.end) in self.family.ends
        return Status.RETRACTED if ended else Status.SUPERSEDED

    def _move(self, row: Memory, made: Sequence[Span]) -> None:
        begins = min(
            (span.start for span in made if span.value == self.family.values[row.id]), default=None
        )
        changed = replace(
            row,
            status=Status.SUPERSEDED,
            valid_to=row.valid_from,
            retired_at=row.retired_at or self.journal.at,
        )
        since = f"true since {begins:%Y-%m-%d} already" if begins else "no source says it any more"
        self.journal.amend(row, changed, reason=since)
        if row.status in LIVE:
            self.moved.append(row)

    def _follow(self, span: Span, row: Memory) -> Memory:
        """The version of a span, with its end, standing and support as they are now."""
        closed, status = span.end is not None, self._status(span)
        if closed and (row.status, row.valid_to) == (status, span.end) and not self._speaks(span):
            return row
        changed = replace(
            row,
            status=status,
            valid_to=span.end if closed else until(row, self.statement),
            retired_at=(row.retired_at or self.journal.at) if closed else None,
        )
        if not closed:
            changed = replace(changed, support=span.support, confidence=span.confidence)
            if abs(changed.confidence - row.confidence) < SAME:
                changed = replace(changed, confidence=row.confidence)
        seen = [
            self.family.said[claim.origin].evidence
            for claim in span.claims
            if claim.origin in self.new
        ]
        if seen or changed != row:
            self.journal.amend(row, changed, reason=self._why(row, changed, seen), seen=seen)
        if closed and row.status in LIVE:
            self.closed.append(row)
        return replace(changed, evidence=(*row.evidence, *seen))

    def _why(self, row: Memory, changed: Memory, seen: Sequence[Evidence]) -> str:
        new = self.statement
        said = f"“{new.value or new.text}”" if new is not None else "what a person decided"
        if seen:
            return f"stated again, {changed.support} times now"
        if row.status in LIVE and changed.status not in LIVE:
            return f"replaced by {said}"
        if changed.status is Status.CONTESTED or changed.confidence < row.confidence:
            return f"contested by {said}"
        return f"put in the order of dates after {said}"

    def _add(self, span: Span) -> Memory:
        """A new version: the statement's, or one that an older version is divided into."""
        first = self.family.said[span.claims[0].origin].row
        made = self._version(span, first or self._stated())
        vector = self.vector if first is None else self._vector_of(first)
        self.journal.add(made, reason=self._new(span), vector=vector)
        return made

    def _stated(self) -> Statement:
        assert self.statement is not None
        return self.statement

    def _vector_of(self, row: Memory) -> Vectors | None:
        connection, generation = self.journal.connection, self.journal.generation
        found = vectors.of_seqs(
            connection, [memories.seq_of(connection, row.id)], generation=generation
        )
        return found.vectors[0] if found.seqs else None

    def _version(self, span: Span, like: Memory | Statement) -> Memory:
        before = [*self.moved, *self.closed]
        replaced = before[-1] if before else None
        akin = replaced or (self.family.rows[-1] if self.family.rows else None)
        open_ = span.end is None
        return Memory(
            id=new_id("mem"),
            key=akin.key if akin else new_id("key"),
            version=memories.next_version(self.journal.connection, akin.key) if akin else 1,
            text=like.text,
            kind=Kind.SEMANTIC,
            form=Form.FACT,
            scope=like.scope,
            session=like.session,
            trust=span.trust,
            status=self._status(span),
            confidence=span.confidence,
            support=span.support,
            source=like.source,
            facet=like.facet or (akin.facet if akin else ""),
            value=like.value,
            supersedes=replaced.id if replaced and open_ else "",
            recorded_at=self.journal.at,
            retired_at=None if open_ else self.journal.at,
            valid_from=span.start,
            valid_to=until(like) if open_ else span.end,
            pinned=open_ and any(one.pinned for one in before),
            evidence=tuple(self.family.said[claim.origin].evidence for claim in span.claims),
        )

    def _new(self, span: Span) -> str:
        if span.end is not None:
            return f"was true until {span.end:%Y-%m-%d}"
        if span.standing is Standing.CONTESTED:
            return "disagrees with what is known, and is not both as recent and as trusted"
        if span.standing is Standing.HELD:
            return "held until somebody else says it, or says it again"
        if self.closed:
            return f"replaces “{self.closed[-1].value or self.closed[-1].text}”"
        return "first time stated" if not self.moved else "stated again, for an earlier time"

    def _told(
        self, span: Span, memory: Memory, *, known: bool, all_: Sequence[Memory]
    ) -> Resolution:
        """What became of the statement, which is among the claims of `span`."""
        if known:
            reason = f"stated again, {memory.support} times now"
            return Resolution(Action.REINFORCED, memory, reason)
        if span.end is not None:
            after = [one for one in all_ if one.valid_from == span.end]
            reason = f"was true before {after[0].id}" if after else self._new(span)
            return Resolution(Action.LATE, memory, reason)
        if span.standing is Standing.CONTESTED:
            return Resolution(Action.CONTESTED, memory, self._against(memory, all_))
        if span.standing is Standing.SETTLED and self.closed:
            return Resolution(Action.SUPERSEDED, memory, self._new(span))
        action = Action.REINFORCED if self.moved else Action.ADDED
        return Resolution(action, memory, self._new(span))

    def _against(self, memory: Memory, all_: Sequence[Memory]) -> str:
        others = [one for one in all_ if one.status in LIVE and folded(one) != folded(memory)]
        trusted = [one for one in others if lowest_trust(one.trust, memory.trust) is not one.trust]
        if trusted:
            return f"disagrees with {trusted[0].id}, whose source is trusted more"
        return f"disagrees with {others[0].id}, which is as recent and as trusted"
