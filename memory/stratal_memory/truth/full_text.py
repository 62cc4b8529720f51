"""Full text beside the rows it is made of: whether it holds them all, and making it anew."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Integer, and_, column, or_, select, text

from stratal_memory.records import Form
from stratal_memory.truth import memories, sqlite
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.vectors import LIVE

PAGE = 500  # memories that are read at once
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How many memories full text lacks, and how many rows of it nothing stands behind."""

    missing: int
    surplus: int

    @property
    def none(self) -> bool:
        """Whether the two agree."""
        return self.missing == 0 and self.surplus == 0


def drift(connection: Connection) -> Drift:
    """Where full text and the memories differ, everybody's; which words it holds is not read."""
    wanted = set(_wanted(connection))
    held = set(connection.execute(text("SELECT id FROM full_text_docsize")).scalars())
    return Drift(missing=len(wanted - held), surplus=len(held - wanted))


def rebuild(connection: Connection, on_progress: Progress | None = None) -> int:
    """How many memories are in full text, which is made anew from them."""
    for name in ("full_text_terms", "full_text"):
        connection.execute(text(f"DROP TABLE IF EXISTS {name}"))
    sqlite.create_full_text(connection)
    wanted = _wanted(connection)
    for start in range(0, len(wanted), PAGE):
        page = wanted[start : start + PAGE]
        for seq, memory in memories.by_seq(connection, page, _worded()).items():
            body = memories.searchable(memory)
            sqlite.index_text(connection, seq=seq, scope=memory.scope, body=body)
        if on_progress:
            on_progress(start + len(page), len(wanted))
    return len(wanted)


def _wanted(connection: Connection) -> list[int]:
    found = connection.execute(select(table.c.seq).where(_worded()).order_by(table.c.seq))
    return list(found.scalars())


def _worded() -> ColumnElement[bool]:
    """What `memories.worded` says, for the database."""
    over = and_(table.c.status.in_(memories.ENDED), table.c.form == Form.FACT)
    return or_(table.c.status.in_(LIVE), over)


def missing(connection: Connection, mine: ColumnElement[bool]) -> list[int]:
    """The row numbers of memories among `mine` that full text should hold and does not."""
    held = select(column("id", Integer)).select_from(text("full_text_docsize"))
    found = connection.execute(
        select(table.c.seq).where(mine, _worded(), table.c.seq.not_in(held)).order_by(table.c.seq)
    )
    return list(found.scalars())


def mend(connection: Connection, seqs: Sequence[int]) -> int:
    """How many of these memories were put into full text again."""
    done = 0
    for start in range(0, len(seqs), PAGE):
        page = list(seqs[start : start + PAGE])
        for seq, memory in memories.by_seq(connection, page, _worded()).items():
            sqlite.remove_text(connection, [seq])
            body = memories.searchable(memory)
            sqlite.index_text(connection, seq=seq, scope=memory.scope, body=body)
            done += 1
    return done
