"""Where the arms look: in the scopes kept in memory, or in the truth when they are too large."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import ColumnElement, Connection, select

from stratal_memory.index.line import Line
from stratal_memory.index.sight import Sight, View
from stratal_memory.recall import lines
from stratal_memory.recall.question import Question
from stratal_memory.records import Form, Memory, Trust
from stratal_memory.store import Store
from stratal_memory.truth import memories, sqlite
from stratal_memory.truth.schema import memories as table


class Source(Protocol):
    """What a question may see of memory: nothing outside one WHERE clause."""

    def nearest(self, *, limit: int) -> list[int]:
        """The row numbers nearest in meaning, nearest first; none without a vector."""
        ...

    def worded(self, *, limit: int) -> list[int]:
        """The row numbers that share the rarest words, best first; some may be out of sight."""
        ...

    def own(self, seqs: Iterable[int]) -> dict[int, bool]:
        """Those of `seqs` that may be seen, and whether each is a line of the user's own."""
        ...

    def lines(self, seqs: Sequence[int]) -> dict[int, Line]:
        """Those of `seqs` that may be seen, by row number, in order."""
        ...

    def memories(self, seqs: Sequence[int]) -> dict[int, Memory]:
        """Those of `seqs` that may be seen, as the truth has them, by row number."""
        ...


def source_of(
    store: Store,
    connection: Connection,
    asked: Question,
    where: ColumnElement[bool],
    *,
    view: Hashable,
) -> Source:
    """What `asked` may see inside `where`; `view` names what that says of other things than scopes.

    Without a name it is asked of the truth: a past that is looked at once is not kept.
    """
    if asked.sight is None or view is None:
        return _Stored(store, connection, asked, where, view)
    seen = asked.sight.view(connection, where, view)
    return _Seen(connection, asked, asked.sight, where, seen)


@dataclass(frozen=True, slots=True)
class _Seen:
    """The scopes kept in memory; what is found there is read back from the truth."""

    connection: Connection
    asked: Question
    sight: Sight
    where: ColumnElement[bool]
    view: View

    def nearest(self, *, limit: int) -> list[int]:
        if self.asked.vector is None:
            return []
        return self.sight.nearest(self.asked.vector, self.view, limit=limit)

    def worded(self, *, limit: int) -> list[int]:
        return self.sight.lexical(self.asked.terms, limit=limit)

    def own(self, seqs: Iterable[int]) -> dict[int, bool]:
        found = self.sight.lines(seqs, self.view)
        return {seq: line.form is Form.MESSAGE and line.by_user for seq, line in found.items()}

    def lines(self, seqs: Sequence[int]) -> dict[int, Line]:
        return self.sight.lines(seqs, self.view)

    def memories(self, seqs: Sequence[int]) -> dict[int, Memory]:
        return self.sight.memories(self.connection, seqs, self.where, self.view)


@dataclass(frozen=True, slots=True)
class _Stored:
    """The truth itself, and the derived index for what is near."""

    store: Store
    connection: Connection
    asked: Question
    where: ColumnElement[bool]
    view: Hashable

    def nearest(self, *, limit: int) -> list[int]:
        if self.store.door is None or self.asked.vector is None:
            return []
        reach = self.store.reach
        near = self.store.door.nearest(
            self.connection,
            self.asked.vector,
            self.where,
            limit=limit,
            view=None if self.view is None else (reach.scopes, reach.principal.agent, self.view),
        )
        return [item.seq for item in near]

    def worded(self, *, limit: int) -> list[int]:
        found = sqlite.search_text(
            self.connection, query=self.asked.terms, scopes=self.store.reach.scopes, limit=limit
        )
        return [match.seq for match in found]

    def own(self, seqs: Iterable[int]) -> dict[int, bool]:
        found = self.connection.execute(
            select(table.c.seq, table.c.form, table.c.trust).where(
                table.c.seq.in_(sorted(seqs)), self.where
            )
        )
        return {seq: form == Form.MESSAGE and trust == Trust.USER for seq, form, trust in found}

    def lines(self, seqs: Sequence[int]) -> dict[int, Line]:
        return lines.read(self.connection, seqs, self.where)

    def memories(self, seqs: Sequence[int]) -> dict[int, Memory]:
        return memories.by_seq(self.connection, seqs, self.where)
