"""A worker: claims a slot, does a slice of it, settles it, and makes room for the next user."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from sqlalchemy import Connection

from stratal.errors import DataDirectoryBusy, StratalError
from stratal.jobs.outcome import Outcome, outcome_of
from stratal.jobs.registry import Done, PutOff, Task, Unfinished, job_named
from stratal.jobs.table import Table
from stratal_memory.errors import ConsolidationBusy, LeaseLost
from stratal_memory.truth import slots
from stratal_memory.truth.database import Database
from stratal_memory.truth.slots import Guard, Now, Slot, Wanted

# A provider that is out, or a spend cap that is reached: nothing an earlier look would change.
PUT_OFF = timedelta(minutes=15)
BUSY = timedelta(minutes=1)  # somebody consolidates by hand, or writes for long

OnStep = Callable[[str], None]

log = logging.getLogger(__name__)


class Stopping(Exception):
    """Ends the slice that is being done: the worker was asked to stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long a slice is, and how failures are tried again."""

    items: int
    tries: int
    wait: timedelta  # before the second try; it doubles each time


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """One of any number that share the slots of a data directory.

    `stopped` is asked before each item: the one that was begun is finished first. `on_step` is
    told where the worker is: `claiming`, `claimed`, `item` (inside an item's transaction),
    `worked`, `settling` (inside the transaction) and `settled`.
    """

    database: Database
    table: Table
    pace: Pace
    clock: Now
    stopped: Callable[[], bool] = lambda: False
    on_step: OnStep = lambda step: None

    def step(self, wanted: Wanted) -> Outcome | None:
        """What one slice came to; None when nothing is to be done, or the worker was stopped."""
        if self.stopped():
            return None
        slot = self._claim(wanted)
        if slot is None:
            return None
        self.on_step("claimed")
        try:
            return self._do(slot)
        except LeaseLost as lost:
            log.warning("%s", lost)
            return outcome_of(replace(slot, outcome=str(lost)), now=self.clock())

    def _do(self, slot: Slot) -> Outcome:
        try:
            after = self._slice(slot)
        except Stopping:
            words = "stopped: whoever comes next goes on with it"
            after = replace(slot, state=slots.WAITING, outcome=words)
            with self.database.write() as connection:
                slots.let_go(connection, slot)
            return outcome_of(after, now=self.clock())
        self.on_step("worked")
        with self.database.write() as connection:
            now = self.clock()
            slots.settle(connection, after, now=now)
            self.on_step("settling")
        self.on_step("settled")
        return outcome_of(after, now=now)

    def _claim(self, wanted: Wanted) -> Slot | None:
        now = self.clock()
        with self.database.read() as connection:
            holders = slots.owners(connection)
            work = slots.is_work(connection, wanted, now=now)
        gone = [one for one in holders if not self._is_there(one)]
        if not work and not gone:
            return None
        with self.database.write() as connection:
            slots.give_up(connection, now=now, gone=gone)
            slot = slots.claim(connection, wanted, owner=self.database.owner, now=now)
            if slot is not None:
                self.on_step("claiming")
            return slot

    def _is_there(self, owner: str) -> bool:
        """Whether a holder lives: on this machine a dead one is seen before its lease is over."""
        return owner == self.database.owner or self.database.is_at_work(owner=owner, turn="")

    def _slice(self, slot: Slot) -> Slot:
        """The slot with what came of a slice."""
        task = Task(
            user=slot.user,
            agent=slot.agent,
            due=slot.due,
            begun=slot.started or slot.due,
            again=slot.fence > 1,
            items=self.pace.items,
            guard=self._guard(slot),
        )
        try:
            done = job_named(self.table.jobs, slot.job).work(task)
        except (LeaseLost, Stopping):
            raise
        except (ConsolidationBusy, DataDirectoryBusy) as busy:
            return slots.waits_again(slot, wait=BUSY, now=self.clock(), outcome=str(busy))
        except Exception as error:  # the job runner: one user's trouble is theirs alone
            log.exception("%s of %s failed", slot.job, slot.user)
            return self._failed(slot, error)
        return self._came_to(slot, done)

    def _guard(self, slot: Slot) -> Guard:
        renew = slots.guard(slot, clock=self.clock)

        def checked(connection: Connection) -> None:
            if self.stopped():
                raise Stopping
            renew(connection)
            self.on_step("item")

        return checked

    def _came_to(self, slot: Slot, done: Done) -> Slot:
        now = self.clock()
        known = replace(slot, changes=done.changes, run=done.run or slot.run, outcome=done.words)
        if isinstance(done, PutOff):
            return slots.waits_again(known, wait=PUT_OFF, now=now, outcome=done.words)
        if isinstance(done, Unfinished):
            return replace(known, state=slots.WAITING, ready=now, slices=slot.slices + 1)
        return replace(known, state=slots.DONE, ended=now, slices=slot.slices + 1)

    def _failed(self, slot: Slot, error: Exception) -> Slot:
        hint = error.hint if isinstance(error, StratalError) else ""
        tried = replace(slot, attempts=slot.attempts + 1)
        words = f"failed: {error} {hint}".strip()
        now = self.clock()
        if tried.attempts >= self.pace.tries:
            many = f" (tried {tried.attempts} times)" if tried.attempts > 1 else ""
            return replace(tried, state=slots.FAILED, ended=now, outcome=f"{words}{many}")
        wait = self.pace.wait * 2**slot.attempts
        return slots.waits_again(tried, wait=wait, now=now, outcome=words)
