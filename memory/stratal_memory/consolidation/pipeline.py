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
    rollups,
    usefulness,
)
from stratal_memory.consolidation.night import Asking, Guard, Live, Model, Night, Paused, Preview
from stratal_memory.consolidation.pending import catch_up_with, rehearse, untaken
from stratal_memory.consolidation.progress import Progress
from stratal_memory.consolidation.report import Report, State
from stratal_memory.consolidation.starting import KIND, Begun, begin, release, unchanged
from stratal_memory.consolidation.step import Item, Plan, StepKind
from stratal_memory.store import Store
from stratal_memory.truth import runs

__all__ = ["KIND", "STEPS", "Limits", "consolidate"]

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
        return _preview(store, idle=idle, tell=on_moment, model=model is not None)
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
    report = replace(_ordered(progress.report(state)), resumed=begun.resumed)
    progress.close(report)
    return report


def _ordered(report: Report) -> Report:
    order = ["pending", *(kind.name for kind in STEPS)]
    return replace(report, steps=tuple(sorted(report.steps, key=lambda one: order.index(one.name))))


def _preview(store: Store, *, idle: timedelta, tell: Tell, model: bool) -> Report:
    """The steps by rules inside one transaction that is rolled back; no model is asked."""
    report = Report(run="", user=store.user, steps=(), changes=(), state=State.PREVIEW)
    tell(Moment("pending", "planning"))
    waits = untaken(store)
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
            pending, learned = rehearse(night.journal, waits, model=model)
            progress.note(pending)
            progress.keep(night.journal, learned)
            _walk(night, progress, room=_Room(), tell=tell)
            report = _ordered(progress.report(State.PREVIEW))
            raise _PreviewOnly
    except _PreviewOnly:
        return replace(report, run="")
