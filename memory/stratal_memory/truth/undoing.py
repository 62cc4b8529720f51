"""Taking changes back: a whole run, or what one event belongs to."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, update

from stratal_memory.errors import NotFound, UndoRefused
from stratal_memory.records import Event, Form
from stratal_memory.truth import document_undoing, documents, events, memories, sessions
from stratal_memory.truth.journal import ADDED, BEFORE, SETTLED, Journal
from stratal_memory.truth.mutable import Mutable
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.schema import runs

ACT = "act_"  # before the ids of what a person did at once; a run's begin otherwise


def undo(connection: Connection, run: str, *, user: str, at: datetime) -> list[Event]:
    """Take back every memory change of `run`, newest first; the events that were taken back.

    Raises `UndoRefused` naming the keys that were written again since: undoing would lose that.
    """
    recorded = events.of_run(connection, run)
    done = [event for event in recorded if event.key]
    later = events.touched_after(connection, done)
    if later:
        raise UndoRefused(
            f"run {run} can't be undone: {len(later)} of its "
            f"{len({event.key for event in done})} memories changed since",
            keys=later,
            hint=f"`stratal memory history {later[0]}` shows what changed it.",
        )
    _take_back(connection, recorded, at=at)
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


def undo_event(journal: Journal, id: str) -> list[Event]:
    """Take back what one event of the user belongs to: everything its act did to that memory.

    Learning a new home closes the old one and adds the new one: two events, one act. What a
    person did at once is taken back whole. The lines of the profile that the act changed go back
    with it, unless they changed since. Returns the events, oldest first.

    Raises `NotFound` for an event that is not the user's, changed nothing, or was taken back
    already; `UndoRefused` when it is part of a run, or the memory was written again since.
    """
    connection = journal.connection
    event = _undoable(connection, id, user=journal.user)
    act = [one for one in events.of_act(connection, event) if one.key]
    slots = _slots(connection, act)
    whole = event.run.startswith(ACT)  # what one person did at once, whatever it touched
    core = [one for one in act if one.key == event.key or (whole and one.key not in slots)]
    later = events.touched_after(connection, core)
    if later:
        raise UndoRefused(
            f"{id} can't be undone: the memory {later[0]} changed since",
            keys=later,
            hint=f"Undo the later change first: stratal memory history {later[0]}",
        )
    moved = events.touched_after(connection, [one for one in act if one.key in slots])
    gone = slots.difference(moved)
    mine = [one for one in act if one in core or one.key in gone]
    _take_back(connection, mine, at=journal.at)
    undone = (("events", " ".join(one.id for one in mine)),)
    journal.note("event.undone", reason=f"{len(mine)} changes taken back", detail=undone)
    return mine


def _undoable(connection: Connection, id: str, *, user: str) -> Event:
    act = [one for one in events.of_run(connection, id) if one.key] if id.startswith(ACT) else []
    found = events.find(connection, act[-1].id if act else id, user=user)
    if found is None or not found.key:
        raise NotFound(
            f"no change {id!r} of yours", hint="`stratal memory history KEY` shows their ids."
        )
    if found.undone is not None:
        raise NotFound(f"{id!r} was undone already on {found.undone:%Y-%m-%d %H:%M}")
    if found.run and not found.run.startswith(ACT):
        raise UndoRefused(
            f"{id} is one of the changes of {found.run}",
            keys=(found.key,),
            hint=f"Take the run back: stratal memory undo {found.run}",
        )
    return found


def _slots(connection: Connection, act: Sequence[Event]) -> frozenset[str]:
    """The keys of an act that are lines of the profile: derived, so they follow the fact."""
    where = table.c.key.in_([event.key for event in act]) & (table.c.form == Form.SLOT)
    return frozenset(one.key for one in memories.select_memories(connection, where))


def _take_back(connection: Connection, recorded: Sequence[Event], *, at: datetime) -> None:
    for event in reversed(recorded):
        _put_back(connection, event)
    document_undoing.check(connection, sorted({one.key for one in recorded if _of_document(one)}))
    events.mark_undone(connection, recorded, at=at)


def _of_document(event: Event) -> bool:
    return event.kind.startswith("document.")


def _put_back(connection: Connection, event: Event) -> None:
    """Put back what one event changed; a decision that changed nothing has nothing to put back."""
    detail = dict(event.detail)
    if _of_document(event):
        document_undoing.put_back(connection, event)
    elif event.kind == ADDED:
        if not documents.stands(connection, event.memory):  # a passage another document shares
            memories.remove(connection, event.memory)
    elif event.kind == SETTLED:
        before = detail[BEFORE]
        sessions.mark_episode(
            connection,
            detail["session"],
            of=datetime.fromisoformat(before) if before else None,
        )
    elif event.key and BEFORE in detail:
        memories.restore(connection, event.memory, Mutable.from_json(detail[BEFORE]))
