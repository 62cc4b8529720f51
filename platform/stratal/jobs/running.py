"""One job now, because somebody asked: neither quiet hours nor a pause hold it up."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from stratal.jobs.outcome import Outcome, outcome_of
from stratal.jobs.registry import job_named
from stratal.jobs.worker import Worker
from stratal_memory.truth import schedules, slot_history, slots
from stratal_memory.truth.slots import Wanted


def run_now(
    worker: Worker,
    name: str,
    *,
    due: datetime,
    user: str | None = None,
    on_outcome: Callable[[Outcome], None] = lambda outcome: None,
) -> list[Outcome]:
    """Run a job for everybody, or for one user, as due at `due`; by user and agent.

    A slot of that time that was settled before is left alone. A failure is tried once: who asked
    sees it. What was put off, or is another process's, is told as it stands.
    """
    job = job_named(worker.table.jobs, name)
    once = replace(worker, pace=replace(worker.pace, tries=1))
    with worker.database.write() as connection:
        fresh = {
            who
            for who in schedules.people(connection, user=user)
            if schedules.add(connection, due, job=job.name, user=who[0], agent=who[1])
        }
    wanted = Wanted(jobs=(job.name,), due=due)
    while (outcome := once.step(wanted)) is not None:
        fresh.add((outcome.user, outcome.agent))
        if outcome.state != slots.WAITING:
            on_outcome(outcome)
    with worker.database.read() as connection:
        found = slot_history.at(connection, job.name, due)
    now = worker.clock()
    return [outcome_of(one, now=now) for one in found if (one.user, one.agent) in fresh]
