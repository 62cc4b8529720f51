"""What came of a due time."""

from dataclasses import dataclass
from datetime import datetime

from stratal_memory.truth.slots import WAITING, Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One due time of a job for a user's agent, and what came of it so far; times are UTC."""

    job: str
    user: str
    agent: str
    due: datetime
    state: str  # waiting, running, done, failed or skipped
    started: datetime | None
    ended: datetime | None
    changes: int
    covers: int  # how many due times it stands for; more than one only when skipped
    run: str
    outcome: str
    again: datetime | None  # when it is tried again, if it was put off


def outcome_of(slot: Slot, *, now: datetime) -> Outcome:
    """The same as people and programs read it."""
    put_off = slot.state == WAITING and slot.ready > now
    return Outcome(
        job=slot.job,
        user=slot.user,
        agent=slot.agent,
        due=slot.due,
        state=slot.state,
        started=slot.started,
        ended=slot.ended,
        changes=slot.changes,
        covers=slot.covers,
        run=slot.run,
        outcome=slot.outcome,
        again=slot.ready if put_off else None,
    )
