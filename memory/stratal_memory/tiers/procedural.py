"""What procedures are found by: their descriptions as memories, compared with a message."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, select

from stratal_memory.learning.trust import CONFIDENCE
from stratal_memory.records import Form, Kind, Memory, ScopeKind, Status, Trust, new_id
from stratal_memory.store import Store
from stratal_memory.text import storable
from stratal_memory.truth import memories, vectors
from stratal_memory.truth.access import visible
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import memories as table


@dataclass(frozen=True, slots=True)
class Described:
    """A procedure by name, and the text it is found by."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Procedures:
    """The procedures one principal's agent knows; agents have their own."""

    store: Store

    def sync(self, described: Sequence[Described]) -> int:
        """How many descriptions were new or changed; each change is a version."""
        with self.store.read() as connection:
            known = self._known(connection)
        stale = [item for item in described if _changed(item, known.get(item.name))]
        rows = self.store.embed([item.text for item in stale])
        if not stale:
            return 0
        with self.store.write() as journal:
            known = self._known(journal.connection)  # another process may have been faster
            for item, row in zip(stale, rows, strict=True):
                old = known.get(item.name)
                if _changed(item, old):
                    if old:
                        journal.close(old, status=Status.SUPERSEDED, reason="its text changed")
                    known[item.name] = self._memory(journal, item, old)
                    journal.add(known[item.name], reason="skill found", vector=row)
        return len(stale)

    def similarities(self, message: str, names: Sequence[str]) -> list[float]:
        """The cosine of `message` with each named procedure, 0..1; 0 for one that is unknown.

        All 0 without an embedder.
        """
        vector = self.store.embed([message])[0]
        if vector is None:
            return [0.0] * len(names)
        with self.store.read() as connection:
            seqs = self._seqs(connection)
            matrix = vectors.of_seqs(connection, list(seqs), generation=self.store.generation)
        if not matrix.seqs:
            return [0.0] * len(names)
        cosines = matrix.vectors @ vector
        by_name = {
            seqs[seq]: max(0.0, float(cosine))
            for seq, cosine in zip(matrix.seqs, cosines, strict=True)
        }
        return [by_name.get(name, 0.0) for name in names]

    def _known(self, connection: Connection) -> dict[str, Memory]:
        found = memories.select_memories(connection, visible(self.store.reach, forms=(Form.SKILL,)))
        agent = self.store.reach.principal.agent
        return {memory.facet: memory for memory in found if memory.agent == agent}

    def _seqs(self, connection: Connection) -> dict[int, str]:
        agent = self.store.reach.principal.agent
        where = and_(visible(self.store.reach, forms=(Form.SKILL,)), table.c.agent == agent)
        found = connection.execute(select(table.c.seq, table.c.facet).where(where))
        return {row.seq: row.facet for row in found}

    def _memory(self, journal: Journal, item: Described, old: Memory | None) -> Memory:
        principal = self.store.reach.principal
        return Memory(
            id=new_id("mem"),
            key=old.key if old else new_id("key"),
            version=old.version + 1 if old else 1,
            text=storable(item.text),
            kind=Kind.PROCEDURAL,
            form=Form.SKILL,
            scope=principal.scope(ScopeKind.USER),
            agent=principal.agent,
            trust=Trust.SYSTEM,
            status=Status.ACTIVE,
            confidence=CONFIDENCE[Trust.SYSTEM],
            source="skill folder",
            facet=item.name,
            recorded_at=journal.at,
            valid_from=journal.at,
            supersedes=old.id if old else "",
        )


def _changed(item: Described, known: Memory | None) -> bool:
    return known is None or known.text != storable(item.text)
