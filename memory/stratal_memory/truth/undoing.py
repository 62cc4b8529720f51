"""Taking changes back: a whole run, or what one event belongs to.

Only what happened here, and only where who asks may write now: what an import tells is history.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, or_, select, update

from stratal_memory.errors import NotFound, UndoRefused
from stratal_memory.records import Event, Form, Status
from stratal_memory.text import storable
from stratal_memory.truth import (
    document_undoing,
    documents,
    events,
    forgotten,
    sessions,
    usefulness,
    writing,
)
from stratal_memory.truth.access import Reach
from stratal_memory.truth.derived import derived, outlived
from stratal_memory.truth.journal import ADDED, BEFORE, PLAIN, SETTLED, Journal
from stratal_memory.truth.mutable import Mutable
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.schema import runs
from stratal_memory.truth.touching import check_rows

ACT = "act_"  # before the ids of what a person did at once; a run's begin otherwise


def undo(journal: Journal, run: str, *, reach: Reach) -> list[Event]:
    """Take back every memory change of `run`, newest first; the events that were taken back.

    What is derived and was written again since stays as it is: it follows what it is made of.

    Raises `UndoRefused` naming the keys that were written again since: undoing would lose that;
    and for a run that came with an import. `AccessDenied`, `NotFound` and `UndoRefused` where a
    change lies outside `reach`.
    """
    connection = journal.connection
    recorded = [one for one in events.of_run(connection, run) if one.user == journal.user]
    _check(connection, recorded, name=run, reach=reach)
    made = [event for event in recorded if event.key]
    following = _following(connection, made)
    moved = events.touched_after(connection, [one for one in made if one.key in following])
    recorded = [one for one in recorded if one.key not in moved]
    done = [event for event in recorded if event.key]
    later = events.touched_after(connection, [one for one in done if one.key not in following])
    if later:
        changed = f"{len(later)} of its {len({event.key for event in done})}"
        raise document_undoing.later_change(connection, later, done) or UndoRefused(
            f"run {run} can't be undone: {changed} memories changed since",
            keys=later,
            hint=f"`stratal memory history {later[0]}` shows what changed it.",
        )
    _take_back(journal, recorded)
    connection.execute(update(runs).where(runs.c.id == run).values(undone=journal.at))
    events.record(
        connection,
        at=journal.at,
        kind="run.undone",
        user=journal.user,
        reason=f"{len(done)} changes taken back",
        run=run,
    )
    return done


def undo_event(journal: Journal, id: str, *, reach: Reach) -> list[Event]:
    """Take back what one event of the user belongs to: everything its act did to that memory.

    Learning a new home closes the old one and adds the new one: two events, one act. What a
    person did at once is taken back whole. What is derived and the act changed goes back with it,
    unless it changed since. Returns the events, oldest first.

    Raises `NotFound` for an event that is not the user's, changed nothing, or was taken back
    already; `UndoRefused` when it is part of a run, came with an import, or the memory was written
    again since; and as `undo` where a change lies outside `reach`.
    """
    connection = journal.connection
    event = _undoable(connection, id, user=journal.user)
    act = [one for one in events.of_act(connection, event) if one.key]
    _check(connection, [event, *act], name=id, reach=reach)
    following = _following(connection, act) | _tellings(connection, act)
    whole = event.run.startswith(ACT)  # what one person did at once, whatever it touched
    core = [one for one in act if one.key == event.key or (whole and one.key not in following)]
    later = events.touched_after(connection, core)
    if later:
        raise document_undoing.later_change(connection, later, core) or UndoRefused(
            f"{id} can't be undone: the memory {later[0]} changed since",
            keys=later,
            hint=f"Undo the later change first: stratal memory history {later[0]}",
        )
    moved = events.touched_after(connection, [one for one in act if one.key in following])
    gone = following.difference(moved)
    mine = [one for one in act if one in core or one.key in gone]
    _take_back(journal, mine)
    undone = (("events", " ".join(one.id for one in mine)),)
    journal.note("event.undone", reason=f"{len(mine)} changes taken back", detail=undone)
    return mine


def _undoable(connection: Connection, name: str, *, user: str) -> Event:
    id = storable(name)
    act = [one for one in events.of_run(connection, id) if one.key] if id.startswith(ACT) else []
    found = events.find(connection, act[-1].id if act else id, user=user)
    if found is None or not found.key:
        raise NotFound(
            f"no change {id!r} of yours", hint="`stratal memory history KEY` shows their ids."
        )
    if found.undone is not None:
        raise NotFound(
            f"{id!r} was undone already on {found.undone:%Y-%m-%d %H:%M}",
            hint=f"`stratal memory history {found.key}` shows what stands now.",
        )
    if found.run and not found.run.startswith((ACT, f"{PLAIN}_")):
        raise UndoRefused(
            f"{id} is one of the changes of {found.run}",
            keys=(found.key,),
            hint=f"Take the run back: stratal memory undo {found.run}",
        )
    return found


def _check(connection: Connection, recorded: Sequence[Event], *, name: str, reach: Reach) -> None:
    """Raises for what came with an import, and where a row is outside `reach`."""
    if events.came_with_import(connection, recorded):
        raise UndoRefused(
            f"{name} came with an import: it is history, and was not done here",
            keys=(),
            hint="Edit or forget the memory instead: stratal memory edit ID TEXT",
        )
    check_rows(connection, recorded, reach=reach)


def _following(connection: Connection, act: Sequence[Event]) -> frozenset[str]:
    """The keys of an act that follow other memories: lines of the profile, and what is derived."""
    return _keys(connection, act, or_(table.c.form == Form.SLOT, derived()))


def _tellings(connection: Connection, act: Sequence[Event]) -> frozenset[str]:
    """The keys of an act that tell what was said: an act that changes them changes what is told."""
    return _keys(connection, act, table.c.form == Form.EPISODE)


def _keys(
    connection: Connection, act: Sequence[Event], follows: ColumnElement[bool]
) -> frozenset[str]:
    keys = sorted({event.key for event in act})
    found: set[str] = set()
    for start in range(0, len(keys), events.PAGE):
        page = table.c.key.in_(keys[start : start + events.PAGE])
        found.update(connection.execute(select(table.c.key).where(page, follows)).scalars())
    return frozenset(found)


def _take_back(journal: Journal, recorded: Sequence[Event]) -> None:
    connection, at = journal.connection, journal.at
    ids = sorted({one.key for one in recorded if _of_document(one)})
    held = document_undoing.held(connection, ids)
    for event in reversed(recorded):
        _put_back(connection, event)
    document_undoing.check(connection, ids)
    events.mark_undone(connection, recorded, at=at)
    document_undoing.end_alone(journal, held)
    forgotten.tell_anew(journal, recorded)
    _let_fall(journal, sorted({event.memory for event in recorded} - {""}))


def _let_fall(journal: Journal, ids: Sequence[str]) -> None:
    """End what was made of versions that are gone now, or do not stand; and what was told anew."""
    standing = set[str]()
    for start in range(0, len(ids), events.PAGE):
        page = table.c.id.in_(ids[start : start + events.PAGE])
        live = select(table.c.id).where(page, table.c.status == Status.ACTIVE)
        standing.update(journal.connection.execute(live).scalars())
    for id in ids:
        if id not in standing:
            journal.let_fall(id)
    for one in outlived(journal.connection, sorted(standing)):
        journal.close(one, status=Status.SUPERSEDED, reason="it was told anew since")


def _of_document(event: Event) -> bool:
    return event.kind.startswith("document.")


def _put_back(connection: Connection, event: Event) -> None:
    """Put back what one event changed; a decision that changed nothing has nothing to put back."""
    detail = dict(event.detail)
    if _of_document(event):
        document_undoing.put_back(connection, event)
    elif event.kind == ADDED:
        if not documents.stands(connection, event.memory):  # a passage another document shares
            writing.remove(connection, event.memory)
    elif event.kind == SETTLED:
        before = detail[BEFORE]
        sessions.mark_episode(
            connection,
            detail["session"],
            of=datetime.fromisoformat(before) if before else None,
        )
    elif event.kind == forgotten.FORGOTTEN:
        forgotten.put_back(connection, event)
    elif event.kind == usefulness.FED:
        usefulness.put_back(connection, event)
    elif event.key and BEFORE in detail:
        writing.restore(connection, event.memory, Mutable.from_json(detail[BEFORE]))
