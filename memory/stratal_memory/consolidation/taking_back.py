"""Taking a whole run back, where what it did can be done again."""

from stratal_memory.consolidation import retention
from stratal_memory.errors import NotFound, UndoRefused
from stratal_memory.records import Event
from stratal_memory.store import Store
from stratal_memory.text import storable
from stratal_memory.tiers.profile import Profile
from stratal_memory.truth import archiving, events, held, runs
from stratal_memory.truth.journal import SETTLED, Journal
from stratal_memory.truth.undoing import undo


def undo_run(store: Store, run: str) -> list[Event]:
    """What taking back `run` took back.

    The profile's lines that rested on it follow. Raises `NotFound` for a run that is not the user's
    or was taken back already, `UndoRefused` naming the memories that changed since, and
    `AccessDenied` where a project or org was taken away.
    """
    with store.write() as journal:
        found = runs.find(journal.connection, user=store.user, id=storable(run))
        if not found or found[0].undone is not None:
            past = "was undone already" if found else "is not one of yours"
            raise NotFound(f"run {run!r} {past}", hint="`stratal jobs history` lists the runs.")
        if found[0].kind == retention.KIND:
            raise UndoRefused(
                f"{run} is a run of {found[0].kind}: what went is gone",
                keys=(),
                hint="Only runs of consolidation are taken back.",
            )
        _check_words(journal, run)
        taken = undo(journal, run, reach=store.reach)
        runs.taken_back(journal.connection, run, at=journal.at)
        held.withdraw(journal.connection, run, at=journal.at)
        Profile(store).refresh(journal)
        return taken


def _check_words(journal: Journal, run: str) -> None:
    """Raises `UndoRefused` where the episodes of a run could not be told again."""
    told = events.of_run(journal.connection, run)
    sessions = sorted({dict(one.detail)["session"] for one in told if one.kind == SETTLED})
    gone = [
        id
        for start in range(0, len(sessions), events.PAGE)
        for id in archiving.archived_among(
            journal.connection, sessions[start : start + events.PAGE]
        )
    ]
    if gone:
        raise UndoRefused(
            f"{run} told {len(gone)} conversations whose words are archived since",
            keys=(),
            hint="What it told of them can't be told again; forget or erase single memories.",
        )
