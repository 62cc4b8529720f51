"""The one way to change memories: every change is a row and the event that can take it back."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, update

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.errors import UndoRefused
from stratal_memory.records import Event, Evidence, Memory, Session, Status
from stratal_memory.truth import events, memories, sessions, vectors
from stratal_memory.truth.memories import Mutable
from stratal_memory.truth.schema import runs

ADDED, CLOSED, REINFORCED = "memory.added", "memory.closed", "memory.reinforced"
SETTLED = "session.settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """Changes by one user inside one transaction, as part of `run` when there is one.

    `generation` is the number of the vectors' generation; 0 when there is no embedder.
    """

    connection: Connection
    user: str
    at: datetime
    run: str = ""
    generation: int = 0

    def add(self, memory: Memory, *, reason: str, vector: Vectors | None = None) -> int:
        """The row number of a new version; `vector` is its `(dimension,)` float32 row."""
        seq = memories.add(self.connection, memory)
        if vector is not None:
            vectors.store(self.connection, [seq], vector.reshape(1, -1), generation=self.generation)
        self._record(ADDED, memory, reason)
        return seq

    def close(
        self,
        memory: Memory,
        *,
        status: Status,
        reason: str,
        valid_to: datetime | None = None,
    ) -> None:
        """End a version with the status that says why."""
        memories.close(self.connection, memory, status=status, at=self.at, valid_to=valid_to)
        self._record(CLOSED, memory, reason, before=Mutable.of(memory))

    def reinforce(
        self, memory: Memory, *, confidence: float, seen: Sequence[Evidence], reason: str
    ) -> None:
        """Count more independent statements for a memory."""
        memories.reinforce(self.connection, memory, confidence=confidence, seen=seen)
        self._record(REINFORCED, memory, reason, before=Mutable.of(memory))

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

    def _record(
        self, kind: str, memory: Memory, reason: str, before: Mutable | None = None
    ) -> None:
        detail = (("text", memory.text),) if before is None else (("before", _pack(before)),)
        events.record(
            self.connection,
            at=self.at,
            kind=kind,
            user=self.user,
            reason=reason,
            memory=memory.id,
            key=memory.key,
            run=self.run,
            detail=detail,
        )


def _pack(mutable: Mutable) -> str:
    return json.dumps(
        {
            "status": mutable.status,
            "retired_at": mutable.retired_at and mutable.retired_at.isoformat(),
            "valid_to": mutable.valid_to and mutable.valid_to.isoformat(),
            "confidence": mutable.confidence,
            "support": mutable.support,
            "evidence": mutable.evidence,
        }
    )


def _unpack(text: str) -> Mutable:
    fields = json.loads(text)

    def time(name: str) -> datetime | None:
        return datetime.fromisoformat(fields[name]) if fields[name] else None

    return Mutable(
        status=Status(fields["status"]),
        retired_at=time("retired_at"),
        valid_to=time("valid_to"),
        confidence=fields["confidence"],
        support=fields["support"],
        evidence=fields["evidence"],
    )


def undo(connection: Connection, run: str, *, user: str, at: datetime) -> list[Event]:
    """Take back every memory change of `run`, newest first; the events that were taken back.

    Raises `UndoRefused` naming the keys that were written again since: undoing would lose that.
    """
    recorded = events.of_run(connection, run)
    done = [event for event in recorded if event.key]
    keys = sorted({event.key for event in done})
    later = events.touched_after(connection, keys, run=run)
    if later:
        raise UndoRefused(
            f"run {run} can't be undone: {len(later)} of its {len(keys)} memories changed since",
            keys=later,
            hint="`stratal memory show KEY` shows what changed them.",
        )
    for event in reversed(recorded):
        _take_back(connection, event)
    connection.execute(update(runs).where(runs.c.id == run).values(undone=at))
    events.record(
        connection,
        at=at,
        kind="run.undone",
        user=user,
        reason=f"{len(done)} changes taken back",
        run=run,
    )
    return done


def _take_back(connection: Connection, event: Event) -> None:
    """Put back what one event changed; a decision that changed nothing has nothing to put back."""
    detail = dict(event.detail)
    if event.kind == ADDED:
        memories.remove(connection, event.memory)
    elif event.kind in (CLOSED, REINFORCED):
        memories.restore(connection, event.memory, _unpack(detail["before"]))
    elif event.kind == SETTLED:
        before = detail["before"]
        sessions.mark_episode(
            connection,
            detail["session"],
            of=datetime.fromisoformat(before) if before else None,
        )
