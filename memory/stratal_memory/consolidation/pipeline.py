"""One run of consolidation; read top to bottom."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from stratal_memory.consolidation import (
    aging,
    checks,
    contradictions,
    episodes,
    holding,
    observations,
    profile,
    provisional,
    reconcile,
    retention,
    rollups,
    usefulness,
)
from stratal_memory.consolidation.night import Asking, Guard, Live, Model, Night, Paused, Preview
from stratal_memory.consolidation.pending import catch_up_with
from stratal_memory.consolidation.progress import Progress
from stratal_memory.consolidation.report import Report, State
from stratal_memory.consolidation.starting import KIND, Begun, begin, release, unchanged
from stratal_memory.consolidation.step import Item, Plan, StepKind
from stratal_memory.errors import NotFound, UndoRefused
from stratal_memory.records import Event
from stratal_memory.store import Store
from stratal_memory.text import storable
from stratal_memory.tiers.profile import Profile
from stratal_memory.truth import archiving, events, held, runs
from stratal_memory.truth.journal import SETTLED, Journal
from stratal_memory.truth.undoing import undo

__all__ = ["KIND", "STEPS", "Limits", "consolidate", "undo_run"]

# In this order: what is doubtful goes first, then what is double, then what disagrees; what is
# derived is made of what is left.
STEPS = (
    StepKind("usefulness", usefulness.plan),
    StepKind("provisional", provisional.plan),
    StepKind("reconcile", reconcile.plan),
    StepKind("contradictions", contradictions.plan),
    StepKind("aging", aging.plan),
    StepKind("episodes", episodes.plan),
    StepKind("rollups", rollups.plan, after=("episodes",)),
    StepKind("observations", observations.plan),
    StepKind("profile", profile.plan),
    StepKind("checks", checks.plan),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one call does; None is no limit. A run goes on where the last call stopped."""

    items: int | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a run is, for a progress bar: the step, what of it, and how many items of how many."""

    step: str
    moment: str  # planning, item, committed, done
    done: int = 0
    of: int = 0


Tell = Callable[[Moment], None]


class _PreviewOnly(Exception):
    """Rolls a preview's transaction back."""


def consolidate(
    store: Store,
    *,
    idle: timedelta = timedelta(0),
    dry_run: bool = False,
    on_moment: Tell = lambda moment: None,
    model: Model | None = None,
    limits: Limits | None = None,
    guard: Guard | None = None,
) -> Report:
    """What one run changed, or with `dry_run` would change, for the store's user.

    Sessions settle once nothing was said in them for `idle`. Each item is a transaction of its
    own, under a lease; a run that was cut off is taken up again by the next call, as of the moment
    it began, and then `resumed` says that what was said since is for another call. With a `model`
    the steps that can are bettered by it; an outage or a spent cap puts those off (`paused`).
    `guard` is called inside every transaction; what it raises rolls that one back and ends the
    call. Raises `ConsolidationBusy` while another process works on this user's run.
    """
    asking = Asking(model=model)
    if dry_run:
        return _preview(store, idle=idle, tell=on_moment)
    if unchanged(store, model=model is not None):
        return Report(run="", user=store.user, steps=(), changes=(), state=State.UNCHANGED)
    on_moment(Moment("pending", "planning"))
    pending = catch_up_with(store, asking)  # before the run begins: it sees what is learned now
    begun = begin(store)
    night = Live(
        store=store,
        run=begun.run.id,
        at=begun.run.started,
        idle_before=begun.run.started - idle,
        asking=asking,
        fence=begun.fence,
        guard=guard,
    )
    progress = Progress(night)
    try:
        progress.note(pending)
        state = _walk(night, progress, room=_Room(limits.items if limits else None), tell=on_moment)
        return _over(begun, progress, state)
    finally:
        release(store, begun)


@dataclass(slots=True)
class _Room:
    """How many items one call may still do; None is no limit."""

    left: int | None = None
    used_up: bool = False  # and something is left over

    def take(self, items: Iterable[Item]) -> Iterator[Item]:
        """Those there is room for. No other is planned: a model may be asked for each."""
        coming, taken = iter(items), 0
        while self.left != 0:
            found = next(coming, None)
            if found is None:
                return
            yield found
            taken += 1
            if self.left is not None:
                self.left -= 1
        self.used_up = not isinstance(items, Sequence) or taken < len(items)


def _walk(night: Night, progress: Progress, *, room: _Room, tell: Tell) -> State:
    """Every step that is not over yet, in order, until there is no more room."""
    paused = False
    for kind in STEPS:
        if kind.name in progress.over:
            continue
        if first := progress.waits_for(kind.after):
            progress.put_off(kind.name, Plan(), why=f"{first} come first")
            continue
        tell(Moment(kind.name, "planning"))
        plan = kind.plan(night)
        try:
            for number, item in enumerate(room.take(plan.items), 1):
                tell(Moment(kind.name, "item", number, plan.looked_at))
                _commit(night, kind, item, progress)
                tell(Moment(kind.name, "committed", number, plan.looked_at))
        except Paused as out:
            paused = True
            progress.put_off(kind.name, plan, why=str(out))
            continue
        if room.used_up:
            return State.OPEN
        progress.end_step(kind.name, plan)
        tell(Moment(kind.name, "done"))
    return State.PAUSED if paused else State.DONE


def _commit(night: Night, kind: StepKind, item: Item, progress: Progress) -> None:
    with night.commit() as journal:
        if item.doubt is not None:
            progress.held(holding.hold(night, journal, kind.name, item.doubt))
            return
        made = [replace(change, step=kind.name) for change in item.perform(journal)]
        progress.keep(journal, made)


def _over(begun: Begun, progress: Progress, state: State) -> Report:
    order = ["pending", *(kind.name for kind in STEPS)]
    found = progress.report(state)
    steps = tuple(sorted(found.steps, key=lambda step: order.index(step.name)))
    report = replace(found, steps=steps, resumed=begun.resumed)
    progress.close(report)
    return report


def _preview(store: Store, *, idle: timedelta, tell: Tell) -> Report:
    """The steps by rules inside one transaction that is rolled back."""
    report = Report(run="", user=store.user, steps=(), changes=(), state=State.PREVIEW)
    try:
        with store.write() as journal:
            run = runs.start(journal.connection, kind=KIND, user=store.user, at=journal.at)
            night = Preview(
                store=store,
                run=run,
                at=journal.at,
                idle_before=journal.at - idle,
                asking=Asking(model=None),
                journal=replace(journal, run=run),
            )
            progress = Progress(night)
            _walk(night, progress, room=_Room(), tell=tell)
            report = progress.report(State.PREVIEW)
            raise _PreviewOnly
    except _PreviewOnly:
        return replace(report, run="")


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
