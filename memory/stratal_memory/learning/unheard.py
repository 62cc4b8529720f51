"""Statements that meet nothing known: written together, with few queries for many."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from sqlalchemy import Connection, select

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.learning.resolution import DATED, Resolution, Statement
from stratal_memory.learning.settling import settle
from stratal_memory.records import Form, Memory, Scope, Status
from stratal_memory.text import text_hash
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.memories import PAGE
from stratal_memory.truth.schema import memories as table


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gathering(Journal):
    """A journal that keeps new versions until they are written together."""

    kept: list[tuple[Memory, Vectors | None, str]] = field(
        default_factory=list[tuple[Memory, Vectors | None, str]]
    )

    def add(self, memory: Memory, *, reason: str, vector: Vectors | None = None) -> int:
        """0: the row has no number yet."""
        self.kept.append((memory, vector, reason))
        return 0


def unheard(connection: Connection, statements: Sequence[Statement]) -> list[bool]:
    """Which of `statements` are plain sentences that neither memory nor another one says.

    Each of these becomes a memory of its own, whatever else is remembered beside it.
    """
    hashes = [text_hash(one.text) for one in statements]
    times = Counter(zip((one.scope for one in statements), hashes, strict=True))
    known = {
        (scope, hash_)
        for scope in {one.scope for one in statements}
        for hash_ in _known(connection, scope, hashes)
    }
    return [
        _is_plain(one) and times[one.scope, hash_] == 1 and (one.scope, hash_) not in known
        for one, hash_ in zip(statements, hashes, strict=True)
    ]


def _is_plain(one: Statement) -> bool:
    """Whether only its words are compared with what is known."""
    about = one.facet or one.value or one.instead_of
    return not (about or one.retracts or one.correction or one.status is Status.QUARANTINED)


def _known(connection: Connection, scope: Scope, hashes: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for start in range(0, len(hashes), PAGE):
        query = select(table.c.text_hash).where(
            table.c.scope_kind == scope.kind,
            table.c.scope_id == scope.id,
            table.c.text_hash.in_(hashes[start : start + PAGE]),
            table.c.form == Form.FACT,
            table.c.status.in_(DATED),
        )
        found |= set(connection.execute(query).scalars())
    return found


def remember_unheard(
    journal: Journal, statements: Sequence[tuple[Statement, Vectors | None]]
) -> list[Resolution]:
    """What became of each unheard statement, as `resolve` would have it."""
    gathering = _Gathering(
        connection=journal.connection,
        user=journal.user,
        at=journal.at,
        run=journal.run,
        generation=journal.generation,
    )
    done = [settle(gathering, [], statement=one, vector=row) for one, row in statements]
    for reason, group in groupby(gathering.kept, key=lambda kept: kept[2]):
        journal.add_all([(memory, row) for memory, row, _ in group], reason=reason)
    return [one for one in done if one is not None]  # each had a statement
