"""The alarm clock: APScheduler wakes us, and what is due lies in the truth."""

from collections.abc import Callable
from datetime import UTC, datetime
from queue import SimpleQueue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from apscheduler.schedulers.background import BackgroundScheduler


class Alarm:
    """Wakes whoever waits, at the time they set or when it is rung; close it after use."""

    def __init__(self) -> None:
        self._rung: SimpleQueue[None] = SimpleQueue()
        self._scheduler = _started(self.ring)

    def ring(self) -> None:
        """End the wait now; may be called by a signal handler, before the wait too."""
        self._rung.put(None)

    def wait(self, until: datetime) -> None:
        """Return at `until`, or earlier when the alarm is rung."""
        self._scheduler.add_job(
            _come,
            "date",
            run_date=until,
            id="wake",
            replace_existing=True,
            coalesce=True,
            max_instances=1,
            misfire_grace_time=None,  # the default drops what is a second late
        )
        self._rung.get()

    def close(self) -> None:
        """Let go of the scheduler's threads."""
        self._scheduler.shutdown(wait=False)


def _come() -> None:
    """What the scheduler calls: that it has taken the job away is what rings."""


def _started(ring: Callable[[], None]) -> "BackgroundScheduler":
    from apscheduler.events import EVENT_JOB_REMOVED
    from apscheduler.schedulers.background import BackgroundScheduler

    scheduler = BackgroundScheduler(timezone=UTC)
    # Not the job itself rings: who is woken may close the scheduler while it still looks for the
    # job to take it away, and that raises in its thread.
    scheduler.add_listener(lambda event: ring(), EVENT_JOB_REMOVED)
    scheduler.start()
    return scheduler
