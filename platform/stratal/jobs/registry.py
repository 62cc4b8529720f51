"""The jobs there are: what each is called, when it is due, and what is called then."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from stratal.errors import NotFound
from stratal.jobs.triggers import Triggers
from stratal_memory.truth.slots import Guard


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One slice of a job for a user's agent."""

    user: str
    agent: str
    due: datetime
    begun: datetime  # when the slot was first worked on
    again: bool  # somebody worked on it before
    items: int  # the slice is over after so many
    guard: Guard  # to be called inside every transaction; what it raises is to be let through


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a slice came to."""

    changes: int = 0  # of all slices so far
    run: str = ""
    words: str = ""  # for a person


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished(Done):
    """The slice was used up; another is needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PutOff(Done):
    """It can't go on now, as `words` say; nothing failed."""


Work = Callable[[Task], Done]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job that comes due for every user's agents.

    `work` is called for one slice of one user; what was done is committed item by item, so that
    it may be called again for the same due time after a crash.
    """

    name: str
    triggers: Triggers
    work: Work


def job_named(jobs: Sequence[Job], name: str) -> Job:
    """The job of that name; `NotFound` lists those there are."""
    for job in jobs:
        if job.name == name:
            return job
    names = ", ".join(job.name for job in jobs)
    raise NotFound(f"there is no job {name!r}", hint=f"There is: {names}.")
