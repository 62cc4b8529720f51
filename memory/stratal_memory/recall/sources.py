"""Where the arms look: in the scopes kept in memory, or in the truth when they are too large."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from sqlalchemy import ColumnElement, Connection, select

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.index.sight import Sight, View
from stratal_memory.recall.lines import Lines, around, read
from stratal_memory.recall.question import Question
from stratal_memory.records import Form, Memory, Trust
from stratal_memory.store import Store
from stratal_memory.truth import memories, sqlite
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.sqlite import Prepared


class Source(Protocol):
    """What a question may see of memory: nothing outside one WHERE clause."""

    @property
    def where(self) -> ColumnElement[bool]:
        """That clause."""
        ...

    def of(self, forms: Sequence[Form]) -> "Source":
        """The part of it that has one of `forms`."""
        ...

    def is_empty(self) -> bool:
        """Whether there is surely nothing to see."""
        ...

    def nearest(self, *, limit: int) -> list[int]:
        """The row numbers nearest in meaning, nearest first; none without a vector."""
        ...

    def worded(self, *, limit: int) -> list[int]:
        """The row numbers that share the rarest words, best first; some may be out of sight."""
        ...

    def timed(self, *, limit: int) -> list[int]:
        """What was said in the first time the question names, newest first."""
        ...

    def about(self, *, limit: int) -> list[int]:
        """What may tell of the attribute asked for: facts by their facet, lines by nearness."""
        ...

    def own(self, seqs: Sequence[int]) -> dict[int, bool]:
        """Those of `seqs` that may be seen, and whether each is a line of the user's own."""
        ...

    def lines(self, seqs: Sequence[int]) -> Lines:
        """Those of `seqs` that may be seen, and the lines around those of a conversation."""
        ...

    def memories(self, seqs: Sequence[int]) -> dict[int, Memory]:
        """Those of `seqs` that may be seen, as the truth has them, by row number, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Seen:
    """The scopes kept in memory; what is found there is read back from the truth."""

    connection: Connection
    asked: Question
    sight: Sight
    readable: ColumnElement[bool]  # whatever the form
    confirming: Prepared  # asks the truth for the same
    view: View
    forms: tuple[Form, ...] = tuple(Form)

    @property
    def where(self) -> ColumnElement[bool]:
        """As `Source` says."""
        return self.readable & table.c.form.in_(self.forms)

    def of(self, forms: Sequence[Form]) -> "Seen":
        """As `Source` says."""
        return replace(self, view=self.sight.of_forms(self.view, forms), forms=tuple(forms))

    def is_empty(self) -> bool:
        """As `Source` says."""
        return not self.view.allowed.any()

    def nearest(self, *, limit: int) -> list[int]:
        """As `Source` says."""
        if self.asked.vector is None:
            return []
        return self.sight.nearest(self.asked.vector, self.view, limit=limit)

    def worded(self, *, limit: int) -> list[int]:
        """As `Source` says."""
        return self.sight.lexical(self.asked.terms, limit=limit)

    def timed(self, *, limit: int) -> list[int]:
        """As `Source` says."""
        if not self.asked.times:
            return []
        found = _timed(self.connection, self.asked, self.where, limit=limit)
        return [seq for seq in found if self.sight.holds(seq)]

    def about(self, *, limit: int) -> list[int]:
        """As `Source` says."""
        if self.asked.wanted is None:
            return []
        found: list[int] = []
        if Form.FACT in self.forms:
            facts = self.asked.wanted.facts(self.connection, self.where)
            found += [seq for seq in facts if self.sight.holds(seq)]
        if Form.MESSAGE in self.forms:
            found += self.sight.nearest(self.asked.wanted.near, self.view, limit=limit)
        return found

    def own(self, seqs: Sequence[int]) -> dict[int, bool]:
        """As `Source` says."""
        return self.sight.own(seqs, self.view)

    def lines(self, seqs: Sequence[int]) -> Lines:
        """As `Source` says."""
        return Lines.kept(seqs, asked=self.asked, sight=self.sight, view=self.view)

    def memories(self, seqs: Sequence[int]) -> dict[int, Memory]:
        """As `Source` says."""
        return self.sight.memories(self.connection, seqs, self.readable, self.confirming)


@dataclass(frozen=True, slots=True)
class Stored:
    """The truth itself, and the derived index for what is near.

    `view` names what `where` says of other things than scopes; None for a past that is looked at
    once, which is not kept.
    """

    store: Store
    connection: Connection
    asked: Question
    where: ColumnElement[bool]
    view: Hashable
    forms: tuple[Form, ...] = tuple(Form)

    def of(self, forms: Sequence[Form]) -> "Stored":
        """As `Source` says."""
        view = None if self.view is None else (self.view, tuple(forms))
        where = self.where & table.c.form.in_(forms)
        return replace(self, where=where, view=view, forms=tuple(forms))

    def is_empty(self) -> bool:
        """As `Source` says."""
        return False

    def nearest(self, *, limit: int) -> list[int]:
        """As `Source` says."""
        return [] if self.asked.vector is None else self._near(self.asked.vector, limit=limit)

    def about(self, *, limit: int) -> list[int]:
        """As `Source` says."""
        if self.asked.wanted is None:
            return []
        found: list[int] = []
        if Form.FACT in self.forms:
            found += self.asked.wanted.facts(self.connection, self.where)
        if Form.MESSAGE in self.forms:
            found += self._near(self.asked.wanted.near, limit=limit)
        return found

    def _near(self, vector: Vectors, *, limit: int) -> list[int]:
        if self.store.door is None:
            return []
        reach = self.store.reach
        near = self.store.door.nearest(
            self.connection,
            vector,
            self.where,
            limit=limit,
            view=None if self.view is None else (reach.scopes, reach.principal.agent, self.view),
        )
        return [item.seq for item in near]

    def worded(self, *, limit: int) -> list[int]:
        """As `Source` says."""
        found = sqlite.search_text(
            self.connection, query=self.asked.terms, scopes=self.store.reach.scopes, limit=limit
        )
        return [match.seq for match in found]

    def timed(self, *, limit: int) -> list[int]:
        """As `Source` says."""
        return _timed(self.connection, self.asked, self.where, limit=limit)

    def own(self, seqs: Sequence[int]) -> dict[int, bool]:
        """As `Source` says."""
        found = self.connection.execute(
            select(table.c.seq, table.c.form, table.c.trust).where(
                table.c.seq.in_(seqs), self.where
            )
        )
        return {seq: form == Form.MESSAGE and trust == Trust.USER for seq, form, trust in found}

    def lines(self, seqs: Sequence[int]) -> Lines:
        """As `Source` says."""
        found = read(self.connection, seqs, self.where)
        spoken = [seq for seq, line in found.items() if line.form is Form.MESSAGE]
        near = [seq for seq in around(spoken) if seq not in found]
        found |= read(self.connection, near, self.where)
        return Lines.stored(
            self.connection,
            [found[seq] for seq in sorted(found)],
            asked=self.asked,
            generation=self.store.generation,
        )

    def memories(self, seqs: Sequence[int]) -> dict[int, Memory]:
        """As `Source` says."""
        return memories.by_seq(self.connection, seqs, self.where)


def _timed(
    connection: Connection, asked: Question, where: ColumnElement[bool], *, limit: int
) -> list[int]:
    if not asked.times or asked.times[0].every_year:
        return []
    first = asked.times[0]
    inside = table.c.valid_from.between(first.start, first.end)
    found = connection.execute(
        select(table.c.seq).where(where, inside).order_by(table.c.seq.desc()).limit(limit)
    )
    return list(found.scalars())
