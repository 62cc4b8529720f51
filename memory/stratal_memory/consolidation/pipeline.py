"""One run of consolidation; read top to bottom."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

from stratal_memory.consolidation.episodes import Draft, draft, settle
from stratal_memory.consolidation.expire import expire
from stratal_memory.consolidation.reconcile import Compared, compare, reconcile
from stratal_memory.consolidation.report import Change, Report, Step
from stratal_memory.embedding.backlog import embed_backlog
from stratal_memory.errors import NotFound
from stratal_memory.learning.gate import catch_up
from stratal_memory.learning.model_answer import Complete
from stratal_memory.learning.model_reading import read_waiting
from stratal_memory.records import Event
from stratal_memory.store import Store
from stratal_memory.text import storable
from stratal_memory.tiers.profile import Profile
from stratal_memory.truth import runs
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.undoing import undo

KIND = "consolidation"


class _PreviewOnly(Exception):
    """Rolls a preview's transaction back."""


def consolidate(
    store: Store,
    *,
    idle: timedelta = timedelta(0),
    dry_run: bool = False,
    on_step: Callable[[str], None] | None = None,
    complete: Complete | None = None,
) -> Report:
    """What one run changed, or with `dry_run` would change, for the store's user.

    Sessions settle once nothing was said in them for `idle`. All of a run's changes are one
    transaction: a crash leaves either none or all of them. Before it `complete`, when it is given,
    reads the messages that wait for a model; one that fails leaves them waiting.
    """
    tell = on_step or (lambda name: None)
    if not dry_run:
        tell("catching up")
        _catch_up(store, complete)
    tell("drafting episodes")
    drafts = draft(store, idle=idle)
    tell("comparing")
    compared = compare(store)  # takes long, so before the write lock
    tell("settling")
    report = Report(run="", user=store.user, steps=(), changes=())
    try:
        with store.write() as opened:
            report = _settle_all(store, opened, drafts, compared)
            if dry_run:
                raise _PreviewOnly
    except _PreviewOnly:
        return replace(report, run="")
    return report


def _settle_all(
    store: Store, opened: Journal, drafts: Sequence[Draft], compared: Compared
) -> Report:
    """Every step of a run, in its order, and the run with its report."""
    run = runs.start(opened.connection, kind=KIND, user=store.user, at=opened.at)
    journal = replace(opened, run=run)
    made = [
        _step("expire", expire(store, journal)),
        _step("reconcile", reconcile(store, journal, compared)),
        _step("episodes", (len(drafts), settle(store, journal, drafts))),
        _step("profile", _profile(store, journal)),
    ]
    report = _report(run, store.user, made)
    runs.finish(journal.connection, run, report=report.to_json(), at=store.clock())
    return report


def _catch_up(store: Store, complete: Complete | None) -> None:
    """What a crash or a missing model left undone; not part of what undo takes back."""
    catch_up(store, waits=complete is not None)
    if complete is not None:
        read_waiting(store, complete)
    embed_backlog(store)


def _profile(store: Store, journal: Journal) -> tuple[int, list[Change]]:
    profile = Profile(store)
    changes = profile.rebuild(journal)
    return len(changes), [
        Change(
            step="profile",
            action="replaced" if change.before else "added",
            before=change.before,
            after=change.after,
            reason=f"slot {change.slot}",
        )
        for change in changes
    ]


def _step(name: str, done: tuple[int, list[Change]]) -> tuple[Step, list[Change]]:
    looked_at, changes = done
    return Step(name=name, looked_at=looked_at, changed=len(changes)), changes


def _report(run: str, user: str, made: list[tuple[Step, list[Change]]]) -> Report:
    return Report(
        run=run,
        user=user,
        steps=tuple(step for step, _ in made),
        changes=tuple(change for _, changes in made for change in changes),
    )


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
        taken = undo(journal, run, reach=store.reach)
        Profile(store).refresh(journal)
        return taken
