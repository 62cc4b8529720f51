"""The one way to change memories: every change is a row and the event that can take it back."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
from sqlalchemy import Connection

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.records import Event, Evidence, Form, Memory, Session, Status, new_id
from stratal_memory.truth import events, sessions, vectors, writing
from stratal_memory.truth.derived import derived_from
from stratal_memory.truth.mutable import Mutable

ADDED, CLOSED, REINFORCED = "memory.added", "memory.closed", "memory.reinforced"
AMENDED, PINNED = "memory.amended", "memory.pinned"
SETTLED = "session.settled"
PLAIN = "txn"  # begins the id of a transaction that is no run and no act of a person
TOLD_ANEW = (Form.FACT, Form.EPISODE, Form.OBSERVATION)  # of which others are made
BEFORE = "before"  # the detail of an event that holds what a version was


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """Changes by one user inside one transaction, as part of `run`.

    A transaction that is no run has an id of its own: its events belong together.
    `generation` is the number of the vectors' generation; 0 when there is no embedder.
    """

    connection: Connection
    user: str
    at: datetime
    run: str = field(default_factory=lambda: new_id(PLAIN))
    generation: int = 0

    def add(self, memory: Memory, *, reason: str, vector: Vectors | None = None) -> int:
        """The row number of a new version; `vector` is its `(dimension,)` float32 row."""
        seq = writing.add(self.connection, memory)
        if vector is not None:
            vectors.store(self.connection, [seq], vector.reshape(1, -1), generation=self.generation)
        self._record(ADDED, memory, reason)
        return seq

    def add_all(self, new: Sequence[tuple[Memory, Vectors | None]], *, reason: str) -> None:
        """New versions, each with its vector if it has one: as `add`, for many at once."""
        seqs = writing.add_all(self.connection, [memory for memory, _ in new])
        rows = [(seq, row) for seq, (_, row) in zip(seqs, new, strict=True) if row is not None]
        if rows:
            stacked = np.stack([row for _, row in rows])
            numbers = [seq for seq, _ in rows]
            vectors.store(self.connection, numbers, stacked, generation=self.generation)
        told = [self._event(ADDED, memory, reason) for memory, _ in new]
        events.record_all(self.connection, told)

    def close(
        self,
        memory: Memory,
        *,
        status: Status,
        reason: str,
        valid_to: datetime | None = None,
    ) -> None:
        """End a version with the status that says why, and what was made of it."""
        writing.close(self.connection, memory, status=status, at=self.at, valid_to=valid_to)
        self._record(CLOSED, memory, reason, before=Mutable.of(memory))
        self._follow(memory)

    def reinforce(
        self, memory: Memory, *, confidence: float, seen: Sequence[Evidence], reason: str
    ) -> None:
        """Count more independent statements for a memory."""
        writing.reinforce(self.connection, memory, confidence=confidence, seen=seen)
        self._record(REINFORCED, memory, reason, before=Mutable.of(memory))

    def amend(
        self, memory: Memory, changed: Memory, *, reason: str, seen: Sequence[Evidence] = ()
    ) -> None:
        """Give a version the changeable fields of `changed`; `seen` joins its evidence."""
        before, after = Mutable.of(memory), Mutable.of(changed)
        after = replace(after, evidence=before.evidence)  # where `seen` is added behind
        writing.amend(self.connection, memory.id, after, seen=seen)
        ended = before.retired_at is None and after.retired_at is not None
        kind = REINFORCED if seen else CLOSED if ended else AMENDED
        self._record(kind, memory, reason, before=before)
        if before.status is Status.ACTIVE and after.status is not Status.ACTIVE:
            self._follow(memory)

    def pin(self, memory: Memory, *, pinned: bool, reason: str) -> None:
        """Pin a version, or let it go; what was provisional is active once it is pinned."""
        held = pinned and memory.status is Status.PROVISIONAL
        status = Status.ACTIVE if held else memory.status
        before = Mutable.of(memory)
        writing.amend(self.connection, memory.id, replace(before, pinned=pinned, status=status))
        self._record(PINNED, memory, reason, before=before)

    def settle(self, session: Session, *, reason: str) -> None:
        """Note that a session is an episode up to its last activity."""
        sessions.mark_episode(self.connection, session.id, of=session.last_active)
        before = session.episode_of.isoformat() if session.episode_of else ""
        self.note(SETTLED, reason=reason, detail=(("session", session.id), ("before", before)))

    def note(self, kind: str, *, reason: str, detail: Sequence[tuple[str, str]] = ()) -> None:
        """A decision that changed nothing, with its reason."""
        events.record(
            self.connection,
            at=self.at,
            kind=kind,
            user=self.user,
            reason=reason,
            run=self.run,
            detail=detail,
        )

    def let_fall(self, id: str) -> None:
        """End what was made of the version `id`, which holds no more: it would tell what is not."""
        for made in derived_from(self.connection, id):
            self.close(made, status=Status.SUPERSEDED, reason=f"it rested on {id}")

    def _follow(self, memory: Memory) -> None:
        if memory.form in TOLD_ANEW:
            self.let_fall(memory.id)

    def _record(
        self, kind: str, memory: Memory, reason: str, before: Mutable | None = None
    ) -> None:
        events.record_all(self.connection, [self._event(kind, memory, reason, before)])

    def _event(
        self, kind: str, memory: Memory, reason: str, before: Mutable | None = None
    ) -> Event:
        detail = (("text", memory.text),) if before is None else ((BEFORE, before.to_json()),)
        return Event(
            id=new_id("evt"),
            at=self.at,
            kind=kind,
            user=self.user,
            reason=reason,
            memory=memory.id,
            key=memory.key,
            run=self.run,
            detail=detail,
        )
