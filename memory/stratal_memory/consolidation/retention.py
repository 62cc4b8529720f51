"""Old conversations are archived, later erased (Os12): a job of its own, off unless it is set.

After `archive` the words and tool calls go; episodes, summaries and what was learned stay, and are
found as before. After `erase` the episodes and summaries go too. Facts stay: they age by
themselves. Nothing that a person pinned is touched, and undo can't bring back what went.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from stratal_memory.consolidation.night import Guard
from stratal_memory.consolidation.report import Change, Report, State, Step
from stratal_memory.erase import removal
from stratal_memory.erase.doomed import Doomed
from stratal_memory.records import Form
from stratal_memory.store import Store
from stratal_memory.truth import archiving, runs
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.summaries import Cut, current_cut, move_cut

KIND = "retention"
PAGE = 20  # conversations of one item


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long conversations are kept since they were last active: Os12's 90 and 365 days."""

    archive: timedelta = timedelta(days=90)
    erase: timedelta = timedelta(days=365)


def retain(
    store: Store,
    *,
    retention: Retention | None = None,
    dry_run: bool = False,
    guard: Guard | None = None,
) -> Report:
    """What went of the store's user's conversations with this agent, or with `dry_run` would.

    Each item of twenty conversations is a transaction; one that was cut off goes on at the next
    call, for what is done is not due again. `guard` is called inside each.
    """
    kept, now = retention or Retention(), store.clock()
    who = store.reach.principal
    with store.read() as connection:
        told = archiving.with_episodes(
            connection, user=who.user, agent=who.agent, before=now - kept.erase
        )
        worded = archiving.with_words(
            connection, user=who.user, agent=who.agent, before=now - kept.archive
        )
    changes: list[Change] = []
    for ids in _pages(worded):
        changes.append(_one(store, ids, "archive", dry_run=dry_run, guard=guard))
    for ids in _pages(told):
        changes.append(_one(store, ids, "erase", dry_run=dry_run, guard=guard))
    steps = (
        Step(name="archive", looked_at=len(worded), changed=len(worded)),
        Step(name="erase", looked_at=len(told), changed=len(told)),
    )
    return _reported(store, steps, changes, dry_run=dry_run)


def _pages(ids: Sequence[str]) -> list[Sequence[str]]:
    return [ids[start : start + PAGE] for start in range(0, len(ids), PAGE)]


def _one(
    store: Store, ids: Sequence[str], step: str, *, dry_run: bool, guard: Guard | None
) -> Change:
    if not dry_run:
        with store.write() as journal:
            if guard is not None:
                guard(journal.connection)
            if step == "archive":
                _archive(journal, ids)
            else:
                _erase(journal, ids)
            told = f"{len(ids)} conversations"
            detail = tuple(("session", id) for id in ids)
            journal.note(f"retention.{step}d", reason=told, detail=detail)
    what = "the words of" if step == "archive" else "what is told of"
    return Change(
        step=step,
        action=f"{step}d",
        before=f"{what} {len(ids)} conversations",
        after="",
        reason="older than they are kept",
        evidence=tuple(ids),
    )


def _archive(journal: Journal, ids: Sequence[str]) -> None:
    connection = journal.connection
    archiving.clear(connection, ids)
    raw = archiving.told_of(connection, ids, form=Form.MESSAGE)
    removal.remove(connection, Doomed(memories=raw))
    for session, last in archiving.last_rows(connection, ids).items():
        cut = current_cut(connection, session)
        if last > cut.after:
            moved = Cut(after=last, aged=last, summary=cut.summary, reason="archived")
            move_cut(connection, session, moved, at=journal.at)


def _erase(journal: Journal, ids: Sequence[str]) -> None:
    told = archiving.told_of(journal.connection, ids, form=Form.EPISODE)
    removal.remove(journal.connection, Doomed(memories=told))
    archiving.end(journal.connection, ids)


def _reported(
    store: Store, steps: tuple[Step, ...], changes: Sequence[Change], *, dry_run: bool
) -> Report:
    state = State.PREVIEW if dry_run else State.DONE
    report = Report(run="", user=store.user, steps=steps, changes=tuple(changes), state=state)
    if dry_run or not changes:
        return report
    with store.write() as journal:
        run = runs.start(journal.connection, kind=KIND, user=store.user, at=journal.at)
        told = report.to_json()
        runs.finish(journal.connection, run, report=told, at=journal.at)
    return Report(run=run, user=store.user, steps=steps, changes=tuple(changes))
