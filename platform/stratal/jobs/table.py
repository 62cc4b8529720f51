"""The jobs with the hours they keep."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from stratal.jobs.hours import Quiet, spread
from stratal.jobs.registry import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Every job, and the hours in which they start."""

    jobs: tuple[Job, ...]
    quiet: Quiet
    jitter: timedelta

    @property
    def scheduled(self) -> tuple[Job, ...]:
        """Those that come due at all."""
        return tuple(job for job in self.jobs if not job.triggers.off)

    def late(self, user: str) -> timedelta:
        """How much later than the schedule says `user` comes."""
        return spread(user, most=self.jitter)

    def start(self, due: datetime, *, user: str | None = None) -> datetime:
        """When what is due at `due` starts, in UTC; for a user with their own delay."""
        return self.quiet.end(due + self.late(user) if user is not None else due)
